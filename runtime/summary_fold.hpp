#pragma once
/// runtime/summary_fold: sum, moments, both ends and the number of NaN together.

#include "monofold/fold/all.hpp"
#include "monofold/fold/extrema.hpp"
#include "monofold/fold/moments.hpp"
#include "monofold/fold/nan.hpp"
#include "monofold/fold/sum.hpp"
#include "monofold/platform/numbers.hpp"

namespace monofold::runtime {

/// Everything that `stats` prints, from one read, and where it is in the state of `fold`.
template <class Item, bool floating = is_floating_v<Item>>
struct summary {
  using fold = all_fold<float_sum_fold<Item, double>, moments_fold<Item>, extrema_fold<Item>,
                        nan_count_fold<Item>>;

  static auto& total(auto& parts) { return parts.first; }
  static auto& moments(auto& parts) { return parts.rest.first; }
  static auto& extrema(auto& parts) { return parts.rest.rest.first; }
  static auto& nans(auto& parts) { return parts.rest.rest.rest.first; }
};

/// The moments of integers hold their exact sum.
template <class Item>
struct summary<Item, false> {
  using fold = all_fold<integer_moments_fold<Item>, extrema_fold<Item>, nan_count_fold<Item>>;

  static auto& moments(auto& parts) { return parts.first; }
  static auto& extrema(auto& parts) { return parts.rest.first; }
  static auto& nans(auto& parts) { return parts.rest.rest.first; }
};

template <class Item>
using summary_fold_t = typename summary<Item>::fold;

}  // namespace monofold::runtime
