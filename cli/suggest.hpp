#pragma once
/// cli/suggest: which known word was meant by a mistyped one.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace monofold::cli {

/// The least number of single-character insertions, deletions, replacements and swaps of neighbours
/// that turn one word into the other, no character edited twice.
///
/// source     optimal string alignment: Damerau 1964, CACM 7(3); Wagner and Fischer 1974
/// tested by  tests/cli/suggest_test.cpp
int edit_distance(std::string_view left, std::string_view right);

/// The nearest candidate (the first of several), if it is near: at most one edit for words of up to
/// four characters, two above, and never all characters of the word.
std::optional<std::string> nearest(std::string_view word,
                                   const std::vector<std::string>& candidates);

/// " (did you mean 'sum'?)", or nothing where nothing is near.
std::string suggestion(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace monofold::cli
