#pragma once
/// fold/logical: any, all, and how many are not zero.

#include <cstdint>

#include "monofold/fold/nan.hpp"
#include "monofold/platform/float_format.hpp"
#include "monofold/platform/host_device.hpp"
#include "monofold/platform/numbers.hpp"

namespace monofold {

/// Items that are not zero, and items. NaN is not zero.
struct nonzero_state {
  std::int64_t nonzero;
  std::int64_t count;
};

template <class Item, nan_rule rule = nan_rule::propagate>
struct nonzero_fold {
  using state = nonzero_state;
  static constexpr bool commutative = true;
  static constexpr bool exact = true;

  MONOFOLD_HD static bool is_nonzero(const Item& item) {
    if constexpr (is_floating_v<Item>) {
      // By bits: subnormal numbers count, whatever a caller's arithmetic does with them.
      return magnitude_bits(item) != 0;
    } else {
      return item != Item(0);
    }
  }
  MONOFOLD_HD state lift(const Item& item, std::int64_t) const {
    if (detail::is_skipped<rule>(item)) return {0, 0};
    return {is_nonzero(item) ? 1 : 0, 1};
  }
  MONOFOLD_HD state combine(const state& left, const state& right) const {
    return {left.nonzero + right.nonzero, left.count + right.count};
  }
  MONOFOLD_HD bool subtract(state& own, const state& part) const {
    own = {own.nonzero - part.nonzero, own.count - part.count};
    return own.nonzero >= 0 && own.nonzero <= own.count;
  }
  MONOFOLD_HD state identity() const { return {0, 0}; }
  MONOFOLD_HD void absorb_run(state& own, const Item* items, std::int64_t count,
                              std::int64_t) const {
    // Blocks whose counts fit the item's own width, so that the compiler counts in full vectors.
    std::int64_t at = 0;
    while (at < count) {
      const std::int64_t end = count - at < 4096 ? count : at + 4096;
      std::int32_t nonzero = 0;
      std::int32_t skipped = 0;
      for (; at < end; ++at) {
        const bool skip = detail::is_skipped<rule>(items[at]);
        nonzero += is_nonzero(items[at]) && !skip ? 1 : 0;
        skipped += skip ? 1 : 0;
      }
      own.nonzero += nonzero;
      own.count -= skipped;
    }
    own.count += count;
  }
  MONOFOLD_HD_CALL constexpr std::int64_t finish(const state& s) const { return s.nonzero; }
};

namespace detail {

enum class logical_part { any, all, nonzero };

template <class Item, logical_part part>
struct logical_fold : nonzero_fold<Item> {
  MONOFOLD_HD_CALL constexpr auto finish(const nonzero_state& s) const {
    if constexpr (part == logical_part::any) {
      return s.nonzero > 0;
    } else if constexpr (part == logical_part::all) {
      return s.nonzero == s.count;
    } else {
      return s.nonzero;
    }
  }
};

template <logical_part part>
struct logical_family {
  template <class Item>
  requires is_number_v<Item> MONOFOLD_HD_CALL constexpr auto on() const {
    return logical_fold<Item, part>{};
  }
};

}  // namespace detail

MONOFOLD_CONSTANT detail::logical_family<detail::logical_part::any> any_of{};  // bool; empty: false
MONOFOLD_CONSTANT detail::logical_family<detail::logical_part::all> all_of{};  // bool; empty: true
MONOFOLD_CONSTANT detail::logical_family<detail::logical_part::nonzero> nonzero{};  // std::int64_t

}  // namespace monofold
