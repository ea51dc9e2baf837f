#include "trace/json_text.hpp"

#include <cstdint>
#include <cstdio>

namespace monofold::trace {

namespace {

/// The bytes of the character of UTF-8 that a text begins with; 0 where it begins with none.
std::size_t bytes_of_character(std::string_view text) {
  const auto first = static_cast<unsigned char>(text[0]);
  if (first < 0x80) return 1;
  const std::size_t bytes = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() < bytes) return 0;
  std::uint32_t value = first & (0x7fu >> bytes);
  for (std::size_t i = 1; i < bytes; ++i) {
    const auto next = static_cast<unsigned char>(text[i]);
    if ((next & 0xc0) != 0x80) return 0;
    value = value << 6 | (next & 0x3fu);
  }
  // What has a shorter form, halves of pairs of UTF-16, and what lies behind the last character.
  const std::uint32_t least = bytes == 4 ? 0x10000 : bytes == 3 ? 0x800 : 0;
  const bool is_one = value >= least && value <= 0x10ffff && (value < 0xd800 || value > 0xdfff);
  return is_one ? bytes : 0;
}

}  // namespace

std::string quote(std::string_view text) {
  std::string out = "\"";
  while (!text.empty()) {
    const char c = text[0];
    const std::size_t bytes = bytes_of_character(text);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (static_cast<unsigned char>(c) < 0x20 || c == '<') {
      char escape[8];
      std::snprintf(escape, sizeof(escape), "\\u%04x", static_cast<unsigned>(c));
      out += escape;
    } else if (bytes == 0) {
      out += "\\ufffd";
    } else {
      out += text.substr(0, bytes);
    }
    text.remove_prefix(bytes == 0 ? 1 : bytes);
  }
  return out + '"';
}

std::string series(const std::vector<long>& numbers) {
  std::string out;
  for (std::size_t i = 0; i < numbers.size();) {
    std::size_t end = i + 1;
    const long stride = end < numbers.size() ? numbers[end] - numbers[i] : 0;
    while (end < numbers.size() && numbers[end] - numbers[end - 1] == stride) ++end;
    const bool is_run = stride >= 0 && end - i >= 3;
    if (!is_run) end = i + 1;
    out += (out.empty() ? "" : ",") + std::to_string(numbers[i]);
    if (is_run && stride == 0) out += '*' + std::to_string(end - i);
    if (is_run && stride > 0) out += '-' + std::to_string(numbers[end - 1]);
    if (is_run && stride > 1) out += '/' + std::to_string(stride);
    i = end;
  }
  return out;
}

}  // namespace monofold::trace
