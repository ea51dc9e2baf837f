#include "trace/source_pane.hpp"

#include <algorithm>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "trace/source_lines.hpp"

namespace monofold::trace {

namespace {

constexpr int most_lines = 90;  // of a piece

std::string folder_of(const std::string& file) { return file.substr(0, file.rfind('/') + 1); }

bool ends_with(const std::string& text, const std::string& end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

using frames = std::vector<source_line>;  // innermost first

/// The frames of a stack, whose addresses are the kernel's first.
frames frames_of(const std::vector<std::uintptr_t>& stack,
                 const std::map<std::uintptr_t, frames>& lines) {
  frames out;
  for (auto at = stack.rbegin(); at != stack.rend(); ++at) {
    const frames& own = lines.at(*at);
    out.insert(out.end(), own.begin(), own.end());
  }
  return out;
}

source_line chosen(const frames& all) {
  if (all.empty()) return {};
  const std::string home = folder_of(all.back().file);
  for (const source_line& own : all) {
    if (folder_of(own.file) == home) return own;
  }
  return {};
}

std::vector<std::string> lines_of_text(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> out;
  for (std::string line; std::getline(in, line);) out.push_back(line);
  return out;
}

source_piece piece_of(const std::string& file, const std::set<int>& used,
                      const std::vector<std::pair<std::string, std::string>>& sources) {
  source_piece out;
  std::vector<std::string> lines;
  for (const auto& [name, text] : sources) {
    if (!ends_with(file, name)) continue;
    out.name = name;
    lines = lines_of_text(text);
  }
  if (out.name.empty()) {
    // No path of this machine: a file of the library by its place there, another by its name.
    const std::size_t include = file.rfind("include/monofold/");
    out.name = file.substr(include == std::string::npos ? file.rfind('/') + 1 : include);
    std::ifstream in(file);
    std::stringstream text;
    text << in.rdbuf();
    lines = lines_of_text(text.str());
  }
  const int count = static_cast<int>(lines.size());
  if (count < *used.rbegin()) return {};
  int first = 1;
  for (int i = 1; i < *used.begin(); ++i) {
    const std::string& line = lines[static_cast<std::size_t>(i - 1)];
    if (line.rfind("#include", 0) == 0 || line.rfind("namespace ", 0) == 0) first = i + 1;
  }
  first = std::max(first, *used.begin() - most_lines / 2);
  while (first < *used.begin() && lines[static_cast<std::size_t>(first - 1)].empty()) ++first;
  int last = std::min({count, first + most_lines - 1, *used.rbegin() + 12});
  last = std::max(last, std::min(*used.rbegin() + 2, count));
  out.first = first;
  out.lines.assign(lines.begin() + first - 1, lines.begin() + last);
  return out;
}

}  // namespace

source_pane make_source_pane(const std::vector<std::vector<std::uintptr_t>>& stacks,
                             const std::vector<std::pair<std::string, std::string>>& sources) {
  std::map<std::uintptr_t, frames> lines;
  for (const auto& stack : stacks) {
    for (const std::uintptr_t address : stack) lines[address];
  }
  std::vector<std::uintptr_t> addresses;
  for (const auto& own : lines) addresses.push_back(own.first);
  const auto found = lines_of(addresses);
  for (std::size_t i = 0; i < addresses.size(); ++i) lines[addresses[i]] = found[i];

  std::vector<source_line> places;
  std::map<std::string, std::set<int>> used;
  for (const auto& stack : stacks) {
    places.push_back(chosen(frames_of(stack, lines)));
    if (!places.back().file.empty()) used[places.back().file].insert(places.back().line);
  }
  source_pane out;
  std::map<std::string, int> numbers;
  for (const source_line& place : places) {
    if (!place.file.empty() && numbers.count(place.file) == 0) {
      source_piece piece = piece_of(place.file, used[place.file], sources);
      numbers[place.file] = piece.lines.empty() ? -1 : static_cast<int>(out.pieces.size());
      if (!piece.lines.empty()) out.pieces.push_back(std::move(piece));
    }
    const int number = place.file.empty() ? -1 : numbers[place.file];
    out.places.emplace_back(number, number < 0 ? 0 : place.line);
  }
  return out;
}

}  // namespace monofold::trace
