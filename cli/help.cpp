#include "cli/help.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <string_view>

#include "cli/operation_pages.hpp"
#include "cli/table.hpp"
#include "cli/wrap.hpp"
#include "monofold/platform/version.hpp"

namespace monofold::cli {
namespace {

// Behind the longest name of an operation, softmax_denominator, where lists say what each is.
constexpr std::size_t name_column = 23;

std::string option_head(const option_entry& entry) {
  std::string head(entry.flag);
  if (!entry.value.empty()) head += ' ' + std::string(entry.value);
  return head;
}

std::string options_text(unsigned command) {
  std::string out;
  for (const option_entry& entry : options) {
    if ((entry.commands & command) == 0 || is_hidden(entry)) continue;
    std::string meaning(entry.summary);
    if (!entry.choices.empty()) {
      std::string choices(entry.choices);
      std::replace(choices.begin(), choices.end(), ' ', '|');
      meaning.insert(0, choices + ": ");
    }
    out += entry_text(option_head(entry), meaning, 24);
  }
  return out;
}

std::string group_text(operation_group group) {
  std::string out = fmt::format("\n{}:\n", title(group));
  for (const operation_page& page : operation_pages) {
    if (page.group != group) continue;
    const runtime::operation_info& facts = runtime::info(page.op);
    out += entry_text(facts.name, facts.summary, name_column);
  }
  return out;
}

constexpr std::string_view results_text = R"(
Answers:
  Standard output holds the answer and nothing else. One operation on one file
  prints the bare value; more print a table, with a row for each file and a
  total. Numbers are the shortest that read back to the same bits, and the bits
  depend on the data alone, never on threads or chunks.
  Exit code: 0 fine, 1 internal or write error, 2 usage, 3 input missing or
  malformed, 4 no such result, 5 no such device.

Examples:
  monofold sum a.npy
  monofold stats a.npy b.npy
  monofold min,max,mean prices.csv --column price --na NA
  monofold mean prices.csv --column price --by city
  zcat numbers.txt.gz | monofold mean
  monofold sum data.bin --dtype f32 --json
  monofold sum --help
)";

std::string operation_text(const operation_page& page) {
  const runtime::operation_info& facts = runtime::info(page.op);
  std::string out = fmt::format("monofold {}: {}\n\n", facts.name, facts.summary);
  out += entry_text("answer", facts.answer, 12);
  out += entry_text("NaN", page.nan, 12);
  if (!page.note.empty()) out += entry_text("note", page.note, 12);
  if (!page.options.empty()) out += entry_text("options", page.options, 12);
  out += entry_text("example", fmt::format("monofold {}", page.example), 12);
  return out;
}

}  // namespace

std::string version_text() { return fmt::format("monofold {}\n", version); }

std::string overview_text() {
  std::string out =
      "monofold OP[,OP...] [FILE...] [OPTION...]\n"
      "\n"
      "Reduces .npy files, raw arrays, text and CSV to a number, in one pass. Several\n"
      "operations read the data once. No FILE, or -, is standard input.\n";
  for (const auto group : {operation_group::sums, operation_group::extrema, operation_group::counts,
                           operation_group::bits}) {
    out += group_text(group);
  }
  out += "\nSeveral at once:\n" + entry_text(stats_name, stats_summary, name_column);
  out += "\nOther commands (monofold COMMAND --help):\n";
  for (const command_entry& entry : commands)
    out += entry_text(entry.name, entry.summary, name_column);
  out += "\nOptions:\n" + options_text(command_bit::reduce);
  return out + std::string(results_text);
}

std::string operations_text(const std::string& label, const std::vector<runtime::operation>& ops) {
  if (label == stats_name) {
    return fmt::format("monofold stats: {}\n\n", stats_summary) +
           filled(
               "One pass over the data. An answer that does not exist, such as the minimum of "
               "nothing, makes the whole file an error.",
               2) +
           entry_text("options", "--nan --ddof", 12) +
           entry_text("example", "monofold stats a.npy", 12);
  }
  std::string out;
  for (const runtime::operation op : ops) {
    if (!out.empty()) out += '\n';
    out += operation_text(operation_pages[static_cast<std::size_t>(op)]);
  }
  return out;
}

std::string command_text(const command_entry& entry) {
  std::string out = fmt::format("monofold {}", entry.name);
  if (!entry.arguments.empty()) out += ' ' + std::string(entry.arguments);
  out += " [OPTION...]\n\n" + filled(entry.summary, 2) + "\nOptions:\n";
  return out + options_text(entry.bit);
}

}  // namespace monofold::cli
