#include "cli/suggest.hpp"

#include <algorithm>
#include <cstddef>

namespace monofold::cli {

int edit_distance(std::string_view left, std::string_view right) {
  // Three rows of the table: distances of prefixes of `left` of lengths i - 2, i - 1 and i.
  std::vector<int> before(right.size() + 1);
  std::vector<int> above(right.size() + 1);
  std::vector<int> row(right.size() + 1);
  for (std::size_t j = 0; j <= right.size(); ++j) row[j] = static_cast<int>(j);
  for (std::size_t i = 1; i <= left.size(); ++i) {
    before.swap(above);
    above.swap(row);
    row[0] = static_cast<int>(i);
    for (std::size_t j = 1; j <= right.size(); ++j) {
      const int replaced = above[j - 1] + (left[i - 1] != right[j - 1] ? 1 : 0);
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, replaced});
      const bool swapped =
          i > 1 && j > 1 && left[i - 1] == right[j - 2] && left[i - 2] == right[j - 1];
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
  }
  return row[right.size()];
}

std::optional<std::string> nearest(std::string_view word,
                                   const std::vector<std::string>& candidates) {
  int least = word.size() <= 4 ? 2 : 3;  // one more than what still counts as near
  const std::string* best = nullptr;
  for (const std::string& candidate : candidates) {
    const int distance = edit_distance(word, candidate);
    if (distance >= least || distance >= static_cast<int>(word.size())) continue;
    least = distance;
    best = &candidate;
  }
  if (best == nullptr) return std::nullopt;
  return *best;
}

std::string suggestion(std::string_view word, const std::vector<std::string>& candidates) {
  const std::optional<std::string> meant = nearest(word, candidates);
  return meant ? " (did you mean '" + *meant + "'?)" : "";
}

}  // namespace monofold::cli
