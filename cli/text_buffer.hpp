#pragma once
/// cli/text_buffer: a window over a stream of text, long enough for any line that is accepted.

#include <cstdint>
#include <memory>

#include "cli/stream.hpp"

namespace monofold::cli {

/// shape      the window is [begin(), end()); a newline stands at *end() though it is not part of
///            the text, so that a search for the end of a line needs no second bound. At the end of
///            the input a last line without its newline is given one
/// cost       4 MiB
class text_buffer {
 public:
  static constexpr std::size_t window_bytes = std::size_t{4} << 20;

  explicit text_buffer(std::unique_ptr<byte_stream> stream);

  const char* begin() const { return begin_; }
  const char* end() const { return end_; }
  void consume(const char* to) { begin_ = to; }

  enum class filled { more, ended, full };

  /// Adds text behind the window; addresses in the window change. `full`: nothing was consumed from
  /// a window of 4 MiB.
  filled fill();

  std::int64_t taken_bytes() const { return stream_->taken_bytes(); }

 private:
  std::unique_ptr<byte_stream> stream_;
  std::unique_ptr<char[]> bytes_;  // without values until text is read into them
  const char* begin_;
  const char* end_;
  bool ended_ = false;
};

}  // namespace monofold::cli
