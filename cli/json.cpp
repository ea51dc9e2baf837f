#include "cli/json.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "cli/utf8.hpp"

namespace monofold::cli {

std::string json_text(std::string_view text) {
  std::string out = "\"";
  while (!text.empty()) {
    const char c = text[0];
    const utf8_prefix character = utf8_prefix_of(text);
    constexpr std::string_view plain = "\"\\\b\f\n\r\t";
    constexpr std::string_view letters = "\"\\bfnrt";
    if (!character.complete) {
      out += "\xef\xbf\xbd";
    } else if (const std::size_t at = plain.find(c); at != std::string_view::npos) {
      out += {'\\', letters[at]};
    } else if (static_cast<unsigned char>(c) < 0x20) {
      out += fmt::format("\\u{:04x}", c);
    } else {
      out += text.substr(0, character.num_bytes);
    }
    text.remove_prefix(character.num_bytes);
  }
  return out + '"';
}

std::string json_text(double value) {
  if (!std::isfinite(value)) return "null";
  std::string out = fmt::format("{}", value);
  return out.find_first_of(".e") == std::string::npos ? out + ".0" : out;
}

json_object& json_object::add_json(std::string_view name, std::string_view json) {
  members_ += members_.empty() ? '{' : ',';
  members_ += fmt::format("{}:{}", json_text(name), json);
  return *this;
}

std::string_view json_member(std::string_view object, std::string_view name) {
  const std::string key = fmt::format("\"{}\":", name);
  const std::size_t at = object.find(key);
  if (at == std::string_view::npos) return {};
  object.remove_prefix(at + key.size());
  const bool is_string = object.starts_with('"');
  object.remove_prefix(is_string ? 1 : 0);
  return object.substr(0, object.find_first_of(is_string ? "\"" : ",}"));
}

}  // namespace monofold::cli
