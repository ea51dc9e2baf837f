#pragma once
/// bench/harness/suite_options: what every suite can be asked, and how it reads its own options.

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/harness/samples.hpp"

namespace bench {

/// The options that all suites have.
struct suite_options {
  sampling how;         // --samples
  std::string only;     // --only: words, with a comma before and behind each; empty: all
  std::string json;     // --json: a file for the rows; empty: none
  std::string machine;  // --machine: what the rows call it

  /// Whether --only has the word.
  bool names(std::string_view word) const;
};

/// Reads the options of all suites into `common`; of the others, `flag` takes those without a value
/// and `take` those with one, and both say whether there is such an option. --help ends the program.
///
/// errors     std::runtime_error: no such option, or no value
void parse_words(
    const std::vector<std::string>& words, const char* usage, suite_options& common,
    const std::function<bool(const std::string& name)>& flag,
    const std::function<bool(const std::string& name, const std::string& value)>& take);

/// The same for a suite without options of its own; `chosen` has what holds where nothing is asked.
suite_options parse_words(const std::vector<std::string>& words, const char* usage,
                          suite_options chosen);

/// What `main` of a suite returns: 0, or 1 where `run`, given the words, counts wrong results, or 2
/// with a line on standard error where it throws.
int run_suite(const char* name, int argc, char** argv,
              const std::function<int(const std::vector<std::string>& words)>& run);

}  // namespace bench
