#pragma once
/// cli/map_file: the bytes of a regular file, mapped or copied, read by many threads at once.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>

namespace monofold::cli {

/// A file descriptor that is closed at the end.
class descriptor {
 public:
  explicit descriptor(int fd) : fd_(fd) {}
  descriptor(descriptor&& other) noexcept : fd_(other.fd_) { other.fd_ = -1; }
  descriptor(const descriptor&) = delete;
  descriptor& operator=(const descriptor&) = delete;
  descriptor& operator=(descriptor&&) = delete;
  ~descriptor() { reset(-1); }

  int get() const { return fd_; }
  void reset(int fd);

 private:
  int fd_;
};

/// A file by its path; `-` is standard input.
///
/// errors     `input_error`: it cannot be opened, or is a directory
descriptor open_for_reading(const std::string& path);

/// How the bytes of a file in the page cache are reached fastest.
enum class file_access { mapped, copied };

/// A regular file mapped for reading.
///
/// A page of the map that the file no longer has (it shrank) raises SIGBUS in the thread that
/// touches it. A handler puts zeros in the place of the rest of the map and notes the loss, so that
/// the thread goes on and `check` throws.
///
/// sync       any thread may read the map and call the const members
/// errors     `input_error`: the file cannot be mapped, or 64 files are mapped
/// tested by  tests/cli/map_file_test.cpp
class mapped_file {
 public:
  /// Maps the first `num_bytes` > 0 bytes of `file`.
  mapped_file(descriptor file, std::int64_t num_bytes);
  mapped_file(const mapped_file&) = delete;
  mapped_file& operator=(const mapped_file&) = delete;
  ~mapped_file();

  const std::byte* data() const { return data_; }
  std::int64_t num_bytes() const { return num_bytes_; }

  /// Throws `input_error` if the file is shorter than the map, or was when a page was touched.
  void check() const;

  /// Asks the kernel to read this range from the disk soon; it may reach past the end.
  void will_need(std::int64_t offset, std::int64_t num_bytes) const;

  /// Copies a range by read calls, which map no page.
  ///
  /// errors     `input_error`: the file ends inside the range, or the disk fails
  void copy(std::int64_t offset, std::int64_t num_bytes, void* out) const;

  /// Which of the two is faster for this file, measured on a MiB of it. A cached file that lies
  /// in large folios is read fastest through the map (one fault maps much); one that lies in single
  /// 4 KiB pages is faster copied into a buffer that stays in the cache.
  ///
  /// cost       about 0.3 ms, and 1 MiB of the file is read if it was not cached; nothing for
  ///            files below 32 MiB, which are `mapped`
  file_access faster_access() const;

 private:
  descriptor file_;
  const std::byte* data_ = nullptr;
  std::int64_t num_bytes_;
  int slot_ = -1;  // the place of this map in the handler's registry
};

}  // namespace monofold::cli
