#pragma once
/// fold/norm: the 1-norm, the 2-norm and the maximum norm.

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "monofold/fold/exact/integer_rounding.hpp"
#include "monofold/fold/moments.hpp"
#include "monofold/fold/nan.hpp"
#include "monofold/platform/bits.hpp"
#include "monofold/platform/float_format.hpp"
#include "monofold/platform/host_device.hpp"
#include "monofold/platform/numbers.hpp"
#include "monofold/platform/status.hpp"
#include "monofold/platform/wide_int.hpp"

namespace monofold {

namespace detail {

/// |item| of an integer in the unsigned type of its width: |INT64_MIN| is 2^63.
template <class Item>
MONOFOLD_HD auto magnitude(Item item) {
  if constexpr (std::is_same_v<Item, bool>) {
    return static_cast<std::uint8_t>(item);
  } else if constexpr (std::is_unsigned_v<Item>) {
    return item;
  } else {
    using wide = std::make_unsigned_t<Item>;
    return item < 0 ? static_cast<wide>(wide{0} - static_cast<wide>(item))
                    : static_cast<wide>(item);
  }
}

/// |x| of a double, NaN kept, -0 made +0; on the bits, so that loops become one instruction.
MONOFOLD_HD double absolute(double x) {
  return bits_as<double>(bits_as<std::uint64_t>(x) & 0x7fffffffffffffffu);
}

}  // namespace detail

/// The sum of magnitudes of floating-point items in double, in the plan's tree.
template <class Item, nan_rule rule = nan_rule::propagate>
struct norm1_fold {
  using state = double;
  static constexpr bool commutative = true;

  MONOFOLD_HD state lift(Item item, std::int64_t) const {
    return detail::absolute(detail::keep<rule>(static_cast<double>(item), 0.0));
  }
  MONOFOLD_HD state combine(state left, state right) const { return left + right; }
  MONOFOLD_HD state identity() const { return 0.0; }
  MONOFOLD_HD_CALL constexpr double finish(state s) const { return one_nan(s); }
};

/// The sum of magnitudes of integer items, exact; an error where it exceeds 2^64 - 1.
template <class Item>
struct integer_norm1_fold {
  using state = int128;
  static constexpr bool commutative = true;
  static constexpr bool exact = true;

  MONOFOLD_HD state lift(Item item, std::int64_t) const { return detail::magnitude(item); }
  MONOFOLD_HD state combine(state left, state right) const { return left + right; }
  MONOFOLD_HD bool subtract(state& own, state part) const {
    own -= part;
    return own >= 0;
  }
  MONOFOLD_HD state identity() const { return 0; }
  MONOFOLD_HD void absorb_run(state& own, const Item* items, std::int64_t count,
                              std::int64_t) const {
    std::uint64_t low = 0;
    std::uint64_t high = 0;
    for (std::int64_t i = 0; i < count; ++i) {
      const std::uint64_t m = detail::magnitude(items[i]);
      low += m & 0xffffffffu;
      high += m >> 32;
    }
    own += (int128{high} << 32) + low;
  }
  MONOFOLD_HD_CALL constexpr result<std::uint64_t> finish(state s) const {
    return detail::narrow<std::uint64_t>(s);
  }
};

/// The square root of the sum of squares of floating-point items.
///
/// order      the plan's tree: the same bits on every engine and for every chunking
/// accuracy   relative error <= (ceil(log2(n)) + 8) u where the result is a normal number; no
///            square over- or underflows: items above 2^480
///            and below 2^-480 are squared after scaling by 2^-600 and 2^600, in sums of their own
/// source     Blue 1978, TOMS 4(1)
template <class Item, nan_rule rule = nan_rule::propagate>
struct norm2_fold {
  struct state {
    double large;   // sum of (x 2^-600)^2
    double middle;  // sum of x^2; NaN lands here
    double small;   // sum of (x 2^600)^2
  };
  static constexpr bool commutative = true;
  static constexpr bool scaled = std::is_same_v<Item, double>;  // narrower squares fit a double

  MONOFOLD_HD state lift(Item item, std::int64_t) const {
    const double x = detail::absolute(detail::keep<rule>(static_cast<double>(item), 0.0));
    if constexpr (!scaled) return {0.0, x * x, 0.0};
    const bool is_large = x > 0x1p480;
    const bool is_small = x < 0x1p-480;
    const double l = is_large ? x * 0x1p-600 : 0.0;
    const double m = is_large || is_small ? 0.0 : x;
    const double s = is_small ? x * 0x1p600 : 0.0;
    return {l * l, m * m, s * s};
  }
  MONOFOLD_HD state combine(const state& left, const state& right) const {
    return {left.large + right.large, left.middle + right.middle, left.small + right.small};
  }
  MONOFOLD_HD state identity() const { return {0.0, 0.0, 0.0}; }

  MONOFOLD_HD_CALL double finish(const state& s) const {
    if (is_nan(s.middle)) return one_nan(s.middle);
    if (s.large > 0) {
      // Squares of the middle range are below 2^960: scaled by 2^-1200 they still count where
      // they can, next to squares above 2^-240.
      return std::sqrt(s.large + std::ldexp(s.middle, -1200)) * 0x1p600;
    }
    if (s.middle > 0) return std::sqrt(s.middle + std::ldexp(s.small, -1200));
    return std::sqrt(s.small) * 0x1p-600;
  }
  /// The mean of the squares of `count` items, at least one.
  ///
  /// accuracy   relative error <= (ceil(log2(n)) + 16) u where the result is a normal number
  MONOFOLD_HD_CALL static double mean_square(const state& s, std::int64_t count) {
    const auto n = static_cast<double>(count);
    if (is_nan(s.middle)) return one_nan(s.middle);
    if (s.large > 0) return (s.large + std::ldexp(s.middle, -1200)) / n * 0x1p600 * 0x1p600;
    if (s.middle > 0) return (s.middle + std::ldexp(s.small, -1200)) / n;
    return s.small / n * 0x1p-600 * 0x1p-600;
  }
};

/// The square root of the exact sum of squares of integers, rounded once.
template <class Item>
struct integer_norm2_fold : detail::integer_moments_slots<Item> {
  using slots = detail::integer_moments_slots<Item>;
  using state = uint256;
  static constexpr bool commutative = true;
  static constexpr bool exact = true;

  MONOFOLD_HD state lift(Item item, std::int64_t index) const {
    return integer_moments_fold<Item>{}.lift(item, index).squares;
  }
  MONOFOLD_HD state combine(const state& left, const state& right) const {
    return add(left, right);
  }
  MONOFOLD_HD bool subtract(state& own, const state& part) const {
    own = monofold::subtract(own, part);
    return own.limb[3] >> 63 == 0;
  }
  MONOFOLD_HD state identity() const { return {}; }
  MONOFOLD_HD void absorb_run(state& own, const Item* items, std::int64_t count,
                              std::int64_t) const {
    own = add(own, integer_moments_fold<Item>::sum_squares(items, count));
  }
  MONOFOLD_HD state flush(const typename slots::accumulator& own, std::int64_t count) const {
    return slots::flush(own, count).squares;
  }
  MONOFOLD_HD_CALL double finish(const state& s) const { return sqrt_to_double(s); }
};

namespace detail {

/// |x| as a double. A float that is subnormal goes by its bits, whatever a caller's arithmetic does with it.
MONOFOLD_HD double magnitude_of(double x) { return absolute(x); }
MONOFOLD_HD double magnitude_of(float x) {
  const std::uint32_t bits = magnitude_bits(x);
  if (bits >> float_format<float>::fraction_bits != 0) return absolute(static_cast<double>(x));
  return static_cast<double>(static_cast<std::int32_t>(bits)) * 0x1p-149;
}
template <class Half>
MONOFOLD_HD double magnitude_of(const Half& x) {
  return magnitude_of(static_cast<float>(x));
}

}  // namespace detail

/// The largest magnitude: a double for floats, uint64 for integers; 0 for no items.
template <class Item, nan_rule rule = nan_rule::propagate>
struct norm_inf_fold {
  static constexpr bool floating = is_floating_v<Item>;
  using state = std::uint64_t;  // the bits of |x| as a double ascend with it, NaN on top
  static constexpr bool commutative = true;
  static constexpr bool exact = true;

  MONOFOLD_HD state lift(Item item, std::int64_t) const {
    if constexpr (floating) {
      return bits_as<std::uint64_t>(detail::keep<rule>(detail::magnitude_of(item), 0.0));
    } else {
      return detail::magnitude(item);
    }
  }
  MONOFOLD_HD state combine(state left, state right) const { return left < right ? right : left; }
  MONOFOLD_HD state identity() const { return 0; }
  MONOFOLD_HD void absorb_run(state& own, const Item* items, std::int64_t count,
                              std::int64_t index) const {
    state found = own;
    if constexpr (floating) {
      using format = float_format<Item>;
      using bits = std::make_signed_t<typename format::bits>;  // vectors compare them at once
      constexpr auto infinity = static_cast<bits>(format::infinity);
      bits most = 0;
      for (std::int64_t i = 0; i < count; ++i) {
        auto one = static_cast<bits>(magnitude_bits(items[i]));
        if (rule == nan_rule::omit && one > infinity) one = 0;
        most = one > most ? one : most;
      }
      // Every NaN counts where there are several.
      if (most <= infinity) {
        own = combine(own,
                      lift(float_from_bits<Item>(static_cast<typename format::bits>(most)), index));
        return;
      }
    }
    for (std::int64_t i = 0; i < count; ++i) found = combine(found, lift(items[i], index + i));
    own = found;
  }

  MONOFOLD_HD_CALL constexpr auto finish(state s) const {
    if constexpr (floating) {
      const double x = bits_as<double>(s);
      return one_nan(x);
    } else {
      return s;
    }
  }
};

namespace detail {

struct plain_norm1_family {
  template <class Item>
  requires is_number_v<Item> MONOFOLD_HD_CALL constexpr auto on() const {
    if constexpr (is_floating_v<Item>) {
      return norm1_fold<Item>{};
    } else {
      return integer_norm1_fold<Item>{};
    }
  }
};

struct plain_norm2_family {
  template <class Item>
  requires is_number_v<Item> MONOFOLD_HD_CALL constexpr auto on() const {
    if constexpr (is_floating_v<Item>) {
      return norm2_fold<Item>{};
    } else {
      return integer_norm2_fold<Item>{};
    }
  }
};

struct norm_inf_family {
  template <class Item>
  requires is_number_v<Item> MONOFOLD_HD_CALL constexpr auto on() const {
    return norm_inf_fold<Item>{};
  }
};

}  // namespace detail

// In floating point; those that are exact: fold/exact/sum, fold/exact/products.
MONOFOLD_CONSTANT detail::plain_norm1_family plain_norm1{};
MONOFOLD_CONSTANT detail::plain_norm2_family plain_norm2{};

MONOFOLD_CONSTANT detail::norm_inf_family norm_inf{};  // double; uint64 for integers

}  // namespace monofold
