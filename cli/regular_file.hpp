#pragma once
/// cli/regular_file: the bytes of a regular file by read calls, from any place, by many threads.

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

/// The same open file once more.
descriptor duplicate(const descriptor& file);

/// A regular file, of which the first `num_bytes` bytes are read.
///
/// sync       any thread may call the const members
/// tested by  tests/cli/regular_file_test.cpp, tests/cli/map_file_test.cpp
class regular_file {
 public:
  regular_file(descriptor file, std::int64_t num_bytes)
      : file_(std::move(file)), num_bytes_(num_bytes) {}
  regular_file(const regular_file&) = delete;
  regular_file& operator=(const regular_file&) = delete;
  virtual ~regular_file() = default;

  const descriptor& file() const { return file_; }
  std::int64_t num_bytes() const { return num_bytes_; }

  /// Throws `input_error` if the file is shorter than it was.
  virtual void check() const;

  /// Asks the kernel to read this range from the disk soon; it may reach past the end.
  void will_need(std::int64_t offset, std::int64_t num_bytes) const;

  /// Copies a range by read calls.
  ///
  /// errors     `input_error`: the file ends inside the range, or the disk fails
  void copy(std::int64_t offset, std::int64_t num_bytes, void* out) const;

  /// From now on `copy` reads from the disk, past the page cache, and `will_need` does nothing.
  ///
  /// cost       1 MiB for each thread that copies, until it ends
  /// errors     `input_error`: this file system cannot do that
  void read_directly();

 private:
  std::int64_t read_at(std::int64_t offset, std::int64_t num_bytes, void* out) const;

  descriptor file_;
  descriptor direct_{-1};
  std::int64_t num_bytes_;
};

}  // namespace monofold::cli
