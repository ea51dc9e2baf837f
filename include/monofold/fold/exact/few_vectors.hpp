#pragma once
/// fold/exact/few_vectors: a few items added up by vectors, into two doubles a lane.

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "monofold/fold/exact/accumulator.hpp"
#include "monofold/fold/exact/sum_of_two.hpp"
#include "monofold/fold/exact/sweep.hpp"
#include "monofold/fold/exact/term.hpp"
#include "monofold/fold/exact/vectors.hpp"
#include "monofold/platform/host_device.hpp"
#include "monofold/platform/instruction_set.hpp"
#include "monofold/platform/strict_arithmetic.hpp"

namespace monofold::detail {

#if defined(MONOFOLD_EXACT_LEVELS)
/// a + b = the sum and what its rounding left out, exactly; NaN where that overflows.
///
/// source     Knuth 1969, TAOCP vol. 2, 4.2.2
template <class Number>
MONOFOLD_INLINE void add_with_rest(const Number& a, const Number& b, Number& sum, Number& rest) {
  MONOFOLD_AS_WRITTEN
  const Number total = a + b;
  const Number b_part = total - a;
  const Number left = (a - (total - b_part)) + (b - b_part);
  sum = total;
  rest = left;
}
/// The same of two doubles, by their names.
struct sum_and_rest {
  double sum;
  double rest;

  MONOFOLD_INLINE sum_and_rest(double a, double b) { add_with_rest(a, b, sum, rest); }
};
#endif

#if defined(MONOFOLD_EXACT_X86)

/// Fewer items than this are added one by one: at least a vector of them.
inline constexpr std::int64_t least_in_lanes = 8;

// Vectors go by reference: by value their ABI varies.

/// Lanes whose sum is high + low where all bits of `lost` but the signs are 0. `doubles`: 1 where high alone may hold it,
/// which takes half the additions.
template <int bytes, int doubles>
struct summed_lanes {
  using real = typename lanes<bytes>::real;
  using whole = typename lanes<bytes>::whole;
  real high;
  real low;
  whole lost;

  MONOFOLD_INLINE void lose(const real& rest) { lost |= (whole)rest; }  // NOLINT: the bits
  MONOFOLD_INLINE void add(const real& x) {
    real rest;
    add_with_rest(high, x, high, rest);
    if constexpr (doubles == 2) add_with_rest(low, rest, low, rest);
    lose(rest);
  }
};

/// Half as many lanes with the same sum, down to one; false: something was lost.
template <int bytes, int doubles>
MONOFOLD_INLINE bool join_lanes(const summed_lanes<bytes, doubles>& all, sum_of_two& out) {
  if constexpr (bytes == 8) {
    double rest = 0;
    add_with_rest<double>(all.high[0], all.low[0], out.high, rest);
    // `high` is -0 where all items are, and stays it.
    if (all.low[0] == 0) out.high = all.high[0];
    out.low = all.low[0] == 0 ? 0 : rest;
    out.lost = rest - rest;  // NaN where that overflowed
    return all.lost[0] << 1 == 0 && out.lost == 0;
  } else {
    using half = summed_lanes<bytes / 2, doubles>;
    half part[2];
    for (int h = 0; h < 2; ++h) {
      const std::size_t at = static_cast<std::size_t>(h) * (bytes / 2);
      std::memcpy(&part[h].high, reinterpret_cast<const char*>(&all.high) + at, bytes / 2);
      std::memcpy(&part[h].low, reinterpret_cast<const char*>(&all.low) + at, bytes / 2);
      std::memcpy(&part[h].lost, reinterpret_cast<const char*>(&all.lost) + at, bytes / 2);
    }
    half joined{part[0].high, part[0].low, part[0].lost | part[1].lost};
    joined.add(part[1].high);
    if constexpr (doubles == 2) {
      typename half::real rest;
      add_with_rest(joined.low, part[1].low, joined.low, rest);
      joined.lose(rest);
    }
    return join_lanes<bytes / 2, doubles>(joined, out);
  }
}

/// The terms of the next items, as many as a vector has doubles.
template <int bytes, class Term>
MONOFOLD_INLINE void load_terms(const typename Term::item* items,
                                typename lanes<bytes>::real& out) {
  MONOFOLD_AS_WRITTEN
  if constexpr (sizeof(*items) == 8) {
    std::memcpy(&out, items, sizeof(out));
  } else {
    half_of_floats<bytes>(items, 0, out);
  }
  constexpr sweep_kind kind = swept_term<Term>::kind;
  if constexpr (kind == sweep_kind::magnitudes) {
    using bits = typename lanes<bytes>::bits;
    out = (typename lanes<bytes>::real)((bits)out & (~std::uint64_t{0} >> 1));  // NOLINT: the bits
  } else if constexpr (kind == sweep_kind::squares) {
    out *= out;
  }
}

template <class Term, int doubles>
MONOFOLD_INLINE bool add_lanes(const typename Term::item* items, std::int64_t count,
                               sum_of_two& out) {
  constexpr int bytes = 32;  // of 64 a few items fill too few, and more are joined at the end
  constexpr int width = bytes / 8;
  using real = typename lanes<bytes>::real;
  using whole = typename lanes<bytes>::whole;
  summed_lanes<bytes, doubles> own{-real{}, real{}, whole{}};
  std::int64_t i = 0;
  real x;
  for (; i + width <= count; i += width) {
    load_terms<bytes, Term>(items + i, x);
    own.add(x);
  }
  if (i < count) {
    // The last items once more, where those that were added are -0: that changes no sum, not even one of zeros.
    load_terms<bytes, Term>(items + count - width, x);
    const whole added = whole{0, 1, 2, 3} < width - (count - i);
    constexpr auto minus_zero = static_cast<std::int64_t>(std::uint64_t{1} << 63);
    x = (real)(((whole)x & ~added) | (added & minus_zero));  // NOLINT: the bits
    own.add(x);
  }
  return join_lanes(own, out);
}

/// The exact sum of the terms of at least least_in_lanes items, where two doubles a lane hold it; for code that is
/// compiled for AVX2, while arithmetic is strict.
///
/// errors     false: they do not, or there is NaN or an infinity
template <class Term>
MONOFOLD_INLINE bool add_few_lanes(const typename Term::item* items, std::int64_t count,
                                   sum_of_two& out) {
  // Floats whose sizes differ by less than 2^24 or so need no more than a double.
  constexpr bool is_narrow = sizeof(*items) < 8 && swept_term<Term>::kind != sweep_kind::squares;
  if (is_narrow && add_lanes<Term, 1>(items, count, out)) return true;
  return add_lanes<Term, 2>(items, count, out);
}

template <class Term>
__attribute__((target("avx2,fma,bmi2"), noinline)) bool sum_few_by_lanes(
    const typename Term::item* items, std::int64_t count, sum_of_two& out) {
  const strict_arithmetic arithmetic;
  return add_few_lanes<Term>(items, count, out);
}

#endif

}  // namespace monofold::detail
