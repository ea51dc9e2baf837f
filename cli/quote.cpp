#include "cli/quote.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

#include "cli/utf8.hpp"

namespace monofold::cli {
namespace {

constexpr int most_characters = 40;

// The length of the UTF-8 character that `text` begins with, 0 if it begins with none or with a
// control character (U+0000 to U+001F, U+007F to U+009F).
std::size_t character_bytes(std::string_view text) {
  const utf8_prefix character = utf8_prefix_of(text);
  const auto first = static_cast<std::uint8_t>(text[0]);
  if (!character.complete || first < 0x20 || first == 0x7f) return 0;
  const bool control = first == 0xc2 && static_cast<std::uint8_t>(text[1]) < 0xa0;
  return control ? 0 : character.num_bytes;
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
