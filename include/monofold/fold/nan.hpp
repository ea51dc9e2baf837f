#pragma once
/// fold/nan: what a fold does with an item that is not a number.

#include <cstdint>
#include <limits>
#include <type_traits>

#include "monofold/platform/bits.hpp"
#include "monofold/platform/host_device.hpp"
#include "monofold/platform/numbers.hpp"

namespace monofold {

/// propagate  a NaN makes the result NaN
/// omit       a NaN is treated as if it were absent
enum class nan_rule { propagate, omit };

/// True for NaN, false for every other number, integers included.
template <class Item>
MONOFOLD_HD bool is_nan(const Item& item) {
  if constexpr (std::is_same_v<Item, float16>) {
    return (item.bits & 0x7fff) > 0x7c00;
  } else if constexpr (std::is_same_v<Item, bfloat16>) {
    return (item.bits & 0x7fff) > 0x7f80;
  } else if constexpr (std::is_same_v<Item, float>) {
    // On the bits: a caller's -ffast-math would turn item != item into false.
    return (bits_as<std::uint32_t>(item) & 0x7fffffffu) > 0x7f800000u;
  } else if constexpr (std::is_same_v<Item, double>) {
    return (bits_as<std::uint64_t>(item) & 0x7fffffffffffffffu) > 0x7ff0000000000000u;
  } else {
    return false;
  }
}

namespace detail {

template <class Real>
inline constexpr Real quiet_nan_v = std::numeric_limits<Real>::quiet_NaN();

}  // namespace detail

/// The value; the one positive quiet NaN for any NaN.
///
/// Which NaN an addition gives differs between processors (payloads, the sign of inf - inf), so the
/// answers of our folds do not show it.
template <class Real>
MONOFOLD_HD_CALL constexpr Real one_nan(Real value) {
  return is_nan(value) ? detail::quiet_nan_v<Real> : value;
}

namespace detail {

template <nan_rule rule, class Item>
MONOFOLD_HD bool is_skipped(const Item& item) {
  if constexpr (rule == nan_rule::omit) return is_nan(item);
  return false;
}

/// The value, or `neutral` where it is to be skipped.
template <nan_rule rule, class Real>
MONOFOLD_HD Real keep(Real value, Real neutral) {
  if constexpr (rule == nan_rule::omit) return is_nan(value) ? neutral : value;
  return value;
}

}  // namespace detail

/// The number of NaN among the items.
template <class Item>
struct nan_count_fold {
  struct state {
    std::int64_t count;
    std::int64_t first;  // index of the first one, -1 where there is none
  };
  static constexpr bool commutative = true;
  static constexpr bool exact = true;

  MONOFOLD_HD state lift(const Item& item, std::int64_t index) const {
    return is_nan(item) ? state{1, index} : state{0, -1};
  }
  MONOFOLD_HD state combine(const state& left, const state& right) const {
    // Indices are not negative, so as unsigned numbers -1 is the largest: min finds the first.
    const auto l = static_cast<std::uint64_t>(left.first);
    const auto r = static_cast<std::uint64_t>(right.first);
    return {left.count + right.count, static_cast<std::int64_t>(l < r ? l : r)};
  }
  MONOFOLD_HD state identity() const { return {0, -1}; }
  MONOFOLD_HD void absorb_run(state& own, const Item* items, std::int64_t count,
                              std::int64_t index) const {
    std::int64_t found = 0;
    for (std::int64_t i = 0; i < count; ++i) found += is_nan(items[i]) ? 1 : 0;
    if (found == 0) return;
    std::int64_t first = 0;
    while (!is_nan(items[first])) ++first;
    own = combine(own, {found, index + first});
  }
};

}  // namespace monofold
