#include "cli/completion.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "cli/joined.hpp"
#include "cli/operation_pages.hpp"
#include "cli/options.hpp"
#include "ladder/registry.hpp"
#include "monofold/platform/dtype.hpp"

namespace monofold::cli {
namespace {

std::vector<std::string> operation_words() {
  std::vector<std::string> words;
  words.reserve(runtime::operations.size() + 1);
  for (const auto& entry : runtime::operations) words.emplace_back(entry.name);
  words.emplace_back(stats_name);
  return words;
}

std::string type_words() {
  std::vector<std::string> words;
  words.reserve(dtypes.size());
  for (const dtype_info& entry : dtypes) words.emplace_back(entry.name);
  return joined(words, " ");
}

std::string rung_words() {
  std::vector<std::string> words;
  words.reserve(ladder::rungs.size());
  for (const ladder::rung& entry : ladder::rungs) words.emplace_back(entry.name);
  return joined(words, " ");
}

// The values that an option takes, where they can be listed.
std::string choices_of(const option_entry& entry) {
  if (entry.flag == "--dtype") return type_words();
  if (entry.flag == "--ops") return joined(operation_words(), " ");
  if (entry.flag == "--op") return joined(ladder::operation_names, " ");
  if (entry.flag == "--only" || entry.flag == "--explain") return rung_words();
  return std::string(entry.choices);
}

// Whether its value is several choices with commas between them.
bool is_list(const option_entry& entry) { return entry.flag == "--ops"; }

std::vector<const option_entry*> options_of(unsigned command) {
  std::vector<const option_entry*> own;
  for (const option_entry& entry : options) {
    if ((entry.commands & command) != 0 && !is_hidden(entry)) own.push_back(&entry);
  }
  return own;
}

std::string flags_of(unsigned command) {
  std::vector<std::string> flags;
  for (const option_entry* entry : options_of(command)) flags.emplace_back(entry->flag);
  return joined(flags, " ");
}

std::string bash_values() {
  std::string out;
  for (const option_entry& entry : options) {
    if (is_hidden(entry) || entry.value.empty()) continue;
    // A flag that commands share has the choices of the first, which are the most.
    const auto first = std::find_if(options.begin(), options.end(), [&](const option_entry& other) {
      return other.flag == entry.flag;
    });
    if (&*first != &entry) continue;
    const std::string choices = choices_of(entry);
    std::string reply;
    if (is_list(entry)) {
      reply = fmt::format("COMPREPLY=($(compgen -P \"$head\" -W '{}' -- \"$last\"))", choices);
    } else if (!choices.empty()) {
      reply = fmt::format("COMPREPLY=($(compgen -W '{}' -- \"$word\"))", choices);
    }
    out += fmt::format("    {}) {}{}return ;;\n", entry.flag, reply, reply.empty() ? "" : "; ");
  }
  return out;
}

std::string bash_flags() {
  std::string out;
  for (const command_entry& entry : commands) {
    out += fmt::format("      {}) flags='{}' ;;\n", entry.name, flags_of(entry.bit));
  }
  return out + fmt::format("      *) flags='{}' ;;\n", flags_of(command_bit::reduce));
}

std::string bash_completion() {
  std::vector<std::string> names;
  names.reserve(commands.size());
  for (const command_entry& entry : commands) names.emplace_back(entry.name);
  const std::string out =
      "# bash completion for monofold; made by: monofold --completion bash\n"
      "_monofold() {\n"
      "  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} flags\n"
      "  local head='' last=${word##*,} first\n"
      "  [[ $word == *,* ]] && head=${word%,*},\n"
      "  COMPREPLY=()\n"
      "  case $before in\n" +
      bash_values() +
      "  esac\n"
      "  if [[ $word == -* ]]; then\n"
      "    case ${COMP_WORDS[1]} in\n" +
      bash_flags() +
      "    esac\n"
      "    COMPREPLY=($(compgen -W \"$flags\" -- \"$word\"))\n"
      "  elif [[ $COMP_CWORD -eq 1 ]]; then\n";
  return out + fmt::format("    first='{}'\n", joined(operation_words(), " ")) +
         fmt::format("    [[ $word == *,* ]] || first+=' {}'\n", joined(names, " ")) +
         "    COMPREPLY=($(compgen -P \"$head\" -W \"$first\" -- \"$last\"))\n"
         "  else\n"
         "    COMPREPLY=($(compgen -f -- \"$word\"))\n"
         "  fi\n"
         "}\n"
         "complete -o filenames -F _monofold monofold\n";
}

// What zsh reads as syntax inside a specification.
std::string zsh_escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\'') {
      out += "'\\''";
      continue;
    }
    if (c == ':' || c == '[' || c == ']' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

std::string zsh_options(unsigned command, std::string_view indent) {
  std::string out;
  for (const option_entry* entry : options_of(command)) {
    const std::string repeat = entry->flag == "--na" ? "*" : "";
    std::string value;
    if (!entry->value.empty()) {
      const std::string choices = choices_of(*entry);
      std::string action = choices.empty() ? " " : "(" + choices + ")";
      if (is_list(*entry)) action = "_values -s , operation " + choices;
      value = fmt::format(":{}:{}", zsh_escaped(entry->value), action);
    }
    out += fmt::format(" \\\n{}'{}{}[{}]{}'", indent, repeat, entry->flag,
                       zsh_escaped(entry->summary), value);
  }
  return out;
}

std::string zsh_completion() {
  std::string out =
      "#compdef monofold\n"
      "# zsh completion for monofold; made by: monofold --completion zsh\n"
      "_monofold_first() {\n"
      "  local -a operations commands\n"
      "  operations=(\n";
  for (const auto& entry : runtime::operations) {
    out += fmt::format("    '{}:{}'\n", entry.name, zsh_escaped(entry.summary));
  }
  out += fmt::format("    '{}:{}'\n  )\n  commands=(\n", stats_name, zsh_escaped(stats_summary));
  for (const command_entry& entry : commands) {
    out += fmt::format("    '{}:{}'\n", entry.name, zsh_escaped(entry.summary));
  }
  out +=
      "  )\n"
      "  compset -P '*,' && commands=()\n"
      "  _describe operation operations\n"
      "  (( $#commands )) && _describe command commands\n"
      "}\n"
      "_monofold() {\n"
      "  case $words[2] in\n";
  for (const command_entry& entry : commands) {
    out += fmt::format("    {}) _arguments '1: :_monofold_first'{}{} ;;\n", entry.name,
                       zsh_options(entry.bit, "      "),
                       entry.takes_files ? " \\\n      '*:file:_files'" : "");
  }
  return out + "    *) _arguments '1: :_monofold_first'" +
         zsh_options(command_bit::reduce, "      ") +
         " \\\n      '*:file:_files' ;;\n"
         "  esac\n"
         "}\n"
         "_monofold \"$@\"\n";
}

}  // namespace

std::string completion(const std::string& shell) {
  return shell == "bash" ? bash_completion() : zsh_completion();
}

}  // namespace monofold::cli
