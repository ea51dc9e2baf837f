#include "cli/split_words.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstddef>
#include <utility>

#include "cli/failure.hpp"
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

void check_choice(const option_entry& entry, const std::string& value) {
  if (entry.choices.empty()) return;
  std::vector<std::string> choices;
  for (const std::string& choice : CLI::detail::split(std::string(entry.choices), ' ')) {
    if (choice == value) return;
    choices.push_back(choice);
  }
  throw usage_error(fmt::format("{}: expected {}, found {}{}", entry.flag, fmt::join(choices, ", "),
                                quote(value), suggestion(value, choices)));
}

const option_entry* find_option(const std::string& flag, unsigned command) {
  const auto found = std::find_if(options.begin(), options.end(), [&](const option_entry& entry) {
    return entry.flag == flag && (entry.commands & command) != 0;
  });
  return found == options.end() ? nullptr : &*found;
}

// Makes "--flag=" into "--flag" and an empty value, since the parser would take the next word for
// its value, and rejects "--flag=value" where the option takes none, which the parser would read as
// true or false.
std::vector<std::string> settle_values(const std::vector<std::string>& args, unsigned command) {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < args.size(); ++i) {
    const std::string& word = args[i];
    if (word == "--") {  // what follows is files
      out.insert(out.end(), args.begin() + static_cast<std::ptrdiff_t>(i), args.end());
      break;
    }
    out.push_back(word);
    const std::string flag = flag_of(word);
    const option_entry* const entry = find_option(flag, command);
    if (entry == nullptr) continue;
    if (flag.size() == word.size()) {
      if (!entry->value.empty() && i + 1 < args.size()) out.push_back(args[++i]);
      continue;
    }
    const std::string value = word.substr(flag.size() + 1);
    if (entry->value.empty()) {
      throw usage_error(
          fmt::format("option {} takes no value, found {}", quote(flag), quote(value)));
    }
    if (value.empty()) {
      out.back() = flag;
      out.push_back(value);
    }
  }
  return out;
}

}  // namespace

split_command split_words(const std::vector<std::string>& args, unsigned command) {
  split_command out;
  CLI::App app;
  app.set_help_flag();
  app.allow_extras();
  app.add_option("words", out.words);
  for (const option_entry& entry : options) {
    if ((entry.commands & command) == 0) continue;
    const std::string flag(entry.flag);
    if (entry.value.empty()) {
      app.add_flag_callback(flag, [&out, &entry] { out.values[entry.flag] = {""}; });
      continue;
    }
    app.add_option_function<std::vector<std::string>>(
           flag,
           [&out, &entry](const std::vector<std::string>& given) {
             for (const std::string& value : given) check_choice(entry, value);
             out.values[entry.flag] = given;
           })
        ->expected(1)
        ->allow_extra_args(false)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  }
  try {
    std::vector<std::string> words = settle_values(args, command);
    std::reverse(words.begin(), words.end());  // it takes them from the back
    app.parse(std::move(words));
  } catch (const CLI::ArgumentMismatch& error) {
    throw usage_error(fmt::format(
        "option {} needs a value",
        quote(std::string(error.what()).substr(0, std::string(error.what()).find(':')))));
  } catch (const CLI::ParseError& error) {
    throw usage_error(error.what());
  }
  for (const std::string& word : app.remaining()) {
    if (word.size() > 1 && word[0] == '-' && word != "--") fail_unknown(word, command);
    if (word != "--") out.words.push_back(word);
  }
  return out;
}

}  // namespace monofold::cli
