#include "cli/split_words.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <string_view>

#include "cli/failure.hpp"
#include "cli/joined.hpp"
#include "cli/options.hpp"
#include "cli/quote.hpp"
#include "cli/suggest.hpp"

namespace monofold::cli {
namespace {

// The flag alone of "--flag=value".
std::string flag_of(const std::string& word) { return word.substr(0, word.find('=')); }

[[noreturn]] void fail_unknown(const std::string& word, unsigned command) {
  const std::string flag = flag_of(word);
  std::vector<std::string> own;
  for (const option_entry& entry : options) {
    if (entry.flag == flag && !is_hidden(entry)) {
      const auto owner = std::find_if(commands.begin(), commands.end(), [&](const auto& other) {
        return (other.bit & entry.commands) != 0;
      });
      const bool of_reduction = (entry.commands & command_bit::reduce) != 0;
      throw usage_error(fmt::format("option {} does not belong here; it is for {}", quote(flag),
                                    of_reduction ? "operations" : owner->name));
    }
    if ((entry.commands & command) != 0 && !is_hidden(entry)) own.emplace_back(entry.flag);
  }
  // Every short option is one edit from every other.
  const std::string hint = flag.size() > 2 ? suggestion(flag, own) : "";
  throw usage_error(fmt::format("unknown option {}{}", quote(flag), hint));
}

const option_entry& find_option(const std::string& flag, const std::string& word,
                                unsigned command) {
  const auto found = std::find_if(options.begin(), options.end(), [&](const option_entry& entry) {
    return entry.flag == flag && (entry.commands & command) != 0;
  });
  if (found == options.end()) fail_unknown(word, command);
  return *found;
}

void check_choice(const option_entry& entry, const std::string& value) {
  std::vector<std::string> choices;
  for (std::string_view rest = entry.choices; !rest.empty();) {
    choices.emplace_back(rest.substr(0, rest.find(' ')));
    rest.remove_prefix(std::min(choices.back().size() + 1, rest.size()));
    if (choices.back() == value) return;
  }
  if (choices.empty()) return;
  throw usage_error(fmt::format("{}: expected {}, found {}{}", entry.flag, joined(choices, ", "),
                                quote(value), suggestion(value, choices)));
}

}  // namespace

split_command split_words(const std::vector<std::string>& args, unsigned command) {
  split_command out;
  for (std::size_t i = 0; i < args.size(); ++i) {
    const std::string& word = args[i];
    if (word == "--") {  // what follows is files
      out.words.insert(out.words.end(), args.begin() + static_cast<std::ptrdiff_t>(i) + 1,
                       args.end());
      break;
    }
    if (word.size() < 2 || word[0] != '-') {
      out.words.push_back(word);
      continue;
    }
    // --flag=value, or -kvalue; else the value is the next word, whatever it begins with.
    const bool is_long = word[1] == '-';
    const std::string flag = is_long ? flag_of(word) : word.substr(0, 2);
    const option_entry& entry = find_option(flag, word, command);
    std::vector<std::string>& values = out.values[entry.flag];
    const bool has_value = word.size() > flag.size();
    std::string value = has_value ? word.substr(flag.size() + (is_long ? 1 : 0)) : "";
    if (entry.value.empty() && has_value) {
      throw usage_error(
          fmt::format("option {} takes no value, found {}", quote(flag), quote(value)));
    }
    if (!entry.value.empty() && !has_value) {
      if (++i == args.size())
        throw usage_error(fmt::format("option {} needs a value", quote(flag)));
      value = args[i];
    }
    check_choice(entry, value);
    values.push_back(value);
  }
  return out;
}

}  // namespace monofold::cli
