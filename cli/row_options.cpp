#include "cli/row_options.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "cli/answer_text.hpp"
#include "cli/failure.hpp"
#include "cli/joined.hpp"
#include "cli/quantity.hpp"
#include "cli/quote.hpp"

namespace monofold::cli {
namespace {

/// What either option asks of the rest of the command.
void check_rest(std::string_view flag, const split_command& split, const reduce_command& command,
                std::initializer_list<std::string_view> refused) {
  const bool is_dot = command.what.ops.front() == runtime::operation::dot;
  if (is_dot && flag == "--by") throw usage_error("--by: not for dot");
  if (command.files.size() > 1 && !is_dot) {
    throw usage_error(fmt::format("{} is for one file, found {}", flag, command.files.size()));
  }
  for (const std::string_view other : refused) {
    if (split.has(other)) throw usage_error(fmt::format("{}: not with {}", other, flag));
  }
}

// "0,-1": negative ones count from the last axis. No array here has more than 8.
std::vector<std::int64_t> parse_axes(const std::string& text) {
  std::vector<std::int64_t> axes;
  for (const std::string& axis : parts_of_list(text)) {
    axes.push_back(parse_integer("--axis", axis, -8));
  }
  return axes;
}

void parse_axis(const split_command& split, reduce_command& out) {
  out.keeps_dims = split.has("--keepdims");
  out.output = split.value("--output").value_or("");
  const auto text = split.value("--axis");
  if (!text) {
    for (const std::string_view flag : {"--keepdims", "--output"}) {
      if (split.has(flag)) throw usage_error(fmt::format("{} is for --axis", flag));
    }
    return;
  }
  out.axes = parse_axes(*text);
  check_rest("--axis", split, out, {"--save-state", "--first-index"});
  if (!out.output.empty() && out.form != output_form::text) {
    throw usage_error("--output: not with --json or --csv");
  }
}

std::vector<std::string> parse_columns(const std::string& text) {
  std::vector<std::string> columns = parts_of_list(text);
  for (const std::string& column : columns) {
    if (column.empty()) {
      throw usage_error(
          fmt::format("--by: expected columns between commas, found {}", quote(text)));
    }
  }
  return columns;
}

void parse_keys(const split_command& split, reduce_command& out) {
  const auto text = split.value("--by");
  if (!text) {
    for (const std::string_view flag : {"--order", "--keys", "--runs"}) {
      if (split.has(flag)) throw usage_error(fmt::format("{} is for --by", flag));
    }
    return;
  }
  out.reading.by = parse_columns(*text);
  out.by_runs = split.has("--runs");
  if (out.by_runs && split.has("--order")) throw usage_error("--order: not with --runs");
  if (split.value("--keys") == "text") out.keys = key_rule::text;
  if (split.value("--order") == "first") out.rank = group_rank::first;
  check_rest("--by", split, out, {"--axis", "--save-state", "--first-index", "--memory"});
  if (out.device != "auto" && out.device != "cpu") {
    throw usage_error(fmt::format("--device {}: not with --by", out.device));
  }
}

void parse_ranks(const split_command& split, reduce_command& out) {
  out.over_ranks = split.has("--mpi");
  if (!out.over_ranks) return;
  for (const std::string_view other : {"--axis", "--by", "--first-index"}) {
    if (split.has(other)) throw usage_error(fmt::format("{}: not with --mpi", other));
  }
  const bool is_dot = out.what.ops.front() == runtime::operation::dot;
  if (out.files.size() > 1 && !is_dot) {
    throw usage_error(fmt::format("--mpi is for one file, found {}", out.files.size()));
  }
  for (const std::string& file : out.files) {
    if (file == "-") throw usage_error("--mpi: ranks cannot share standard input");
  }
}

void parse_places(const split_command& split, reduce_command& out) {
  out.counts_in_all = split.has("--global-index");
  if (out.counts_in_all && !out.axes && out.reading.by.empty()) {
    throw usage_error("--global-index is for --axis and --by");
  }
  const std::vector<runtime::operation>& ops = out.what.ops;
  const bool have_places = std::any_of(
      ops.begin(), ops.end(), [](runtime::operation op) { return is_position(op) || is_list(op); });
  if (out.counts_in_all && !have_places) {
    throw usage_error("--global-index is for operations that give indices, such as argmax and top");
  }
}

}  // namespace

void parse_row_options(const split_command& split, reduce_command& out) {
  parse_ranks(split, out);
  parse_axis(split, out);
  parse_keys(split, out);
  parse_places(split, out);
}

}  // namespace monofold::cli
