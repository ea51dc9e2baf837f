#pragma once
/// fold/sum: count, sum, mean, and the plain sum of a kernel author.

#include <cstdint>
#include <limits>
#include <type_traits>

#include "monofold/fold/exact/integer_rounding.hpp"
#include "monofold/fold/nan.hpp"
#include "monofold/platform/host_device.hpp"
#include "monofold/platform/numbers.hpp"
#include "monofold/platform/status.hpp"
#include "monofold/platform/wide_int.hpp"

namespace monofold {

/// The type of an integer sum: as wide as the library gives, of the item's signedness.
template <class Item>
using integer_answer_t = std::conditional_t<std::is_signed_v<Item>, std::int64_t, std::uint64_t>;

namespace detail {

template <class Integer>
inline constexpr int128 lowest_v = std::numeric_limits<Integer>::min();
template <class Integer>
inline constexpr int128 highest_v = std::numeric_limits<Integer>::max();

template <class Item>
MONOFOLD_HD_CALL constexpr result<integer_answer_t<Item>> narrow(int128 total) {
  using answer = integer_answer_t<Item>;
  if (total < lowest_v<answer> || total > highest_v<answer>) {
    return status::integer_overflow;
  }
  return static_cast<answer>(total);
}

/// -0, which leaves every sum as it is: x + (-0) has the bits of x.
template <class Item>
MONOFOLD_HD Item negative_zero() {
  if constexpr (sizeof(Item) == 2) {
    return Item{0x8000};
  } else {
    return Item(-0.0);
  }
}

/// The exact sum of integers: any schedule gives the same 128 bits.
///
/// A block of at most 2^16 items is summed in 64 bits: below 2^48 for items of 32 bits. Items of
/// 64 bits are split into halves, whose sums stay as small.
template <class Item>
MONOFOLD_HD int128 sum_integers(const Item* items, std::int64_t count) {
  constexpr std::int64_t block = 1 << 16;
  int128 total = 0;
  for (std::int64_t at = 0; at < count; at += block) {
    const std::int64_t end = count - at < block ? count : at + block;
    if constexpr (sizeof(Item) <= 2) {
      std::int32_t sum = 0;  // |sum| <= 2^14 items x 2^16 = 2^30: no partial sum wraps
      std::int64_t wide = 0;
      for (std::int64_t i = at; i < end;) {
        const std::int64_t stop = end - i < 16384 ? end : i + 16384;
        for (; i < stop; ++i) sum += static_cast<std::int32_t>(items[i]);
        wide += sum;
        sum = 0;
      }
      total += wide;
    } else if constexpr (sizeof(Item) == 4) {
      std::int64_t sum = 0;
      for (std::int64_t i = at; i < end; ++i) sum += static_cast<std::int64_t>(items[i]);
      total += sum;
    } else {
      std::uint64_t low = 0;
      std::conditional_t<std::is_signed_v<Item>, std::int64_t, std::uint64_t> high = 0;
      for (std::int64_t i = at; i < end; ++i) {
        low += static_cast<std::uint32_t>(items[i]);
        high += items[i] >> 32;
      }
      total += (int128{high} << 32) + int128{low};
    }
  }
  return total;
}

}  // namespace detail

/// The number of items.
struct count_fold {
  using state = std::int64_t;
  static constexpr bool commutative = true;
  static constexpr bool exact = true;

  template <class Item>
  MONOFOLD_HD state lift(const Item&, std::int64_t) const {
    return 1;
  }
  MONOFOLD_HD state combine(state left, state right) const { return left + right; }
  MONOFOLD_HD bool subtract(state& own, state part) const {
    own -= part;
    return own >= 0;
  }
  MONOFOLD_HD state identity() const { return 0; }
  template <class Item>
  MONOFOLD_HD void absorb_run(state& own, const Item*, std::int64_t count, std::int64_t) const {
    own += count;
  }
};

/// The sum of fewer than 2^31 integers of at most 32 bits, exact in 64 bits. An engine may use it in
/// place of the fold below: half as much to exchange.
template <class Item>
struct short_integer_sum_fold {
  using state = std::int64_t;
  static constexpr bool commutative = true;
  static constexpr bool exact = true;

  MONOFOLD_HD state lift(Item item, std::int64_t) const { return static_cast<state>(item); }
  MONOFOLD_HD state combine(state left, state right) const { return left + right; }
  MONOFOLD_HD state identity() const { return 0; }
};

/// The sum of integers, exact in 128 bits; bool counts.
///
/// errors     integer_overflow where the exact sum does not fit int64 (uint64 for unsigned items)
/// accuracy   exact; any schedule
template <class Item>
struct integer_sum_fold {
  using state = int128;
  // For fewer items than this.
  using short_fold = short_integer_sum_fold<Item>;
  static constexpr std::int64_t short_items = sizeof(Item) <= 4 ? std::int64_t{1} << 31 : 0;
  static constexpr bool commutative = true;
  static constexpr bool exact = true;

  MONOFOLD_HD state lift(Item item, std::int64_t) const { return static_cast<state>(item); }
  MONOFOLD_HD state combine(state left, state right) const { return left + right; }
  MONOFOLD_HD state identity() const { return 0; }
  MONOFOLD_HD bool subtract(state& own, state part) const {
    own -= part;
    return true;
  }
  MONOFOLD_HD void absorb_run(state& own, const Item* items, std::int64_t count,
                              std::int64_t) const {
    own += detail::sum_integers(items, count);
  }
  MONOFOLD_HD_CALL constexpr result<integer_answer_t<Item>> finish(state total) const {
    return detail::narrow<Item>(total);
  }
};

/// The sum of floating-point items in `Real`, in the plan's tree.
///
/// order      the plan's tree: the same bits on every engine and for every chunking
/// accuracy   |error| <= d u sum |x_i| + O(u^2), u the unit roundoff of `Real`, d the depth of the
///            tree: at most ceil(log2(n)) + 4; a sum of only -0 is -0, an empty sum is +0
template <class Item, class Real, nan_rule rule = nan_rule::propagate>
struct float_sum_fold {
  using state = Real;
  static constexpr bool commutative = true;

  MONOFOLD_HD state lift(Item item, std::int64_t) const { return static_cast<Real>(item); }
  MONOFOLD_HD state combine(state left, state right) const { return left + right; }
  MONOFOLD_HD state identity() const { return Real(0); }
  /// An item that changes nothing.
  MONOFOLD_HD Item padding() const { return detail::negative_zero<Item>(); }
  MONOFOLD_HD_CALL constexpr Real finish(state s) const { return one_nan(s); }
};

/// The same with NaN left out: whether anything was there tells an empty sum, +0, from one of
/// only -0.
template <class Item, class Real>
struct float_sum_fold<Item, Real, nan_rule::omit> {
  struct state {
    Real total;
    bool any;
  };
  static constexpr bool commutative = true;

  MONOFOLD_HD state lift(Item item, std::int64_t) const {
    // -0 is what leaves every sum as it is: x + (-0) has the bits of x.
    if (is_nan(item)) return {Real(-0.0), false};
    return {static_cast<Real>(item), true};
  }
  MONOFOLD_HD state combine(const state& left, const state& right) const {
    return {left.total + right.total, left.any || right.any};
  }
  MONOFOLD_HD state identity() const { return {Real(-0.0), false}; }
  MONOFOLD_HD_CALL constexpr Real finish(const state& s) const {
    return s.any ? one_nan(s.total) : Real(0);
  }
};

/// sum / count, as a double.
///
/// errors     empty_input where there is no item
/// accuracy   integers: correctly rounded. Floats: that of the sum, and one division
template <class Item, nan_rule rule = nan_rule::propagate>
struct mean_fold {
  static constexpr bool floating = is_floating_v<Item>;
  using total_type = std::conditional_t<floating, double, int128>;
  struct state {
    total_type total;
    std::int64_t count;
  };
  using accumulator = std::conditional_t<rule == nan_rule::propagate, total_type, state>;
  static constexpr bool commutative = true;
  static constexpr bool exact = !floating;

  MONOFOLD_HD state lift(Item item, std::int64_t) const {
    return {term(item), detail::is_skipped<rule>(item) ? 0 : 1};
  }
  MONOFOLD_HD state combine(const state& left, const state& right) const {
    return {left.total + right.total, left.count + right.count};
  }
  MONOFOLD_HD bool subtract(state& own, const state& part) const requires(!floating) {
    own = {own.total - part.total, own.count - part.count};
    return own.count > 0 || (own.count == 0 && own.total == 0);
  }
  MONOFOLD_HD state identity() const { return {total_type(0), 0}; }

  MONOFOLD_HD accumulator open(Item item, std::int64_t index) const {
    if constexpr (rule == nan_rule::propagate) {
      return term(item);
    } else {
      return lift(item, index);
    }
  }
  MONOFOLD_HD void absorb(accumulator& own, Item item, std::int64_t index) const {
    own = join(own, open(item, index));
  }
  MONOFOLD_HD accumulator join(const accumulator& left, const accumulator& right) const {
    if constexpr (rule == nan_rule::propagate) {
      return left + right;
    } else {
      return combine(left, right);
    }
  }
  MONOFOLD_HD state flush(const accumulator& own, std::int64_t count) const {
    if constexpr (rule == nan_rule::propagate) {
      return {own, count};
    } else {
      return own;
    }
  }
  MONOFOLD_HD void absorb_run(state& own, const Item* items, std::int64_t count, std::int64_t) const
      requires(!floating) {
    own = {own.total + detail::sum_integers(items, count), own.count + count};
  }

  MONOFOLD_HD_CALL result<double> finish(const state& s) const {
    if (s.count == 0) return status::empty_input;
    if constexpr (floating) {
      return one_nan(s.total / static_cast<double>(s.count));
    } else {
      const bool negative = s.total < 0;
      const uint128 magnitude = negative ? uint128(0) - uint128(s.total) : uint128(s.total);
      const double mean = divide_to_double(widen(magnitude), widen(static_cast<uint128>(s.count)));
      return negative ? -mean : mean;
    }
  }

 private:
  MONOFOLD_HD static total_type term(Item item) {
    if constexpr (floating) {
      return detail::keep<rule>(static_cast<double>(item), -0.0);
    } else {
      return static_cast<total_type>(item);
    }
  }
};

namespace detail {

template <class Real>
struct plain_sum_in_family {
  template <class Item>
  requires is_number_v<Item> MONOFOLD_HD_CALL constexpr auto on() const {
    if constexpr (is_floating_v<Item>) {
      return float_sum_fold<Item, Real>{};
    } else {
      return integer_sum_fold<Item>{};
    }
  }
};

struct plain_sum_family {
  template <class Item>
  requires is_number_v<Item> MONOFOLD_HD_CALL constexpr auto on() const {
    if constexpr (std::is_same_v<Item, double>) {
      return float_sum_fold<Item, double>{};
    } else if constexpr (is_floating_v<Item>) {
      return float_sum_fold<Item, float>{};
    } else {
      return integer_sum_fold<Item>{};
    }
  }
};

struct plain_mean_family {
  template <class Item>
  requires is_number_v<Item> MONOFOLD_HD_CALL constexpr auto on() const {
    return mean_fold<Item>{};
  }
};

}  // namespace detail

MONOFOLD_CONSTANT count_fold count{};  // std::int64_t

// One addition an item, in the plan's tree; sums and means that are exact: fold/exact/sum.
MONOFOLD_CONSTANT detail::plain_sum_family plain_sum{};  // of float and shorter ones in float
template <class Real>
MONOFOLD_CONSTANT detail::plain_sum_in_family<Real> plain_sum_in{};
MONOFOLD_CONSTANT detail::plain_mean_family plain_mean{};  // in double

}  // namespace monofold
