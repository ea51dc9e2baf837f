#pragma once
/// engine/gpu/segment/paged_extremum: the smallest or largest item of a column that comes by pages, and its first index.

#include <cstdint>
#include <type_traits>

#include "monofold/engine/gpu/segment/staged_columns.cuh"
#include "monofold/fold/extrema.hpp"
#include "monofold/platform/host_device.hpp"

namespace monofold::detail {

/// One extremum of a thread's column.
template <class F, class Item>
class paged_extremum {
 public:
  using state = typename F::state;

  /// A page, whose first item has this index.
  template <class Count>
  MONOFOLD_GPU void see(const Item* page, Count count, std::int64_t index) {
    key best = F::key_of(page[0]);
    int place = 0;
    const auto look = [&](int i) {
      const key own = F::key_of(page[i * staged_columns]);
      const bool is_new = F::better(own, best);
      best = is_new ? own : best;
      place = is_new ? i : place;
    };
    if constexpr (std::is_same_v<Count, int>) {
      MONOFOLD_ROLL
      for (int i = 1; i < count; ++i) look(i);
    } else {
      MONOFOLD_UNROLL
      for (int i = 1; i < count; ++i) look(i);
    }
    if (at_ < 0 || F::better(best, best_)) {
      best_ = best;
      at_ = index + place;
    }
  }
  /// The best of items [begin, end), which have been seen; `column`: item 0, others `stride` apart.
  MONOFOLD_GPU state total(const Item* column, std::int64_t stride, std::int64_t begin,
                           std::int64_t end) const {
    if constexpr (F::keys::has_nan) {
      // All NaN are one value, the first of which counts, or none.
      if (F::is_nan_key(best_)) {
        if (!nan_wins) return {F::worst, -1};
        return {F::best, first_nan(column, stride, begin, end)};
      }
    }
    return {best_, at_};
  }

 private:
  using key = typename F::key;
  static constexpr bool nan_wins = F::nan_below == F::picks_smallest;

  MONOFOLD_GPU_CALL static std::int64_t first_nan(const Item* column, std::int64_t stride,
                                                  std::int64_t begin, std::int64_t end) {
    MONOFOLD_ROLL
    for (std::int64_t i = begin; i < end; ++i) {
      if (F::is_nan_key(F::key_of(column[i * stride]))) return i;
    }
    return -1;
  }

  key best_ = F::worst;
  std::int64_t at_ = -1;
};

/// Both of them.
template <class F, class Item>
class paged_extrema {
 public:
  template <class Count>
  MONOFOLD_GPU void see(const Item* page, Count count, std::int64_t index) {
    low_.see(page, count, index);
    high_.see(page, count, index);
  }
  MONOFOLD_GPU typename F::state total(const Item* column, std::int64_t stride, std::int64_t begin,
                                       std::int64_t end) const {
    return {low_.total(column, stride, begin, end), high_.total(column, stride, begin, end)};
  }

 private:
  paged_extremum<typename F::low, Item> low_;
  paged_extremum<typename F::high, Item> high_;
};

}  // namespace monofold::detail
