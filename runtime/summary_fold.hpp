#pragma once
/// runtime/summary_fold: sum, moments, both ends and the number of NaN together.

// A file of its own, outside highway's regions: functions that are always inlined must not carry
// the instruction set of one of them, since plan/tree.hpp calls them.

#include <cstdint>
#include <type_traits>

#include "monofold/fold/extrema.hpp"
#include "monofold/fold/moments.hpp"
#include "monofold/fold/nan.hpp"
#include "monofold/fold/sum.hpp"
#include "monofold/level/core.hpp"

namespace monofold::runtime {

/// The sum and the moments of floats, each with the bits it has alone: both start from the sum of
/// the tile's items.
template <class Item>
struct float_sums_fold {
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

/// Everything that `stats` prints, from one read. The moments of integers hold their exact sum.
template <class Item>
struct summary_fold {
  using sums_fold =
      std::conditional_t<is_floating_v<Item>, float_sums_fold<Item>, integer_moments_fold<Item>>;
  using ends_fold = extrema_fold<Item>;
  using nans_fold = nan_count_fold<Item>;
  struct state {
    typename sums_fold::state sums;
    typename ends_fold::state ends;
    typename nans_fold::state nans;
  };
  static constexpr bool commutative = true;

  MONOFOLD_HD state lift(Item item, std::int64_t index) const {
    return {sums_fold{}.lift(item, index), ends_fold{}.lift(item, index),
            nans_fold{}.lift(item, index)};
  }
  MONOFOLD_HD state combine(const state& left, const state& right) const {
    return {sums_fold{}.combine(left.sums, right.sums), ends_fold{}.combine(left.ends, right.ends),
            nans_fold{}.combine(left.nans, right.nans)};
  }
};

}  // namespace monofold::runtime
