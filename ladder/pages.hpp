#pragma once
/// ladder/pages: what there is to say about each rung, taken from the comment of its file.

#include <string>
#include <string_view>
#include <vector>

#include "ladder/registry.hpp"

namespace monofold::ladder {

/// The comment at the top of ladder/rungs/NAME.cuh, with its slashes.
struct rung_comment {
  std::string_view name;
  std::string_view text;
};
const std::vector<rung_comment>& rung_comments();

/// The rows of bench/golden/h200/ladder.jsonl when this was compiled; empty: not measured yet.
std::string_view golden_rows();

/// A file of ladder/report, or one of those that pages of traces share with it; empty: there is none.
std::string_view report_part(std::string_view file);

/// A rung's comment by its sections. Those that it does not have are empty.
struct page {
  std::string title;
  std::string idea;
  std::string drawing;  // lines, not indented
  std::string bytes;
  std::string limit;
  std::string mistake;
  std::string next;
};

/// errors     throws std::out_of_range: there is no such file
page page_of(std::string_view name);

}  // namespace monofold::ladder
