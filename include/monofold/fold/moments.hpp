#pragma once
/// fold/moments: variance and standard deviation.

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "monofold/fold/exact/integer_rounding.hpp"
#include "monofold/fold/nan.hpp"
#include "monofold/fold/sum.hpp"
#include "monofold/platform/host_device.hpp"
#include "monofold/platform/numbers.hpp"
#include "monofold/platform/status.hpp"
#include "monofold/platform/wide_int.hpp"

namespace monofold {

/// Count, mean and sum of squared deviations from it.
struct moments_state {
  std::int64_t count;
  double mean;
  double m2;
};

/// Count, mean and sum of squared deviations of floating-point items, in double.
///
/// order      the plan's tree: the same bits on every engine and for every chunking
/// accuracy   a tile's m2 is sum x^2 - (sum x)^2 / n where that keeps at least 1/128 of sum x^2:
///            then it cancels 7 bits at most, and its relative error is below 2000 u. Elsewhere
///            the tile is read again and deviations are taken from its mean p, which rounding
///            leaves within 16 u |mean| of the true one: the corrected two-pass algorithm.
///            Squares of deviations below 1e-154 underflow and are off by up to 2^-1075 each, which
///            a second look would not change: m2 of n items in t tiles is off by at most
///            n (2 + ceil(log2 t) / 4) 2^-1075 more, some smallest doubles in the variance
/// NaN        an infinity makes the variance NaN; deviations beyond 1e154 from a tile's mean (its
///            rounding error is one, for items beyond 1e169) make it infinite
/// source     Chan, Golub, LeVeque 1983, The American Statistician 37(3), eqs. 1.5b (joining) and
///            1.7 (corrected two-pass)
template <class Item, nan_rule rule = nan_rule::propagate>
struct moments_fold {
  using state = moments_state;
  struct accumulator {
    double sum;      // of x - pivot
    double squares;  // of (x - pivot)^2
  };
  static constexpr bool commutative = true;

  static constexpr double largest = std::numeric_limits<double>::max();

  MONOFOLD_HD state lift(Item item, std::int64_t) const {
    const auto x = static_cast<double>(item);
    return {1, x, x - x};  // 0, or NaN for an infinity
  }
  MONOFOLD_HD state combine(const state& left, const state& right) const {
    if (right.count == 0) return left;
    if (left.count == 0) return right;
    const std::int64_t count = left.count + right.count;
    const double delta = right.mean - left.mean;
    const double share = static_cast<double>(right.count) / static_cast<double>(count);
    return {count, left.mean + delta * share,
            left.m2 + right.m2 + delta * delta * (static_cast<double>(left.count) * share)};
  }
  MONOFOLD_HD state identity() const { return {0, 0.0, 0.0}; }

  MONOFOLD_HD bool suffices(const accumulator& tile, std::int64_t count) const {
    const double m2 = tile.squares - tile.sum * (tile.sum / static_cast<double>(count));
    // False for an overflow to infinity, which deviations may avoid, and for NaN, where it is
    // harmless.
    return m2 >= tile.squares * 0x1p-7 && tile.squares <= largest;
  }
  MONOFOLD_HD moments_fold again(const accumulator& tile, std::int64_t count) const {
    moments_fold second;
    second.pivot_ = tile.sum / static_cast<double>(count);
    return second;
  }
  MONOFOLD_HD accumulator open(Item item, std::int64_t) const {
    const double d = static_cast<double>(item) - pivot_;
    return {d, d * d};
  }
  MONOFOLD_HD void absorb(accumulator& own, Item item, std::int64_t) const {
    const double d = static_cast<double>(item) - pivot_;
    own.sum += d;
    own.squares += d * d;
  }
  MONOFOLD_HD accumulator join(const accumulator& left, const accumulator& right) const {
    return {left.sum + right.sum, left.squares + right.squares};
  }
  MONOFOLD_HD state flush(const accumulator& own, std::int64_t count) const {
    const double mean = own.sum / static_cast<double>(count);
    const double m2 = own.squares - own.sum * mean;
    // Squares that overflow make the variance infinite, not NaN.
    if (own.squares > largest) return {count, pivot_ + mean, own.squares};
    return {count, pivot_ + mean, m2 < 0 ? 0.0 : m2};
  }
  /// Deviations are taken from here: 0 but in a second look.
  MONOFOLD_HD double pivot() const { return pivot_; }

 private:
  double pivot_ = 0;
};

/// The same with NaN left out: items join one by one, since a tile then has no count of its own.
///
/// source     Welford 1962, Technometrics 4(3)
template <class Item>
struct moments_fold<Item, nan_rule::omit> {
  using state = moments_state;
  static constexpr bool commutative = true;
  using plain = moments_fold<Item, nan_rule::propagate>;

  MONOFOLD_HD state lift(Item item, std::int64_t index) const {
    return is_nan(item) ? identity() : plain{}.lift(item, index);
  }
  MONOFOLD_HD state combine(const state& left, const state& right) const {
    return plain{}.combine(left, right);
  }
  MONOFOLD_HD state identity() const { return {0, 0.0, 0.0}; }
  MONOFOLD_HD void absorb(state& own, Item item, std::int64_t) const {
    if (is_nan(item)) return;
    const auto x = static_cast<double>(item);
    const double delta = x - own.mean;
    own.count += 1;
    own.mean += delta / static_cast<double>(own.count);
    own.m2 += delta * (x - own.mean);
  }
};

/// Count, sum and sum of squares of integer items, exactly.
struct integer_moments_state {
  std::int64_t count;
  int128 sum;
  uint256 squares{};  // by braces: nvcc takes its constructor for one of the host alone
};

namespace detail {

/// What a lane adds the items of a tile in, 4096 at most, and their squares: as many bits as they take, where
/// the state has 450.
template <class Item, int bytes = sizeof(Item)>
struct integer_moments_slots {
  struct accumulator {
    std::int32_t sum;
    std::conditional_t<bytes == 1, std::uint32_t, std::uint64_t> squares;
  };

  MONOFOLD_HD accumulator open(Item item, std::int64_t) const {
    const auto x = static_cast<std::int32_t>(item);
    return {x, static_cast<std::uint32_t>(x) * static_cast<std::uint32_t>(x)};
  }
  MONOFOLD_HD void absorb(accumulator& own, Item item, std::int64_t index) const {
    own = join(own, open(item, index));
  }
  MONOFOLD_HD accumulator join(const accumulator& left, const accumulator& right) const {
    return {left.sum + right.sum, left.squares + right.squares};
  }
  MONOFOLD_HD integer_moments_state flush(const accumulator& own, std::int64_t count) const {
    return {count, own.sum, monofold::widen(own.squares)};
  }
};
template <class Item>
struct integer_moments_slots<Item, 4> {
  struct accumulator {
    std::int64_t sum;
    std::uint64_t low;  // halves of squares
    std::uint64_t high;
  };

  MONOFOLD_HD accumulator open(Item item, std::int64_t) const {
    const auto x = static_cast<std::int64_t>(item);
    const auto square = static_cast<std::uint64_t>(x) * static_cast<std::uint64_t>(x);
    return {x, square & 0xffffffffu, square >> 32};
  }
  MONOFOLD_HD void absorb(accumulator& own, Item item, std::int64_t index) const {
    own = join(own, open(item, index));
  }
  MONOFOLD_HD accumulator join(const accumulator& left, const accumulator& right) const {
    return {left.sum + right.sum, left.low + right.low, left.high + right.high};
  }
  MONOFOLD_HD integer_moments_state flush(const accumulator& own, std::int64_t count) const {
    return {count, own.sum, monofold::widen((uint128{own.high} << 32) + own.low)};
  }
};
template <class Item>
struct integer_moments_slots<Item, 8> {
  struct accumulator {
    int128 sum;
    uint128 squares;
    std::uint32_t carries;  // of squares
  };

  MONOFOLD_HD accumulator open(Item item, std::int64_t) const {
    const auto x = static_cast<std::uint64_t>(item);
    return {item, monofold::square_of(std::is_signed_v<Item> && item < 0 ? 0 - x : x), 0};
  }
  MONOFOLD_HD void absorb(accumulator& own, Item item, std::int64_t index) const {
    own = join(own, open(item, index));
  }
  MONOFOLD_HD accumulator join(const accumulator& left, const accumulator& right) const {
    accumulator both{left.sum + right.sum, left.squares, left.carries + right.carries};
    add_carrying(both.squares, right.squares, both.carries);
    return both;
  }
  MONOFOLD_HD integer_moments_state flush(const accumulator& own, std::int64_t count) const {
    uint256 squares = monofold::widen(own.squares);
    squares.limb[2] = own.carries;
    return {count, own.sum, squares};
  }
};

}  // namespace detail

template <class Item>
struct integer_moments_fold : detail::integer_moments_slots<Item> {
  using item = Item;
  using state = integer_moments_state;
  static constexpr bool commutative = true;
  static constexpr bool exact = true;

  MONOFOLD_HD state lift(Item item, std::int64_t) const {
    const auto x = static_cast<int128>(item);
    // Multiplied without a sign: the square of 2^64 - 1 does not fit an int128.
    return {1, x, widen(static_cast<uint128>(x) * static_cast<uint128>(x))};
  }
  MONOFOLD_HD state combine(const state& left, const state& right) const {
    return {left.count + right.count, left.sum + right.sum, add(left.squares, right.squares)};
  }
  MONOFOLD_HD bool subtract(state& own, const state& part) const {
    own = {own.count - part.count, own.sum - part.sum,
           monofold::subtract(own.squares, part.squares)};
    return own.count >= 0 && own.squares.limb[3] >> 63 == 0;
  }
  MONOFOLD_HD state identity() const { return {0, 0, {}}; }
  MONOFOLD_HD void absorb_run(state& own, const Item* items, std::int64_t count,
                              std::int64_t) const {
    own.count += count;
    own.sum += detail::sum_integers(items, count);
    own.squares = add(own.squares, sum_squares(items, count));
  }

  /// The exact sum of the squares of a run of at most 2^32 items.
  MONOFOLD_HD static uint256 sum_squares(const Item* items, std::int64_t count) {
    if constexpr (sizeof(Item) == 1) {
      // 2^16 squares of at most 2^16 each stay within 2^32.
      std::uint64_t total = 0;
      for (std::int64_t at = 0; at < count;) {
        const std::int64_t end = count - at < 65536 ? count : at + 65536;
        std::uint32_t sum = 0;
        for (; at < end; ++at) {
          const auto x = static_cast<int>(items[at]);
          sum += static_cast<std::uint32_t>(x * x);
        }
        total += sum;
      }
      return widen(total);
    } else if constexpr (sizeof(Item) == 2) {
      std::uint64_t sum = 0;  // squares below 2^32
      for (std::int64_t i = 0; i < count; ++i) {
        const auto x = static_cast<std::int64_t>(items[i]);
        sum += static_cast<std::uint32_t>(x * x);
      }
      return widen(sum);
    } else if constexpr (sizeof(Item) == 4) {
      std::uint64_t low = 0;  // halves below 2^32
      std::uint64_t high = 0;
      for (std::int64_t i = 0; i < count; ++i) {
        const std::int64_t x = items[i];
        const auto square = static_cast<std::uint64_t>(x) * static_cast<std::uint64_t>(x);
        low += square & 0xffffffffu;
        high += square >> 32;
      }
      return widen((uint128{high} << 32) + low);
    } else {
      uint128 low = 0;  // halves below 2^64
      uint128 high = 0;
      for (std::int64_t i = 0; i < count; ++i) {
        const auto x = static_cast<int128>(items[i]);
        const auto square = static_cast<uint128>(x) * static_cast<uint128>(x);
        low += static_cast<std::uint64_t>(square);
        high += square >> 64;
      }
      const uint256 upper = widen(high);
      return add(widen(low), {{0, upper.limb[0], upper.limb[1], upper.limb[2]}});
    }
  }
};

/// The sum of squared deviations over (count - ddof).
///
/// errors     empty_input where count <= ddof
/// accuracy   integers: (n Q - S^2) / (n (n - ddof)) rounded once
MONOFOLD_HD_CALL result<double> variance_of(const moments_state& s, std::int64_t ddof) {
  if (s.count <= ddof || s.count == 0) return status::empty_input;
  return one_nan(s.m2 / static_cast<double>(s.count - ddof));
}

namespace detail {

/// n Q - S^2, which is not negative by the inequality of Cauchy and Schwarz.
MONOFOLD_HD_CALL uint256 squared_deviations(const integer_moments_state& s) {
  const uint128 magnitude =
      s.sum < 0 ? uint128{0} - static_cast<uint128>(s.sum) : static_cast<uint128>(s.sum);
  return subtract(multiply(s.squares, static_cast<std::uint64_t>(s.count)),
                  multiply(magnitude, magnitude));
}

}  // namespace detail

MONOFOLD_HD_CALL result<double> variance_of(const integer_moments_state& s, std::int64_t ddof) {
  if (s.count <= ddof || s.count == 0) return status::empty_input;
  const auto n = static_cast<std::uint64_t>(s.count);
  return divide_to_double(detail::squared_deviations(s),
                          widen(uint128{n} * static_cast<uint128>(s.count - ddof)));
}

/// The square root of the variance.
///
/// errors     empty_input where count <= ddof
/// accuracy   integers: rounded once, from the exact fraction
MONOFOLD_HD_CALL result<double> deviation_of(const moments_state& s, std::int64_t ddof) {
  const result<double> variance = variance_of(s, ddof);
  if (!variance) return variance;
  return std::sqrt(*variance);
}

MONOFOLD_HD_CALL result<double> deviation_of(const integer_moments_state& s, std::int64_t ddof) {
  if (s.count <= ddof || s.count == 0) return status::empty_input;
  const uint256 numerator = detail::squared_deviations(s);
  const uint128 divisor =
      uint128{static_cast<std::uint64_t>(s.count)} * static_cast<std::uint64_t>(s.count - ddof);
  return sqrt_of_quotient_to_double(numerator, divisor);
}

namespace detail {

template <class Item, nan_rule rule>
using moments_fold_t =
    std::conditional_t<is_floating_v<Item>, moments_fold<Item, rule>, integer_moments_fold<Item>>;

template <class Item, bool root>
struct variance_fold : moments_fold_t<Item, nan_rule::propagate> {
  using base = moments_fold_t<Item, nan_rule::propagate>;
  std::int64_t ddof = 0;

  MONOFOLD_HD_CALL constexpr explicit variance_fold(std::int64_t freedom) : ddof(freedom) {}
  template <class Accumulator>
  MONOFOLD_HD variance_fold again(const Accumulator& tile,
                                  std::int64_t count) const requires is_floating_v<Item> {
    variance_fold second(*this);
    static_cast<base&>(second) = base::again(tile, count);
    return second;
  }
  MONOFOLD_HD_CALL result<double> finish(const typename base::state& s) const {
    return root ? deviation_of(s, ddof) : variance_of(s, ddof);
  }
};

template <bool root>
struct plain_variance_family {
  std::int64_t ddof;

  template <class Item>
  requires is_number_v<Item> MONOFOLD_HD_CALL constexpr auto on() const {
    return variance_fold<Item, root>(ddof);
  }
};

}  // namespace detail

/// The variance, divisor n - ddof, in double; the one that is exact: fold/exact/moments.
constexpr detail::plain_variance_family<false> plain_variance(std::int64_t ddof = 0) {
  return {ddof};
}

/// The square root of the variance.
constexpr detail::plain_variance_family<true> plain_standard_deviation(std::int64_t ddof = 0) {
  return {ddof};
}

}  // namespace monofold
