#include "trace/json_text.hpp"

#include <cstdio>

namespace monofold::trace {

std::string quote(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (byte < 0x20 || c == '<') {
      char escape[8];
      std::snprintf(escape, sizeof(escape), "\\u%04x", byte);
      out += escape;
    } else {
      out += c;
    }
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
