#include "ladder/pages.hpp"

#include <algorithm>
#include <map>
#include <stdexcept>

namespace monofold::ladder {

namespace {

// A section's text begins in this column; what is indented further is a drawing.
constexpr std::size_t text_column = 9;

std::vector<std::string> lines_of(std::string_view comment) {
  std::vector<std::string> lines;
  while (!comment.empty()) {
    const std::size_t end = std::min(comment.find('\n'), comment.size());
    std::string line(comment.substr(0, end));
    line.erase(0, std::min<std::size_t>(line.size(), line.rfind("/// ", 0) == 0 ? 4 : 3));
    lines.push_back(line);
    comment.remove_prefix(std::min(end + 1, comment.size()));
  }
  return lines;
}

std::string without_indent(const std::vector<std::string>& lines) {
  std::size_t least = std::string::npos;
  for (const std::string& line : lines) least = std::min(least, line.find_first_not_of(' '));
  std::string out;
  for (const std::string& line : lines) out += line.substr(least) + '\n';
  return out;
}

}  // namespace

page page_of(std::string_view name) {
  const auto& all = rung_comments();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const auto& own) { return own.name == name; });
  if (found == all.end()) throw std::out_of_range("no page of rung " + std::string(name));
  std::map<std::string, std::string> sections;
  std::vector<std::string> drawing;
  std::string section = "title";
  for (const std::string& line : lines_of(found->text)) {
    const std::size_t begin = line.find_first_not_of(' ');
    if (begin == std::string::npos) continue;
    if (begin > text_column) {
      drawing.push_back(line);
      continue;
    }
    std::string text = line.substr(begin);
    if (begin == 0) {
      const bool is_title = section == "title" && sections.empty();
      const std::size_t end = text.find(is_title ? ": " : " ");
      if (!is_title) section = text.substr(0, end);
      const std::size_t from = is_title ? end + 2 : text.find_first_not_of(' ', end);
      text = from == std::string::npos ? "" : text.substr(from);
    }
    std::string& so_far = sections[section];
    so_far += (so_far.empty() ? "" : " ") + text;
  }
  return {sections["title"], sections["idea"],    without_indent(drawing), sections["bytes"],
          sections["limit"], sections["mistake"], sections["next"]};
}

}  // namespace monofold::ladder
