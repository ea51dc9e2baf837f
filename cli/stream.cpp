#include "cli/stream.hpp"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "cli/failure.hpp"
#include "cli/source.hpp"

namespace monofold::cli {
namespace {

constexpr std::size_t read_bytes = std::size_t{1} << 20;

std::array<int, 2> make_pipe() {
  std::array<int, 2> ends{-1, -1};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
    throw input_error("cannot make a pipe: " + error_text(errno));
  }
  return ends;
}

}  // namespace

byte_stream::byte_stream(descriptor file)
    : file_(std::move(file)), stop_read_(-1), stop_write_(-1), ring_(new std::byte[ring_bytes]) {
  const std::array<int, 2> ends = make_pipe();
  stop_read_.reset(ends[0]);
  stop_write_.reset(ends[1]);
#ifdef F_SETPIPE_SZ
  // A pipe holds 64 KiB unless asked; where it may not grow, or is no pipe, nothing changes.
  (void)::fcntl(file_.get(), F_SETPIPE_SZ, static_cast<int>(read_bytes));
#endif
  reader_ = std::thread([this] { fill(); });
}

byte_stream::~byte_stream() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  stop_write_.reset(-1);  // closing an end makes the other readable
  reader_.join();
}

// False: the stream is being destroyed.
bool byte_stream::wait_readable() const {
  std::array<pollfd, 2> ends{pollfd{file_.get(), POLLIN, 0}, pollfd{stop_read_.get(), POLLIN, 0}};
  while (::poll(ends.data(), ends.size(), -1) < 0) {
    if (errno != EINTR) break;
  }
  return ends[1].revents == 0;
}

void byte_stream::fill() {
  for (;;) {
    std::size_t room = 0;
    std::size_t start = 0;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return stopping_ || available() < ring_bytes; });
      if (stopping_) return;
      start = filled_ % ring_bytes;
      room = std::min({ring_bytes - available(), ring_bytes - start, read_bytes});
    }
    if (!wait_readable()) return;
    // No lock is needed here: the consumer reads only bytes below `filled_`.
    const ssize_t got = ::read(file_.get(), ring_.get() + start, room);
    const int code = errno;
    if (got < 0 && (code == EINTR || code == EAGAIN)) continue;
    {
      const std::lock_guard lock(mutex_);
      if (got > 0) filled_ += static_cast<std::size_t>(got);
      if (got < 0) error_ = code;
      ended_ = got <= 0;
    }
    changed_.notify_all();
    if (got <= 0) return;
  }
}

std::string byte_stream::peek(std::size_t least, std::size_t most) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return ended_ || available() >= least; });
  if (available() < least && error_ != 0) {
    throw input_error("cannot read: " + error_text(error_));
  }
  std::string bytes(std::min(most, available()), '\0');
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] = static_cast<char>(ring_[(consumed_ + i) % ring_bytes]);
  }
  return bytes;
}

std::size_t byte_stream::read_some(std::span<std::byte> out) {
  std::size_t start = 0;
  std::size_t count = 0;
  {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return ended_ || available() > 0; });
    if (available() == 0) {
      if (error_ != 0) {
        throw input_error("cannot read: " + error_text(error_));
      }
      return 0;
    }
    start = consumed_ % ring_bytes;
    count = std::min({out.size(), available(), ring_bytes - start});
  }
  // No lock is needed here: the reader writes only where `consumed_` has passed.
  std::memcpy(out.data(), ring_.get() + start, count);
  {
    const std::lock_guard lock(mutex_);
    consumed_ += count;
  }
  changed_.notify_all();
  taken_.fetch_add(static_cast<std::int64_t>(count), std::memory_order_relaxed);
  return count;
}

std::size_t byte_stream::read(std::span<std::byte> out) {
  std::size_t count = 0;
  while (count < out.size()) {
    const std::size_t got = read_some(out.subspan(count));
    if (got == 0) break;
    count += got;
  }
  return count;
}

}  // namespace monofold::cli
