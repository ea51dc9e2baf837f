#pragma once
/// cli/stream: bytes of a pipe, a device or a file from start to end, read ahead by a thread.

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <thread>

#include "cli/regular_file.hpp"

namespace monofold::cli {

/// A reader thread fills a ring of 8 MiB while the consumer takes bytes out of it.
///
/// sync       one consumer thread. The destructor stops a reader that waits for a silent pipe
/// errors     `input_error` from the call that needs the bytes which could not be read
/// cost       8 MiB, one copy
/// tested by  tests/cli/stream_test.cpp
class byte_stream {
 public:
  explicit byte_stream(descriptor file);
  byte_stream(const byte_stream&) = delete;
  byte_stream& operator=(const byte_stream&) = delete;
  ~byte_stream();

  /// The first bytes that have not been taken, without taking them: what is there when at least
  /// `least` bytes are, fewer only where the input ends; at most `most`, up to 64 KiB.
  std::string peek(std::size_t least, std::size_t most);

  /// Takes between 1 and `out.size()` bytes, as many as there are; 0: the end.
  std::size_t read_some(std::span<std::byte> out);

  /// Takes `out.size()` bytes, fewer only where the input ends.
  std::size_t read(std::span<std::byte> out);

  /// Bytes taken so far.
  std::int64_t taken_bytes() const { return taken_.load(std::memory_order_relaxed); }

 private:
  static constexpr std::size_t ring_bytes = std::size_t{8} << 20;

  void fill();  // what the reader thread runs
  bool wait_readable() const;
  std::size_t available() const { return filled_ - consumed_; }

  descriptor file_;
  descriptor stop_read_;  // a pipe whose writing wakes the reader from poll()
  descriptor stop_write_;
  std::unique_ptr<std::byte[]> ring_;
  std::mutex mutex_;
  std::condition_variable changed_;
  // Byte counts since the start; a byte lies at its count modulo ring_bytes. Under `mutex_`.
  std::size_t filled_ = 0;
  std::size_t consumed_ = 0;
  bool ended_ = false;
  bool stopping_ = false;
  int error_ = 0;
  std::atomic<std::int64_t> taken_{0};
  std::thread reader_;
};

}  // namespace monofold::cli
