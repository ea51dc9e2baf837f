#include "cli/ladder_pages.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <sstream>
#include <string_view>
#include <vector>

#include "cli/joined.hpp"
#include "cli/json.hpp"
#include "cli/wrap.hpp"
#include "ladder/pages.hpp"

namespace monofold::cli {
namespace {

using ladder::order;
using ladder::rung;

/// The golden row of a rung: of its first operator on int32. Empty: there is none.
std::string_view measured_row(std::string_view name) {
  for (std::string_view rows = ladder::golden_rows(); !rows.empty();) {
    const std::string_view row = rows.substr(0, rows.find('\n'));
    rows.remove_prefix(std::min(row.size() + 1, rows.size()));
    if (json_member(row, "name") == name && !json_member(row, "gbps").empty()) return row;
  }
  return {};
}

std::string measured_text(const rung& which) {
  const std::string_view row = measured_row(which.name);
  if (row.empty()) return {};
  const auto text = [&](std::string_view name) { return json_member(row, name); };
  const auto number = [&](std::string_view name) { return std::stod(std::string(text(name))); };
  return fmt::format("{:.2f} GB/s, {:.1f} % of the read limit ({} of {} {}, {})", number("gbps"),
                     100 * number("share"), text("operator"), text("n"), text("dtype"),
                     text("device"));
}

template <class Names>
std::string names_in(const Names& names, unsigned set) {
  std::vector<std::string_view> out;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if ((set >> i & 1u) != 0) out.push_back(names[i]);
  }
  return joined(out, ", ");
}

std::string needs_text(const rung& which) {
  std::string out;
  const auto& needs = which.needs;
  if (needs.most_items != 0) out += fmt::format("up to {} items", needs.most_items);
  if (needs.multiple_of != 1) out += fmt::format("n a multiple of {}, not 0", needs.multiple_of);
  if (out.empty()) out = "any n";
  if (needs.items_per_result != 0) {
    out += fmt::format("; one result for each {} items", needs.items_per_result);
  }
  return needs.destroys_input ? out + "; destroys its input" : out;
}

std::string order_text(const rung& which) {
  return which.keeps == order::kept ? "kept (any associative operator)"
                                    : "not kept (commutative operators)";
}

std::string indented(const std::string& lines, std::size_t columns) {
  std::istringstream in(lines);
  std::string out;
  for (std::string line; std::getline(in, line);) out += std::string(columns, ' ') + line + '\n';
  return out;
}

std::string capital(std::string word) {
  word[0] = static_cast<char>(word[0] - 'a' + 'A');
  return word;
}

/// Whether Markdown takes this word at the start of a line for more than a word: a list, a heading or a quotation.
bool is_markup(std::string_view word) {
  return word == "+" || word == "-" || word == "*" || word == "1." || word.starts_with('#') ||
         word.starts_with('>');
}

/// Lines of Markdown: none begins with a word that would be markup there.
std::string markdown_lines(std::string text, std::size_t indent) {
  constexpr std::size_t columns = 120;  // which tools/check_prose.py asks for
  constexpr char tied = '\1';           // a blank where no line ends
  for (std::size_t blank = 0; (blank = text.find(' ', blank)) != text.npos; ++blank) {
    const std::size_t next = blank + 1;
    if (is_markup(std::string_view(text).substr(next, text.find(' ', next) - next))) {
      text[blank] = tied;
    }
  }
  std::string out = filled(text, indent, columns);
  std::ranges::replace(out, tied, ' ');
  return out;
}

/// An item of a list of Markdown.
std::string list_item(std::string_view title, const std::string& text) {
  std::string out = markdown_lines(fmt::format("**{}**: {}", capital(std::string(title)), text), 2);
  out[0] = '-';
  return out;
}

std::string section(const rung& which) {
  const ladder::page page = ladder::page_of(which.name);
  std::string out = fmt::format("\n### `{}`\n\n{}\n```\n{}```\n\n", which.name,
                                markdown_lines(page.idea, 0), page.drawing);
  for (const auto& [title, text] : ladder_facts(which)) {
    if (!text.empty()) out += list_item(title, text);
  }
  return out +
         fmt::format("- **Code**: [ladder/rungs/{0}.cuh](../ladder/rungs/{0}.cuh)\n", which.name);
}

constexpr std::string_view introduction =
    R"(# The ladder: how a parallel reduction gets fast, one idea at a time

Each rung is one kernel in one file of [ladder/rungs](../ladder/rungs), written to be read and to run: `monofold ladder`
runs all of them, on a GPU or on the [emulated device](emulated.md), checks every result against a loop on the host, and
prints how fast they are; `monofold ladder --explain NAME` prints a page, and `monofold ladder NAME --trace FILE.html`
plays the rung step by step ([traces](traces.md)). `monofold ladder --report FILE.html` writes the measurements as a
page, with all traces. This file is what `monofold ladder --markdown` prints; do not edit it.

Throughout: n items, blocks of B = 256 threads (1024 or 512 where one block works alone), G blocks, warps of 32 lanes.
Warp rungs take 32 items, whatever n is. Block rungs give one result a block of B items; who joins these is what the
grid rungs differ in. GB/s counts the bytes of the items once. The read limit is a kernel that only reads them, measured
in the same run.
)";

constexpr std::string_view level_texts[] = {
    "## Warp rungs: 32 values, one warp\n\nA launch for 32 items is all latency: the figures say "
    "little. These are the parts of which larger kernels are "
    "made.\n",
    "## Block rungs: one block\n", "## Grid rungs: many blocks\n",
    "## Selection rungs: the two largest\n"};

std::string overview() {
  std::string out = "\n| rung | order | operators | measured on an H200 |\n|---|---|---|---|\n";
  for (const rung& which : ladder::rungs) {
    out += fmt::format("| [{0}](#{0}) | {1} | {2} | {3} |\n", which.name, name_of(which.keeps),
                       names_in(ladder::operation_names, which.operators), measured_text(which));
  }
  return out;
}

}  // namespace

std::vector<std::pair<std::string, std::string>> ladder_facts(const rung& which) {
  const ladder::page page = ladder::page_of(which.name);
  return {{"bytes", page.bytes},
          {"limit", page.limit},
          {"measured", measured_text(which)},
          {"next", page.next},
          {"mistake", page.mistake},
          {"order", order_text(which)},
          {"operators", fmt::format("{} on {}", names_in(ladder::operation_names, which.operators),
                                    names_in(ladder::element_names, which.types))},
          {"needs", needs_text(which)}};
}

std::string ladder_page_text(const rung& which) {
  constexpr std::size_t column = 13;
  const ladder::page page = ladder::page_of(which.name);
  std::string out = fmt::format("monofold ladder, {}: {}\n\n", which.name, page.title);
  out += entry_text("idea", page.idea, column) + '\n' + indented(page.drawing, column) + '\n';
  for (const auto& [title, text] : ladder_facts(which)) {
    if (!text.empty()) out += entry_text(title, text, column);
  }
  return out;
}

std::string ladder_markdown() {
  std::string out(introduction);
  if (!ladder::golden_rows().empty()) {
    out +=
        "\n![GB/s of each rung on an H200, the read limit and CUB as lines](figures/ladder.png)\n";
  }
  out += overview();
  for (std::size_t i = 0; i < ladder::rungs.size(); ++i) {
    const rung& which = ladder::rungs[i];
    if (ladder::begins_level(i)) {
      out += '\n' + std::string(level_texts[static_cast<std::size_t>(which.who)]);
    }
    out += section(which);
  }
  return out;
}

}  // namespace monofold::cli
