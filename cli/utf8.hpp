#pragma once
/// cli/utf8: where a character of UTF-8 ends.

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace monofold::cli {

/// What a text begins with: a character, or bytes that could have become one and break off (at least
/// one byte, up to the first that cannot follow). Overlong forms and surrogates are none.
struct utf8_prefix {
  std::size_t num_bytes;
  bool complete;
};

/// source     Unicode 15.0, table 3-7; section 3.9: maximal subparts
/// tested by  tests/cli/report_test.cpp
constexpr utf8_prefix utf8_prefix_of(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(text[i]); };
  const std::uint8_t first = byte(0);
  if (first < 0x80) return {1, true};
  if (first < 0xc2 || first > 0xf4) return {1, false};
  const std::size_t length = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  for (std::size_t i = 1; i < length; ++i) {
    std::uint8_t least = 0x80;
    std::uint8_t most = 0xbf;
    if (i == 1 && first == 0xe0) least = 0xa0;
    if (i == 1 && first == 0xed) most = 0x9f;
    if (i == 1 && first == 0xf0) least = 0x90;
    if (i == 1 && first == 0xf4) most = 0x8f;
    if (i == text.size() || byte(i) < least || byte(i) > most) return {i, false};
  }
  return {length, true};
}

}  // namespace monofold::cli
