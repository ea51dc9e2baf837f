#pragma once
/// fold/exact/window_vectors: the loops of window_sums, for each instruction set.

#include <cstdint>
#include <cstring>

#include "monofold/fold/exact/accumulator.hpp"
#include "monofold/fold/exact/anchored_sums.hpp"
#include "monofold/fold/exact/few.hpp"
#include "monofold/fold/exact/vectors.hpp"
#include "monofold/fold/exact/window_quotients.hpp"
#include "monofold/fold/exact/window_verified.hpp"
#include "monofold/platform/bits.hpp"
#include "monofold/platform/float_format.hpp"
#include "monofold/platform/host_device.hpp"
#include "monofold/platform/instruction_set.hpp"
#include "monofold/platform/strict_arithmetic.hpp"

namespace monofold::detail {

/// Windows that move on together.
inline constexpr int window_block = 1024;

struct window_facts {
  double largest = 0;  // magnitude, of the finite ones where all are
  bool is_finite = false;
  bool is_known = false;  // else there is no arithmetic to do it with
};

/// 1.5 * 2^52 units of what is cut off: upper parts, and what is left of the rests.
struct window_anchors {
  double upper;
  double lower;
  double most;        // magnitude of items
  double most_upper;  // of sums of upper parts: below this all are exact
  double most_lower;
};

#if defined(MONOFOLD_EXACT_LEVELS)

/// The lanes of a vector moved up by so many places, zeros below; or its last lane in all of them.
template <int bytes>
struct lane_moves {
  using real = typename lanes<bytes>::real;

  template <int up>
  MONOFOLD_INLINE static void move_up(const real& from, real& out) {
    const real zero = {};
    if constexpr (bytes == 16) {
      out = __builtin_shufflevector(from, zero, 2, 0);
    } else if constexpr (bytes == 32) {
      if constexpr (up == 1) out = __builtin_shufflevector(from, zero, 4, 0, 1, 2);
      if constexpr (up == 2) out = __builtin_shufflevector(from, zero, 4, 4, 0, 1);
    } else {
      if constexpr (up == 1) out = __builtin_shufflevector(from, zero, 8, 0, 1, 2, 3, 4, 5, 6);
      if constexpr (up == 2) out = __builtin_shufflevector(from, zero, 8, 8, 0, 1, 2, 3, 4, 5);
      if constexpr (up == 4) out = __builtin_shufflevector(from, zero, 8, 8, 8, 8, 0, 1, 2, 3);
    }
  }
  MONOFOLD_INLINE static void add_up(real& sums) {
    real moved;
    move_up<1>(sums, moved);
    sums += moved;
    if constexpr (bytes >= 32) {
      move_up<2>(sums, moved);
      sums += moved;
    }
    if constexpr (bytes >= 64) {
      move_up<4>(sums, moved);
      sums += moved;
    }
  }
  MONOFOLD_INLINE static void last(const real& from, real& out) {
    if constexpr (bytes == 16) out = __builtin_shufflevector(from, from, 1, 1);
    if constexpr (bytes == 32) out = __builtin_shufflevector(from, from, 3, 3, 3, 3);
    if constexpr (bytes == 64) out = __builtin_shufflevector(from, from, 7, 7, 7, 7, 7, 7, 7, 7);
  }
};

template <int bytes>
MONOFOLD_INLINE void load_lanes(const double* from, typename lanes<bytes>::real& out) {
  __builtin_memcpy(&out, from, bytes);
}

/// The magnitude of the largest item; whole vectors at a time, and zeros fill up the last one.
__attribute__((noinline)) inline void find_facts_portable(const double* items, int count,
                                                          window_facts& facts) {
  constexpr int bytes = 16, width = bytes / 8;
  using real = lanes<bytes>::real;
  using whole = lanes<bytes>::whole;
  real most = {};
  real not_finite = {};  // x - x: NaN where x is no finite number
  for (int at = 0; at < count; at += width) {
    real x = {};
    if (at + width <= count) {
      std::memcpy(&x, items + at, bytes);
    } else {
      for (int i = at; i < count; ++i) x[i - at] = items[i];
    }
    const real size = (real)((whole)x & INT64_MAX);  // NOLINT: the bits
    most = size > most ? size : most;
    not_finite += x - x;
  }
  for (int l = 0; l < width; ++l) {
    facts.largest = most[l] > facts.largest ? most[l] : facts.largest;
    facts.is_finite &= not_finite[l] == 0;
  }
}

/// What is kept of sums of differences while a block passes: those of upper parts and of the rests.
template <int bytes, bool checks_leaving>
struct slide_lanes {
  using real = typename lanes<bytes>::real;
  using whole = typename lanes<bytes>::whole;
  using moves = lane_moves<bytes>;

  real upper_anchor;
  real lower_anchor;
  real upper = {};  // of the last window, in all lanes
  real lower = {};
  whole misfit = {};  // bits of what lies below the lower anchor's unit, NaN among them
  real most = {};
  real most_upper = {};
  real most_lower = {};
  whole minus_zeros = {};
  whole any_minus_zero = {};
  whole any_zero = {};

  MONOFOLD_INLINE explicit slide_lanes(const window_anchors& anchors)
      : upper_anchor(real{} + anchors.upper), lower_anchor(real{} + anchors.lower) {}

  MONOFOLD_INLINE void cut(const real& x, real& part, real& rest) const {
    MONOFOLD_AS_WRITTEN
    part = (x + upper_anchor) - upper_anchor;
    rest = x - part;
  }
  MONOFOLD_INLINE void check(const real& x, const real& rest) {
    MONOFOLD_AS_WRITTEN
    const real below = rest - ((rest + lower_anchor) - lower_anchor);
    misfit |= (whole)below & INT64_MAX;  // NOLINT: the bits; of -0 the rest is -0
    keep_largest(x, most);
  }
  MONOFOLD_INLINE static void keep_largest(const real& x, real& largest) {
    const real size = (real)((whole)x & INT64_MAX);  // NOLINT: the bits
    largest = size > largest ? size : largest;
  }
  /// The window moves on by as many items as there are lanes, and its sums are a + b.
  MONOFOLD_INLINE void take(const real& leaving, const real& entering, real& a, real& b) {
    MONOFOLD_AS_WRITTEN
    real upper_in, upper_out, rest_in, rest_out;
    cut(entering, upper_in, rest_in);
    cut(leaving, upper_out, rest_out);
    check(entering, rest_in);
    if constexpr (checks_leaving) check(leaving, rest_out);
    const whole zero_in = (whole)entering == INT64_MIN;      // NOLINT
    minus_zeros += ((whole)leaving == INT64_MIN) - zero_in;  // NOLINT: -1 where it is so
    any_minus_zero |= zero_in;
    real uppers = upper_in - upper_out;
    real lowers = rest_in - rest_out;
    moves::add_up(uppers);
    moves::add_up(lowers);
    a = upper + uppers;
    b = lower + lowers;
    keep_largest(a, most_upper);
    keep_largest(b, most_lower);
    moves::last(uppers, uppers);
    moves::last(lowers, lowers);
    upper += uppers;
    lower += lowers;
  }
  MONOFOLD_INLINE void tell(const window_anchors& anchors, window_parts& sum) const {
    sum.any_minus_zero = sum.any_zero = false;
    sum.fits = true;
    for (int i = 0; i < lanes<bytes>::doubles; ++i) {
      sum.fits &= misfit[i] == 0 && most[i] <= anchors.most &&
                  most_upper[i] <= anchors.most_upper && most_lower[i] <= anchors.most_lower;
      sum.minus_zeros += minus_zeros[i];
      sum.any_minus_zero |= any_minus_zero[i] != 0;
      sum.any_zero |= any_zero[i] != 0;
    }
  }
};

/// Where `low` is null, it is not wanted; where `leaving` is, nothing leaves.
template <int bytes, bool checks_leaving, bool with_low>
MONOFOLD_INLINE void slide_block_on(const double* leaving, const double* entering, int count,
                                    const window_anchors& anchors, window_parts& sum, double* high,
                                    double* low) {
  MONOFOLD_AS_WRITTEN
  using real = typename lanes<bytes>::real;
  constexpr int width = lanes<bytes>::doubles;
  slide_lanes<bytes, checks_leaving> own(anchors);
  // The sum so far, as two items that enter.
  real x = {}, y = {}, a, b;
  y[0] = sum.high;
  y[1] = sum.low;
  own.take(x, y, a, b);
  own.most = real{};
  own.minus_zeros = own.any_minus_zero = typename lanes<bytes>::whole{};
  for (int at = 0; at < count; at += width) {
    const int n = count - at < width ? count - at : width;
    if (n == width) {
      if (leaving != nullptr) std::memcpy(&x, leaving + at, bytes);
      std::memcpy(&y, entering + at, bytes);
    } else {
      x = real{};
      y = real{};
      for (int i = 0; i < n; ++i) {
        if (leaving != nullptr) x[i] = leaving[at + i];
        y[i] = entering[at + i];
      }
    }
    own.take(x, y, a, b);
    const real h = a + b;
    own.any_zero |= (typename lanes<bytes>::whole)(h == 0);  // NOLINT
    if (n == width) {
      std::memcpy(high + at, &h, bytes);
    } else {
      for (int i = 0; i < n; ++i) high[at + i] = h[i];
    }
    if constexpr (with_low) {
      const real b_part = h - a;
      const real l = (a - (h - b_part)) + (b - b_part);
      if (n == width) {
        std::memcpy(low + at, &l, bytes);
      } else {
        for (int i = 0; i < n; ++i) low[at + i] = l[i];
      }
    }
  }
  const sum_and_rest last(own.upper[0], own.lower[0]);
  sum.high = last.sum;
  sum.low = last.rest;
  own.tell(anchors, sum);
}

template <int bytes>
MONOFOLD_INLINE void slide_any_on(bool checks_leaving, const double* leaving,
                                  const double* entering, int count, const window_anchors& anchors,
                                  window_parts& sum, double* high, double* low) {
  if (checks_leaving) {
    if (low != nullptr) {
      slide_block_on<bytes, true, true>(leaving, entering, count, anchors, sum, high, low);
    } else {
      slide_block_on<bytes, true, false>(leaving, entering, count, anchors, sum, high, low);
    }
  } else if (low != nullptr) {
    slide_block_on<bytes, false, true>(leaving, entering, count, anchors, sum, high, low);
  } else {
    slide_block_on<bytes, false, false>(leaving, entering, count, anchors, sum, high, low);
  }
}

/// The loops, each in a function of its own for each instruction set: the loops inlined there take that of the
/// function.
#define MONOFOLD_WINDOW_LOOPS(suffix, bytes, ...)                                                 \
  __VA_ARGS__ inline void slide_block_##suffix(                                                   \
      bool checks_leaving, const double* leaving, const double* entering, int count,              \
      const window_anchors& anchors, window_parts& sum, double* high, double* low) {              \
    slide_any_on<bytes>(checks_leaving, leaving, entering, count, anchors, sum, high, low);       \
  }                                                                                               \
  __VA_ARGS__ inline bool divide_block_##suffix(const double* high, const double* low, int count, \
                                                const divisors& by, double* out) {                \
    return divide_block_on<(bytes < 32 ? bytes : 32), (bytes > 16), false>(high, low, count, by,  \
                                                                           out);                  \
  }

MONOFOLD_WINDOW_LOOPS(portable, 16, __attribute__((noinline)))
#if defined(MONOFOLD_EXACT_X86)
MONOFOLD_WINDOW_LOOPS(avx2, 32, __attribute__((target("avx2,fma,bmi2"), noinline)))
#if !defined(MONOFOLD_QUIET_VECTORS)
MONOFOLD_WINDOW_LOOPS(avx512, 64,
                      __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,bmi2"),
                                     noinline)))
#endif
#endif
#undef MONOFOLD_WINDOW_LOOPS

/// Calls the loop of a name for the instruction set in use. Where there are verified loops for AVX-512, those of AVX2
/// take what these leave: gcc 12 takes comparisons of vectors of eight apart.
#if defined(MONOFOLD_QUIET_VECTORS)
#define MONOFOLD_WINDOW_CALL(name, ...)                                                       \
  if (instruction_set_in_use() != instruction_set::baseline) return name##_avx2(__VA_ARGS__); \
  return name##_portable(__VA_ARGS__)
#elif defined(MONOFOLD_EXACT_X86)
#define MONOFOLD_WINDOW_CALL(name, ...)                              \
  switch (instruction_set_in_use()) {                                \
    case instruction_set::avx512: return name##_avx512(__VA_ARGS__); \
    case instruction_set::avx2: return name##_avx2(__VA_ARGS__);     \
    case instruction_set::baseline: break;                           \
  }                                                                  \
  return name##_portable(__VA_ARGS__)
#else
#define MONOFOLD_WINDOW_CALL(name, ...) return name##_portable(__VA_ARGS__)
#endif

/// What is known of items; nothing, where doubles are not added as written.
inline void find_facts(const double* items, int count, window_facts& facts) {
  const strict_arithmetic arithmetic;
  if (!arithmetic.holds()) return;
  facts.is_known = true;
#if defined(MONOFOLD_EXACT_X86)
  if (instruction_set_in_use() != instruction_set::baseline) {
    double most = 0;
    run_by_vectors(magnitude_work{items, count, most});
    facts.is_finite &= bits_as<std::uint64_t>(most) < float_format<double>::infinity;
    if (most > facts.largest) facts.largest = most;
    return;
  }
#endif
  find_facts_portable(items, count, facts);
}

/// The sums after each of `count` moves; where they do not fit, `sum.fits` is false, and they are any.
inline void slide_block(bool checks_leaving, const double* leaving, const double* entering,
                        int count, const window_anchors& anchors, window_parts& sum, double* high,
                        double* low) {
  const strict_arithmetic arithmetic;
  MONOFOLD_WINDOW_CALL(slide_block, checks_leaving, leaving, entering, count, anchors, sum, high,
                       low);
}

/// Sums of `slide_block` over counts of items below 2^25, each rounded once; false: they are not found here.
inline bool divide_block(const double* high, const double* low, int count, const divisors& by,
                         double* out) {
  const strict_arithmetic arithmetic;
  if (by.first + count * by.step >= 0x1p25) return false;
  MONOFOLD_WINDOW_CALL(divide_block, high, low, count, by, out);
}
#undef MONOFOLD_WINDOW_CALL

#else
inline void find_facts(const double*, int, window_facts&) {}
inline void slide_block(bool, const double*, const double*, int, const window_anchors&,
                        window_parts& sum, double*, double*) {
  sum.fits = false;
}
inline bool divide_block(const double*, const double*, int, const divisors&, double*) {
  return false;
}
#endif

}  // namespace monofold::detail
