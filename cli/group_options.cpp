#include "cli/group_options.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "cli/failure.hpp"
#include "cli/quote.hpp"

namespace monofold::cli {
namespace {

std::vector<std::string> parse_columns(const std::string& text) {
  std::vector<std::string> columns;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    columns.push_back(text.substr(begin, end - begin));
    if (columns.back().empty()) {
      throw usage_error(
          fmt::format("--by: expected columns between commas, found {}", quote(text)));
    }
    begin = end + 1;
  }
  return columns;
}

}  // namespace

void parse_group_options(const split_command& split, reduce_command& out) {
  const auto text = split.value("--by");
  if (!text) {
    if (split.has("--order")) throw usage_error("--order is for --by");
    return;
  }
  out.reading.by = parse_columns(*text);
  if (split.value("--order") == "first") out.rank = group_rank::first;
  if (out.what.ops.front() == runtime::operation::dot) throw usage_error("--by: not for dot");
  if (out.files.size() > 1) {
    throw usage_error(fmt::format("--by is for one file, found {}", out.files.size()));
  }
  for (const std::string_view flag : {"--axis", "--save-state", "--first-index", "--memory"}) {
    if (split.has(flag)) throw usage_error(fmt::format("{}: not with --by", flag));
  }
  if (out.device != "auto" && out.device != "cpu") {
    throw usage_error(fmt::format("--device {}: not with --by", out.device));
  }
}

}  // namespace monofold::cli
