#pragma once
/// runtime/statistics_fold: sum and moments of floats together.

// A file of its own, outside highway's regions: functions that are always inlined must not carry
// the instruction set of one of them, since plan/tree.hpp calls them.

#include <cstdint>

#include "monofold/fold/moments.hpp"
#include "monofold/fold/sum.hpp"
#include "monofold/level/core.hpp"

namespace monofold::runtime {

/// The sum and the moments of the same items from one read, each with the bits it has alone: both
/// start from the sum of the tile's items.
template <class Item>
struct statistics_fold {
  using sum = float_sum_fold<Item, double>;
  using moments = moments_fold<Item>;
  struct state {
    double total;
    moments_state moments;
  };
  static constexpr bool commutative = true;

  MONOFOLD_HD state lift(Item item, std::int64_t index) const {
    return {sum{}.lift(item, index), moments{}.lift(item, index)};
  }
  MONOFOLD_HD state combine(const state& left, const state& right) const {
    return {left.total + right.total, moments{}.combine(left.moments, right.moments)};
  }
  MONOFOLD_HD static state fold_part(const Item* items, int count, std::int64_t index) {
    return {fold_tile(sum{}, items, count, index), fold_tile(moments{}, items, count, index)};
  }
};

}  // namespace monofold::runtime
