#pragma once
/// fold/exact/window_spreads: variances, deviations and norms from exact sums of windows, rounded once, by vectors.

#include <cstdint>
#include <cstring>

#include "monofold/fold/exact/accumulator.hpp"
#include "monofold/fold/exact/vectors.hpp"
#include "monofold/platform/host_device.hpp"
#include "monofold/platform/instruction_set.hpp"
#include "monofold/platform/strict_arithmetic.hpp"

namespace monofold::detail {

/// (n Q - S^2) / divisor, or its root: of S, and of Q as a sum of squares and one of what rounding took from them.
/// Each is high + low, apart as those of sum_of_two, in arrays that are read up to a multiple of four.
struct spread_sums {
  const double* sum[2];
  const double* square[2];
  const double* rest;  // high alone: its low part is below 2^-106 of Q
  double n;
  double divisor;  // below 2^53
  bool root;
  double doubt = 0;  // what Q is off by, at most
};

#if defined(MONOFOLD_EXACT_X86)

/// Four windows.
struct spread_lanes {
  using real = lanes<32>::real;
  using whole = lanes<32>::whole;

  real n, divisor, inverse;
  double doubt_before;

  MONOFOLD_INLINE explicit spread_lanes(const spread_sums& all)
      : n(real{} + all.n),
        divisor(real{} + all.divisor),
        inverse(real{} + 1 / all.divisor),
        doubt_before(all.n * all.doubt) {}

  MONOFOLD_INLINE static void size_of(const real& x, real& out) {
    out = (real)((whole)x & INT64_MAX);  // NOLINT: the bits
  }
  MONOFOLD_INLINE static void take_root(const real& x, real& out) {
#if !defined(__clang__)
    __asm__("vsqrtpd {%1, %0|%0, %1}" : "=v"(out) : "v"(x));
#else
    for (int l = 0; l < 4; ++l) out[l] = __builtin_sqrt(x[l]);
#endif
  }
  /// a + b = sum + rest.
  MONOFOLD_INLINE static void add(const real& a, const real& b, real& sum, real& rest) {
    MONOFOLD_AS_WRITTEN
    sum = a + b;
    const real b_part = sum - a;
    rest = (a - (sum - b_part)) + (b - b_part);
  }

  /// n Q - S^2 = high + low, off by `doubt` at most.
  ///
  /// With u = 2^-53 there are products of at most n Q that are exact in two doubles, and numbers of at most 7 u n Q
  /// that take a dozen roundings; what is left out is smaller. Together less than 64 u^2 n Q = 2^-100 n Q (S^2 <= n
  /// Q: Cauchy and Schwarz).
  MONOFOLD_INLINE void subtract(const real (&s)[2], const real (&q)[2], const real& rest,
                                real& high, real& low, real& doubt) const {
    MONOFOLD_AS_WRITTEN
    const real a = n * q[0], b = s[0] * s[0];
    real a_rest, b_rest, first, first_rest;
    multiply_subtract<32>(n, q[0], a, a_rest);
    multiply_subtract<32>(s[0], s[0], b, b_rest);
    add(a, -b, first, first_rest);
    const real small = n * (q[1] + rest) - 2 * s[0] * s[1];
    add(first, first_rest + ((a_rest - b_rest) + small), high, low);
    doubt = a * 0x1p-100 + doubt_before;
  }
  /// What the quotient, or its root, lies between, each rounded.
  MONOFOLD_INLINE void divide(const real& high, const real& low, const real& doubt, bool root,
                              real& least, real& most) const {
    MONOFOLD_AS_WRITTEN
    const real q = high * inverse;
    real left, size, off;
    multiply_add<32>(q, -divisor, high, left);
    left += low;
    size_of(left, size);
    off = size * 0x1p-50 + doubt;
    if (!root) {
      multiply_add<32>(left - off, inverse, q, least);
      multiply_add<32>(left + off, inverse, q, most);
      return;
    }
    // sqrt(q + c) = s + (q - s^2 + c) / (2 s), up to 2^-53 of what is added to s.
    real s, above;
    take_root(q, s);
    multiply_add<32>(s, -s, q, above);
    above += left * inverse;
    size_of(above, size);
    off = off * inverse + size * 0x1p-50;
    const real half = 0.5 / (s > 0x1p-1000 ? s : real{} + 0x1p-1000);
    multiply_add<32>(above - off, half, s, least);
    multiply_add<32>(above + off, half, s, most);
  }
};

/// `out` up to a multiple of four, and `is_known` where both ends round alike: true where all are. Sums of squares
/// beyond 2^-800 to 2^900 are left out, but 0: others have parts below the smallest number, or quotients above the
/// largest.
__attribute__((target("avx2,fma,bmi2"), noinline)) inline bool finish_spreads_avx2(
    const spread_sums& all, int count, double* out, std::int64_t* is_known) {
  using real = spread_lanes::real;
  using whole = spread_lanes::whole;
  const spread_lanes own(all);
  whole all_known = whole{} - 1;
  for (int at = 0; at < count; at += 4) {
    real s[2], q[2], rest, high, low, doubt, least, most;
    std::memcpy(&s[0], all.sum[0] + at, sizeof(real));
    std::memcpy(&s[1], all.sum[1] + at, sizeof(real));
    std::memcpy(&q[0], all.square[0] + at, sizeof(real));
    std::memcpy(&q[1], all.square[1] + at, sizeof(real));
    std::memcpy(&rest, all.rest + at, sizeof(real));
    own.subtract(s, q, rest, high, low, doubt);
    own.divide(high, low, doubt, all.root, least, most);
    const whole known = (whole)((least == most) & (((q[0] > 0x1p-800) & (q[0] < 0x1p900)) |
                                                   (q[0] == 0.0)));  // NOLINT: the bits
    all_known &= known;
    std::memcpy(out + at, &least, sizeof(real));
    std::memcpy(is_known + at, &known, sizeof(real));
  }
  return (all_known[0] & all_known[1] & all_known[2] & all_known[3]) != 0;
}

/// Squares, and what rounding takes from them, up to a multiple of four; false where both are not all of each.
__attribute__((target("avx2,fma,bmi2"), noinline)) inline bool square_terms_avx2(const double* from,
                                                                                 int count,
                                                                                 double* squares,
                                                                                 double* rests) {
  using real = spread_lanes::real;
  spread_lanes::whole beyond = {};
  for (int at = 0; at < count; at += 4) {
    real x = {}, size, rest;
    if (at + 4 <= count) {
      std::memcpy(&x, from + at, sizeof(real));
    } else {
      for (int i = at; i < count; ++i) x[i - at] = from[i];
    }
    spread_lanes::size_of(x, size);
    const real square = x * x;
    multiply_subtract<32>(x, x, square, rest);
    beyond |= ~(((size > 0x1p-450) & (size < 0x1p450)) | (size == 0.0));
    std::memcpy(squares + at, &square, sizeof(real));
    if (rests != nullptr) std::memcpy(rests + at, &rest, sizeof(real));
  }
  return (beyond[0] | beyond[1] | beyond[2] | beyond[3]) == 0;
}

inline bool has_spreads() { return instruction_set_in_use() != instruction_set::baseline; }
inline bool finish_spreads(const spread_sums& all, int count, double* out, std::int64_t* is_known) {
  const strict_arithmetic arithmetic;
  return finish_spreads_avx2(all, count, out, is_known);
}
inline bool square_terms(const double* from, int count, double* squares, double* rests) {
  const strict_arithmetic arithmetic;
  return square_terms_avx2(from, count, squares, rests);
}
#else
inline bool has_spreads() { return false; }
inline bool finish_spreads(const spread_sums&, int, double*, std::int64_t*) { return false; }
inline bool square_terms(const double*, int, double*, double*) { return false; }
#endif

}  // namespace monofold::detail
