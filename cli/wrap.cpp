#include "cli/wrap.hpp"

#include <algorithm>

namespace monofold::cli {

std::string filled(std::string_view text, std::size_t indent, std::size_t columns) {
  std::string out;
  std::string line;
  const auto flush = [&] { out += std::string(indent, ' ') + line + '\n'; };
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    if (!line.empty() && indent + line.size() + 1 + end > columns) {
      flush();
      line.clear();
    }
    line += (line.empty() ? "" : " ") + std::string(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  if (!line.empty()) flush();
  return out;
}

std::string entry_text(std::string_view word, std::string_view meaning, std::size_t column) {
  std::string body = filled(meaning, column);
  const std::string head = "  " + std::string(word);
  if (head.size() + 2 > column) return head + '\n' + body;
  return head + body.substr(head.size());
}

}  // namespace monofold::cli
