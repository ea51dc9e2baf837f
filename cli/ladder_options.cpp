#include "cli/ladder_options.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <vector>

#include "cli/failure.hpp"
#include "cli/joined.hpp"
#include "cli/quantity.hpp"
#include "cli/quote.hpp"
#include "cli/suggest.hpp"

namespace monofold::cli {

namespace {

// Which of `names` a word is.
template <class Names>
std::size_t parse_name(std::string_view option, const std::string& text, const Names& names,
                       std::string_view kind) {
  std::vector<std::string> known;
  known.reserve(names.size());
  for (const auto& name : names) known.emplace_back(name);
  const auto found = std::find(known.begin(), known.end(), text);
  if (found != known.end()) return static_cast<std::size_t>(found - known.begin());
  throw usage_error(
      fmt::format("{}: unknown {} {}{}", option, kind, quote(text), suggestion(text, known)));
}

ladder::rung_id parse_rung(std::string_view option, const std::string& text) {
  std::vector<std::string_view> names;
  names.reserve(ladder::rungs.size());
  for (const ladder::rung& entry : ladder::rungs) names.push_back(entry.name);
  return static_cast<ladder::rung_id>(parse_name(option, text, names, "rung"));
}

ladder::element_type parse_rung_type(const std::string& text) {
  const std::string_view name = info(parse_dtype(text)).name;
  const auto& names = ladder::element_names;
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) {
    throw usage_error(fmt::format("--dtype: rungs take {}, not {}", joined(names, ", "), name));
  }
  return static_cast<ladder::element_type>(found - names.begin());
}

// The rungs to play, one or two, and the files that are asked for.
void parse_trace(const split_command& split, ladder_command& out) {
  out.show = ladder_output::trace;
  out.trace_page = split.value("--trace").value_or("");
  out.trace_json = split.value("--trace-json").value_or("");
  std::vector<std::string> names = split.words;
  if (const auto text = split.value("--only")) names.push_back(*text);
  if (names.empty()) {
    throw usage_error(
        "--trace: which rung? for example: monofold ladder warp_shuffle --trace a.html");
  }
  if (names.size() > 2) {
    throw usage_error(fmt::format("--trace: at most two rungs, found {}", names.size()));
  }
  for (const std::string& name : names) out.traced.push_back(parse_rung("--trace", name));
  if (const auto text = split.value("--op")) {
    out.trace_op = static_cast<ladder::trace_operation>(
        parse_name("--trace", *text, ladder::trace_operation_names, "operator"));
  }
  if (split.has("--dtype") &&
      parse_rung_type(*split.value("--dtype")) != ladder::element_type::int32) {
    throw usage_error("--trace: items are int32");
  }
  if (split.value("--device").value_or("emulated") != "emulated") {
    throw usage_error("--trace: only the emulated device sees what threads do");
  }
  if (split.has("--json")) throw usage_error("--trace: --trace-json FILE writes JSON");
  out.with_mistake = split.has("--mistake");
}

// A report has all rungs, as a page, so flags for rungs and forms are refused.
void parse_report(const split_command& split, ladder_command& out) {
  out.show = ladder_output::report;
  out.report_page = *split.value("--report");
  for (const char* const flag : {"--only", "--json", "--markdown", "--explain"}) {
    if (split.has(flag))
      throw usage_error(fmt::format("--report shows every rung: leave {} out", flag));
  }
  if (out.device == "emulated") {
    throw usage_error("--report: times of the emulated device say nothing of a GPU");
  }
}

}  // namespace

ladder_command parse_ladder(const split_command& split) {
  ladder_command out;
  if (const auto text = split.value("--n")) out.num_items = parse_quantity("--n", *text, 0);
  if (split.has("--trace") || split.has("--trace-json")) {
    if (split.has("--report"))
      throw usage_error("--report makes traces of every rung: leave --trace out");
    parse_trace(split, out);
    return out;
  }
  if (split.has("--mistake")) throw usage_error("--mistake is for --trace");
  if (!split.words.empty()) {
    throw usage_error(fmt::format("ladder takes no file, found {}", quote(split.words[0])));
  }
  if (const auto text = split.value("--device")) out.device = *text;
  if (const auto text = split.value("--only")) out.only = parse_rung("--only", *text);
  if (const auto text = split.value("--op")) {
    out.op = static_cast<ladder::operation>(
        parse_name("--op", *text, ladder::operation_names, "operator"));
  }
  if (const auto text = split.value("--dtype")) out.type = parse_rung_type(*text);
  if (split.has("--report")) {
    parse_report(split, out);
    return out;
  }
  if (split.has("--json")) out.form = output_form::json;
  if (split.has("--markdown")) out.show = ladder_output::markdown;
  if (const auto text = split.value("--explain")) {
    out.only = parse_rung("--explain", *text);
    out.show = ladder_output::page;
  }
  return out;
}

}  // namespace monofold::cli
