#pragma once
/// cli/group_keys: which keys in text are one, and which comes first.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command.hpp"

namespace monofold::cli {

/// The keys of groups, column by column.
///
/// A column is of numbers where each of its keys is one, as `parse_number` has it: of int64, or else of uint64, or else
/// of float64. There keys of one value are one, all NaN too, and -0 is 0. Any other column goes by its text, and each
/// does if `rule` says so.
///
/// shape      the keys, of `key_fields`, outlive this; no two have the same text
/// tested by  tests/cli/tool_groups_test.py
class group_keys {
 public:
  group_keys(const std::deque<std::string>& keys, std::size_t num_columns, key_rule rule,
             group_rank rank);

  /// The first of the keys that are one with this one.
  std::uint32_t first_equal(std::uint32_t key) const {
    return first_equals_.empty() ? key : first_equals_[key];
  }
  /// Whether some keys are one though their texts differ.
  bool are_joined() const { return !first_equals_.empty(); }
  /// The first keys of those that are one: sorted (numbers by value, NaN last, texts by bytes), or as they lie.
  const std::vector<std::uint32_t>& in_order() const { return order_; }

 private:
  struct column {
    std::vector<std::uint64_t> words;     // of numbers, in their order
    std::vector<std::string_view> texts;  // of keys that are not all numbers
  };

  column column_of(std::vector<std::string_view> texts, key_rule rule);
  bool before(std::uint32_t a, std::uint32_t b) const;
  bool are_same(std::uint32_t a, std::uint32_t b) const;
  void join_equals();

  std::vector<column> columns_;
  bool may_join_ = false;  // some numbers have other texts too
  std::vector<std::uint32_t> order_;
  std::vector<std::uint32_t> first_equals_;  // none: each key is its own
};

}  // namespace monofold::cli
