#include "cli/axis_options.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cli/failure.hpp"
#include "cli/quantity.hpp"

namespace monofold::cli {
namespace {

// "0,-1": negative ones count from the last axis. No array here has more than 8.
std::vector<std::int64_t> parse_axes(const std::string& text) {
  std::vector<std::int64_t> axes;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    axes.push_back(parse_integer("--axis", std::string_view(text).substr(begin, end - begin), -8));
    begin = end + 1;
  }
  return axes;
}

}  // namespace

void parse_axis_options(const split_command& split, reduce_command& out) {
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
  if (out.what.ops.front() == runtime::operation::dot) throw usage_error("--axis: not for dot");
  if (out.files.size() > 1) {
    throw usage_error(fmt::format("--axis is for one file, found {}", out.files.size()));
  }
  for (const std::string_view flag : {"--save-state", "--first-index"}) {
    if (split.has(flag)) throw usage_error(fmt::format("{}: not with --axis", flag));
  }
  if (out.device != "auto" && out.device != "cpu") {
    throw usage_error(fmt::format("--device {}: not with --axis", out.device));
  }
  if (!out.output.empty() && out.form != output_form::text) {
    throw usage_error("--output: not with --json or --csv");
  }
}

}  // namespace monofold::cli
