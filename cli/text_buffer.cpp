#include "cli/text_buffer.hpp"

#include <cstring>
#include <span>
#include <utility>

namespace monofold::cli {

// Two bytes more than the window: the newline that the last line may lack, and the one at *end().
text_buffer::text_buffer(std::unique_ptr<byte_stream> stream)
    : stream_(std::move(stream)), bytes_(new char[window_bytes + 2]) {
  begin_ = end_ = bytes_.get();
  bytes_[0] = '\n';
}

text_buffer::filled text_buffer::fill() {
  if (ended_) return filled::ended;
  const auto rest = static_cast<std::size_t>(end_ - begin_);
  if (rest == window_bytes) return filled::full;
  std::memmove(bytes_.get(), begin_, rest);
  const std::size_t got = stream_->read_some(
      std::as_writable_bytes(std::span(bytes_.get() + rest, window_bytes - rest)));
  std::size_t length = rest + got;
  if (got == 0) {
    ended_ = true;
    if (rest != 0 && bytes_[rest - 1] != '\n') bytes_[length++] = '\n';
  }
  bytes_[length] = '\n';
  begin_ = bytes_.get();
  end_ = begin_ + length;
  return length == rest ? filled::ended : filled::more;
}

}  // namespace monofold::cli
