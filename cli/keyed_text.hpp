#pragma once
/// cli/keyed_text: a column of text as numbers, each with the group of its row.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "cli/source.hpp"
#include "monofold/platform/dtype.hpp"

namespace monofold::cli {

/// The numbers of a column and the keys of their rows.
///
/// shape      item i lies in group groups[i]; groups are numbered as they first appear. A row whose number is
///            missing is dropped with its key
struct keyed_items {
  dtype type = dtype::float64;
  std::vector<std::string> names;  // of the columns that make a key
  std::deque<std::string> keys;    // of each group, by `key_fields`
  std::vector<std::byte> items;
  std::vector<std::uint32_t> groups;
  std::int64_t missing = 0;
  std::int64_t bytes = 0;
  std::vector<std::string> remarks;

  std::int64_t count() const { return static_cast<std::int64_t>(groups.size()); }
  std::int64_t num_groups() const { return static_cast<std::int64_t>(keys.size()); }
};

/// The fields of a key, of which there are `count`.
std::vector<std::string_view> key_fields(std::string_view key, std::size_t count);

/// Reads all of a text, whose columns `options.by` and `options.column` name.
///
/// errors     `input_error`: also a file that is no text
/// cost       one pass; memory for the numbers, 4 bytes a row, and each key once
/// tested by  tests/cli/tool_groups_test.py
keyed_items read_keyed(const std::string& path, const read_options& options);

}  // namespace monofold::cli
