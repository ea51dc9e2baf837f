#include "cli/quote.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

namespace monofold::cli {
namespace {

constexpr int most_characters = 40;

// The length of the UTF-8 character that `text` begins with, 0 if it begins with none. Overlong
// forms, surrogates and the control characters U+0080 to U+009F count as none.
std::size_t character_bytes(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(text[i]); };
  const std::uint8_t first = byte(0);
  std::size_t length = 0;
  std::uint32_t least = 0;
  std::uint32_t point = 0;
  if (first < 0x80) return first >= 0x20 && first != 0x7f ? 1 : 0;
  if (first >= 0xc0 && first < 0xe0) length = 2, least = 0xa0, point = first & 0x1fu;
  if (first >= 0xe0 && first < 0xf0) length = 3, least = 0x800, point = first & 0x0fu;
  if (first >= 0xf0 && first < 0xf8) length = 4, least = 0x10000, point = first & 0x07u;
  if (length == 0 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0u) != 0x80u) return 0;
    point = point << 6 | (byte(i) & 0x3fu);
  }
  const bool surrogate = point >= 0xd800 && point < 0xe000;
  return point < least || point > 0x10ffff || surrogate ? 0 : length;
}

std::string escape(char c) {
  if (c == '\n') return "\\n";
  if (c == '\r') return "\\r";
  if (c == '\t') return "\\t";
  constexpr std::string_view digits = "0123456789abcdef";
  const auto byte = static_cast<std::uint8_t>(c);
  return {'\\', 'x', digits[byte >> 4], digits[byte & 15u]};
}

}  // namespace

std::string quote(std::string_view text) {
  std::string out = "'";
  for (int count = 0; !text.empty(); ++count) {
    if (count == most_characters) {
      out += "...";
      break;
    }
    const std::size_t length = character_bytes(text);
    if (length == 0) {
      out += escape(text[0]);
    } else {
      out += text.substr(0, length);
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return out + "'";
}

}  // namespace monofold::cli
