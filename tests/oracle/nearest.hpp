#pragma once
/// oracle/nearest: ratios of big integers, and their roots, rounded once to any binary format.

#include <cmath>
#include <limits>

#include "tests/oracle/big_integer.hpp"

namespace oracle {

/// A binary format: so many bits of precision, multiples of 2^least, finite below 2^top. Its numbers
/// are all doubles, and given as such.
struct binary {
  int precision;
  int least;
  int top;
};

inline constexpr binary binary64{53, -1074, 1024};
inline constexpr binary binary32{24, -149, 128};
inline constexpr binary binary16{11, -24, 16};
inline constexpr binary brain16{8, -133, 128};

/// q * 2^last, where q has at most 54 bits; infinity from 2^top on.
inline double scaled(const big_integer& q, int last, const binary& format) {
  if (q.bit_length() + last > format.top) return std::numeric_limits<double>::infinity();
  return std::ldexp(static_cast<double>(q.low_bits()), last);
}

/// a * 2^s / b with what is cut off: the quotient, twice the rest and the divisor.
struct cut_quotient {
  big_integer quotient;
  big_integer twice_rest;
  big_integer divisor;
};
inline cut_quotient cut(const big_integer& a, const big_integer& b, int s) {
  const big_integer top = s > 0 ? a.shifted_left(s) : a;
  const big_integer bottom = s < 0 ? b.shifted_left(-s) : b;
  const big_integer q = floor_quotient(top, bottom);
  return {q, (top - q * bottom).shifted_left(1), bottom};
}

/// (a / b) * 2^e to nearest, ties to even; a >= 0, b > 0.
inline double nearest_ratio(const big_integer& a, const big_integer& b, int e,
                            const binary& format) {
  if (a.is_zero()) return 0.0;
  int last = std::max(a.bit_length() - b.bit_length() + e - format.precision, format.least);
  for (;; ++last) {
    const cut_quotient c = cut(a, b, e - last);
    if (c.quotient.bit_length() > format.precision) continue;
    big_integer q = c.quotient;
    if (c.divisor < c.twice_rest || (c.twice_rest == c.divisor && q.is_odd())) q += 1;
    return scaled(q, last, format);
  }
}

/// sqrt((a / b) * 2^e) to nearest, ties to even; a >= 0, b > 0.
inline double nearest_root(const big_integer& a, const big_integer& b, int e,
                           const binary& format) {
  if (a.is_zero()) return 0.0;
  const int twice_lead = a.bit_length() - b.bit_length() + e;
  int last = std::max((twice_lead - 1) / 2 - 1 - format.precision, format.least);
  for (;; ++last) {
    // With one bit more than the result has.
    const cut_quotient c = cut(a, b, e - 2 * (last - 1));
    const big_integer root = floor_root(c.quotient);
    if (root.bit_length() > format.precision + 1) continue;
    const bool more = !c.twice_rest.is_zero() || !(root * root == c.quotient);
    big_integer half = floor_quotient(root, 2);
    if (root.is_odd() && (more || half.is_odd())) half += 1;
    return scaled(half, last, format);
  }
}

}  // namespace oracle
