#pragma once
/// fold/dot: the inner product of two sequences, as a fold over pairs.

#include <cstdint>
#include <type_traits>

#include "monofold/fold/item_pair.hpp"
#include "monofold/fold/sum.hpp"
#include "monofold/platform/host_device.hpp"
#include "monofold/platform/numbers.hpp"
#include "monofold/platform/status.hpp"
#include "monofold/platform/wide_int.hpp"

namespace monofold {

/// The sum of products of floating-point pairs in double, in the plan's tree.
///
/// accuracy   |error| <= (log2(n) + 5) u sum |x_i y_i| where no product over- or underflows;
///            products of float32, float16 and bfloat16 are exact
template <class Pair, nan_rule rule = nan_rule::propagate>
struct float_dot_fold {
  using state = double;
  static constexpr bool commutative = true;

  MONOFOLD_HD state lift(const Pair& item, std::int64_t) const {
    return static_cast<double>(item.left) * static_cast<double>(item.right);
  }
  MONOFOLD_HD state combine(state left, state right) const { return left + right; }
  MONOFOLD_HD state identity() const { return 0.0; }
  MONOFOLD_HD_CALL constexpr double finish(state s) const { return one_nan(s); }
};

/// The same without the products that are NaN.
template <class Pair>
struct float_dot_fold<Pair, nan_rule::omit> : float_sum_fold<double, double, nan_rule::omit> {
  using base = float_sum_fold<double, double, nan_rule::omit>;

  MONOFOLD_HD base::state lift(const Pair& item, std::int64_t index) const {
    return base::lift(float_dot_fold<Pair>{}.lift(item, index), index);
  }
};

namespace detail {

/// A sum of products as a state.
MONOFOLD_HD uint256 extended(int128 value) {
  const std::uint64_t sign = value < 0 ? ~std::uint64_t{0} : 0;
  return {{static_cast<std::uint64_t>(value), static_cast<std::uint64_t>(value >> 64), sign, sign}};
}

/// What a lane adds the products of a tile in, of 4096 pairs at most.
template <class Left, class Right,
          int bytes = (sizeof(Left) > sizeof(Right) ? sizeof(Left) : sizeof(Right))>
struct integer_dot_slots {
  using accumulator = std::int64_t;

  MONOFOLD_HD accumulator open(const item_pair<Left, Right>& item, std::int64_t) const {
    return static_cast<std::int64_t>(item.left) * static_cast<std::int64_t>(item.right);
  }
  MONOFOLD_HD accumulator join(accumulator left, accumulator right) const { return left + right; }
  MONOFOLD_HD static uint256 total(accumulator own) { return extended(own); }
};
template <class Left, class Right>
struct integer_dot_slots<Left, Right, 4> {
  struct accumulator {
    std::uint64_t low;  // halves of products
    std::int64_t high;
  };

  MONOFOLD_HD accumulator open(const item_pair<Left, Right>& item, std::int64_t) const {
    constexpr bool is_signed = std::is_signed_v<Left> || std::is_signed_v<Right>;
    using wide = std::conditional_t<is_signed, std::int64_t, std::uint64_t>;
    const wide product = static_cast<wide>(item.left) * static_cast<wide>(item.right);
    return {static_cast<std::uint32_t>(product), static_cast<std::int64_t>(product >> 32)};
  }
  MONOFOLD_HD accumulator join(const accumulator& left, const accumulator& right) const {
    return {left.low + right.low, left.high + right.high};
  }
  MONOFOLD_HD static uint256 total(const accumulator& own) {
    return extended((int128{own.high} << 32) + int128{own.low});
  }
};
template <class Left, class Right>
struct integer_dot_slots<Left, Right, 8> {
  struct accumulator {
    uint128 low;
    std::uint32_t high;  // in two's complement
  };

  MONOFOLD_HD accumulator open(const item_pair<Left, Right>& item, std::int64_t) const {
    constexpr bool is_signed = std::is_signed_v<Left> || std::is_signed_v<Right>;
    const auto product = static_cast<uint128>(static_cast<int128>(item.left)) *
                         static_cast<uint128>(static_cast<int128>(item.right));
    return {product, is_signed && product >> 127 != 0 ? ~std::uint32_t{0} : 0};
  }
  MONOFOLD_HD accumulator join(const accumulator& left, const accumulator& right) const {
    accumulator both{left.low, left.high + right.high};
    add_carrying(both.low, right.low, both.high);
    return both;
  }
  MONOFOLD_HD static uint256 total(const accumulator& own) {
    const std::int64_t high = static_cast<std::int32_t>(own.high);
    const std::uint64_t sign = high < 0 ? ~std::uint64_t{0} : 0;
    return {{static_cast<std::uint64_t>(own.low), static_cast<std::uint64_t>(own.low >> 64),
             static_cast<std::uint64_t>(high), sign}};
  }
};

}  // namespace detail

/// The exact sum of products of integer pairs.
///
/// errors     integer_overflow where it does not fit int64 (uint64 where both are unsigned)
template <class Left, class Right>
struct integer_dot_fold : detail::integer_dot_slots<Left, Right> {
  using slots = detail::integer_dot_slots<Left, Right>;
  using state = uint256;  // two's complement
  static constexpr bool commutative = true;
  static constexpr bool exact = true;
  using answer = std::conditional_t<std::is_signed_v<Left> || std::is_signed_v<Right>, std::int64_t,
                                    std::uint64_t>;

  MONOFOLD_HD state lift(const item_pair<Left, Right>& item, std::int64_t) const {
    // Two factors of at most 64 bits: the product fits 128 bits, signed or unsigned.
    const auto left = static_cast<int128>(item.left);
    const auto right = static_cast<int128>(item.right);
    const uint128 product = static_cast<uint128>(left) * static_cast<uint128>(right);
    const bool negative = (left < 0) != (right < 0) && product != 0;
    const std::uint64_t sign = negative ? ~std::uint64_t{0} : 0;
    const uint256 wide = widen(product);
    return {{wide.limb[0], wide.limb[1], sign, sign}};
  }
  MONOFOLD_HD state combine(const state& left, const state& right) const {
    return add(left, right);
  }
  MONOFOLD_HD bool subtract(state& own, const state& part) const {
    own = monofold::subtract(own, part);  // modulo 2^256, as additions are
    return true;
  }
  MONOFOLD_HD state identity() const { return {}; }
  MONOFOLD_HD void absorb(typename slots::accumulator& own, const item_pair<Left, Right>& item,
                          std::int64_t index) const {
    own = slots::join(own, slots::open(item, index));
  }
  MONOFOLD_HD state flush(const typename slots::accumulator& own, std::int64_t) const {
    return slots::total(own);
  }
  /// Blocks whose sums fit 64 bits, or whose halves' sums do.
  MONOFOLD_HD void absorb_run(state& own, const item_pair<Left, Right>* items, std::int64_t count,
                              std::int64_t) const {
    constexpr int bytes = sizeof(Left) > sizeof(Right) ? sizeof(Left) : sizeof(Right);
    constexpr bool fits_sign = std::is_signed_v<Left> == std::is_signed_v<Right>;
    constexpr std::int64_t block = 1 << 14;
    for (std::int64_t at = 0; at < count; at += block) {
      const std::int64_t end = count - at < block ? count : at + block;
      if constexpr (bytes <= 2) {
        std::conditional_t<bytes == 1, std::int32_t, std::int64_t> sum = 0;
        for (std::int64_t i = at; i < end; ++i) {
          sum += static_cast<decltype(sum)>(items[i].left) *
                 static_cast<decltype(sum)>(items[i].right);
        }
        own = add(own, detail::extended(sum));
      } else if constexpr (bytes == 4 && fits_sign) {
        using wide = std::conditional_t<std::is_signed_v<Left>, std::int64_t, std::uint64_t>;
        std::uint64_t low = 0;
        wide high = 0;
        for (std::int64_t i = at; i < end; ++i) {
          const wide product = static_cast<wide>(items[i].left) * static_cast<wide>(items[i].right);
          low += static_cast<std::uint32_t>(product);
          high += product >> 32;
        }
        own = add(own, detail::extended((int128{high} << 32) + int128{low}));
      } else {
        using wide = std::conditional_t<std::is_signed_v<answer>, int128, uint128>;
        uint128 low = 0;
        int128 high = 0;
        for (std::int64_t i = at; i < end; ++i) {
          const wide product = static_cast<wide>(items[i].left) * static_cast<wide>(items[i].right);
          low += static_cast<std::uint64_t>(product);
          high += static_cast<int128>(product >> 64);
        }
        const state upper = detail::extended(high);
        own = add(add(own, widen(low)), {{0, upper.limb[0], upper.limb[1], upper.limb[2]}});
      }
    }
  }

  MONOFOLD_HD_CALL constexpr result<answer> finish(const state& s) const {
    const bool negative = std::is_signed_v<answer> && (s.limb[0] >> 63) != 0;
    const std::uint64_t sign = negative ? ~std::uint64_t{0} : 0;
    if (s.limb[1] != sign || s.limb[2] != sign || s.limb[3] != sign) {
      return status::integer_overflow;
    }
    return static_cast<answer>(s.limb[0]);
  }
};

namespace detail {

template <class Pair>
concept pair_of_numbers =
    is_number_v<typename pair_types<Pair>::left> && is_number_v<typename pair_types<Pair>::right>;

struct plain_dot_family {
  template <class Pair>
  requires pair_of_numbers<Pair> MONOFOLD_HD_CALL constexpr auto on() const {
    using left = typename pair_types<Pair>::left;
    using right = typename pair_types<Pair>::right;
    if constexpr (is_floating_v<left> || is_floating_v<right>) {
      return float_dot_fold<Pair>{};
    } else {
      return integer_dot_fold<left, right>{};
    }
  }
};

}  // namespace detail

// Over `zip(x, y)`, in double; the one that is exact: fold/exact/products.
MONOFOLD_CONSTANT detail::plain_dot_family plain_dot{};

}  // namespace monofold
