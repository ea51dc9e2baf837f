#pragma once
/// cli/split_words: tells options, their values and other words apart, by the list of options.

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace monofold::cli {

/// The words of one command.
struct split_command {
  std::vector<std::string> words;  // what is no option and no option's value
  std::map<std::string_view, std::vector<std::string>> values;

  bool has(std::string_view flag) const { return values.count(flag) != 0; }
  /// The value of an option; of several the last.
  std::optional<std::string> value(std::string_view flag) const {
    const auto found = values.find(flag);
    if (found == values.end()) return std::nullopt;
    return found->second.back();
  }
};

/// Sorts `args` by the options that belong to the command with this bit.
///
/// errors     `usage_error`: no such option, a value that is missing or not among the choices
split_command split_words(const std::vector<std::string>& args, unsigned command);

}  // namespace monofold::cli
