#pragma once
/// engine/gpu/quick_quotients: means, variances and deviations from leading bits by doubles, where these decide.
///
/// Integers of 128 bits take a thread hundreds of cycles to some thousand, and all others wait.

#include <cstdint>
#include <type_traits>

#include "monofold/engine/gpu/two_sum.cuh"
#include "monofold/fold/exact/leading.hpp"
#include "monofold/fold/exact/sum_of_two.hpp"
#include "monofold/platform/bits.hpp"
#include "monofold/platform/host_device.hpp"
#include "monofold/platform/numbers.hpp"
#include "monofold/platform/rounded.hpp"

namespace monofold::detail {

/// A double whose operations are each rounded once, whatever a compiler may put together.
struct strict_double {
  double value;

  MONOFOLD_GPU friend strict_double operator+(strict_double a, strict_double b) {
    return {rounded_sum(a.value, b.value)};
  }
  MONOFOLD_GPU friend strict_double operator*(strict_double a, strict_double b) {
    return {rounded_product(a.value, b.value)};
  }
  MONOFOLD_GPU strict_double operator-() const { return {-value}; }
  MONOFOLD_GPU friend strict_double operator-(strict_double a, strict_double b) { return a + -b; }
};
MONOFOLD_GPU strict_double multiply_add(strict_double a, strict_double b, strict_double c) {
  return {rounded_fma(a.value, b.value, c.value)};
}

/// An integer below 2^53.
MONOFOLD_GPU strict_double double_of(std::uint64_t a) {
  return {static_cast<double>(static_cast<std::int64_t>(a))};
}
/// 2^exponent, which must be a normal number.
MONOFOLD_GPU strict_double two_to(int exponent) {
  return {bits_as<double>(static_cast<std::uint64_t>(exponent + 1023) << 52)};
}

/// The sum of two doubles, of which the second is much smaller.
struct two_doubles {
  strict_double high;
  strict_double low;
};

/// high and low such that (high + low) 2^(exponent + 75) is the number, or below it by less than 2^-53 of that unit.
///
/// shape      high is 0, or 2^50 to 2^53; low from 0 to below 1
MONOFOLD_GPU two_doubles upper_doubles(const leading_bits& a) {
  return {double_of(static_cast<std::uint64_t>(a.significand >> 75)),
          double_of(static_cast<std::uint64_t>(a.significand >> 22) & ((1ull << 53) - 1)) *
              two_to(-53)};
}

/// The number to which every number from `least` to `most` rounds, times 2^exponent. False where `least` and `most`
/// round to different numbers or are not above 0, or where the answer is no normal number. All numbers between them
/// round to the same double since rounding is monotone; to the same float, too, unless `least` or `most` is the middle
/// between two floats, since such a middle is a double.
template <class Real>
MONOFOLD_GPU bool round_interval(strict_double least, strict_double most, int exponent, Real& out) {
  static_assert(std::is_same_v<Real, double> || std::is_same_v<Real, float>);
  if (!(least.value > 0)) return false;
  constexpr bool is_float = std::is_same_v<Real, float>;
  const auto moved = [=](strict_double x) {
    const auto up = static_cast<std::uint64_t>(static_cast<std::int64_t>(exponent));
    return bits_as<std::uint64_t>(x.value) + (up << 52);
  };
  const int biased = static_cast<int>(bits_as<std::uint64_t>(least.value) >> 52) + exponent;
  constexpr int first = is_float ? 1023 - 126 : 1;
  constexpr int last = is_float ? 1023 + 126 : 2046;
  if (biased < first || biased > last) return false;
  if constexpr (is_float) {
    constexpr std::uint64_t below = (1u << 29) - 1;  // bits of a double that a float has not
    constexpr std::uint64_t middle = 1u << 28;
    const std::uint64_t low = moved(least);
    const std::uint64_t high = moved(most);
    if ((low & below) == middle || (high & below) == middle) return false;
    out = static_cast<float>(bits_as<double>(low));
    return out == static_cast<float>(bits_as<double>(high));
  } else {
    out = bits_as<double>(moved(least));
    return least.value == most.value;
  }
}

/// (sum * 2^exponent) / n, rounded once; false where doubles do not decide. The sum is above 0, and may be wrong by
/// 2^-100 of itself.
///
/// The quotient of the high part has an error below 2^-50 of itself. So the quotient of the rest has one below 2^-102
/// of the whole, by the inverse and by roundings. `doubt` is larger than all of that.
template <class Real>
MONOFOLD_GPU bool quick_quotient(const two_doubles& sum, int exponent, std::uint64_t n, Real& out) {
  if (n >> 53 != 0) return false;
  const strict_double high = sum.high;
  const strict_double by = double_of(n);
  const strict_double inverse{about_inverse(by.value)};
  const strict_double near = high * inverse;
  const strict_double left = multiply_add(near, -by, high) + sum.low;
  const strict_double doubt = high * two_to(-98);
  return round_interval(multiply_add(left - doubt, inverse, near),
                        multiply_add(left + doubt, inverse, near), exponent, out);
}

/// sum / n, rounded once; false where doubles do not decide. Bits that are left out are less than 2^-103 of the sum.
template <class Real>
MONOFOLD_GPU bool quick_quotient(const leading_number& sum, std::uint64_t n, Real& out) {
  if (sum.bits.significand == 0) return false;
  if (!quick_quotient(upper_doubles(sum.bits), sum.bits.exponent + 75, n, out)) return false;
  if (sum.is_negative) out = -out;
  return true;
}

/// ((n Q - factor S^2) / divisor) 2^unit, or its root, rounded once. False where doubles do not decide, or where the
/// answer is no normal number. S and Q are two doubles each, and may be wrong by 2^-102 of themselves.
///
/// Let N be n Q, which is at least factor S^2 by Cauchy and Schwarz. The errors of S and Q make less than 2^-100 N,
/// and the square of s.low is below 2^-100 N. The products of high parts are exact in two doubles. All other terms are
/// below 2^-48 N together, so a dozen roundings of them are below 2^-97 N.
///
/// A quotient by an inverse with an error of 2^-52 has an error of at most 2^-50 of itself, so the quotient of the
/// rest has one of 2^-100 of the whole. The same holds for a root. All of that is below 2^-96 N, and `doubt` is twice
/// as large. The answer lies within `doubt` of what was computed: where both ends of that interval round to one
/// number, that is the answer.
template <bool root, class Real>
MONOFOLD_GPU bool quick_spread(const two_doubles& s, const two_doubles& q, strict_double factor,
                               int unit, std::uint64_t n, std::uint64_t divisor, Real& out) {
  const strict_double count = double_of(n);
  const strict_double a = count * q.high;
  const strict_double a_rest = multiply_add(count, q.high, -a);
  const strict_double b = s.high * s.high;
  const strict_double b_rest = multiply_add(s.high, s.high, -b);
  const strict_double minus = -(b * factor);
  const sum_of_two difference = two_sum(a.value, minus.value);
  const strict_double first{difference.high};
  const strict_double first_rest{difference.low};
  const strict_double small = count * q.low - s.high * s.low * strict_double{2} * factor;
  const strict_double rest = first_rest + ((a_rest - b_rest * factor) + small);
  strict_double high = first + rest;
  strict_double low = (first - high) + rest;
  strict_double doubt = a * two_to(-95);
  if (root && unit % 2 != 0) {  // an even exponent for the root
    high = high + high;
    low = low + low;
    doubt = doubt + doubt;
  }

  const strict_double by = double_of(divisor);
  const strict_double inverse{about_inverse(by.value)};
  strict_double near = high * inverse;
  strict_double left = multiply_add(near, -by, high) + low;
  strict_double slope = inverse;
  if constexpr (root) {
    // sqrt(near + c) = r + (near - r^2 + c) / (2 r), up to 2^-49 of what is added to r.
    if (!(near.value > 0)) return false;
    slope = strict_double{about_inverse_root(near.value)};
    const strict_double r = near * slope;
    left = multiply_add(-r, r, near) + left * inverse;
    doubt = doubt * inverse;
    slope = slope * strict_double{0.5};
    near = r;
  }
  return round_interval(multiply_add(left - doubt, slope, near),
                        multiply_add(left + doubt, slope, near),
                        (unit - (root && unit % 2 != 0 ? 1 : 0)) / (root ? 2 : 1), out);
}

/// The same, from the leading bits of both sums.
///
/// Bits that are left out are less than 2^-103 of Q and 2^-102 of S^2.
template <bool root, class Real>
MONOFOLD_GPU bool quick_spread(const leading_bits& sum, const leading_bits& squares,
                               std::uint64_t n, std::uint64_t divisor, Real& out) {
  if ((n | divisor) >> 53 != 0 || squares.significand == 0) return false;
  const int unit = squares.exponent + 75;
  int scale = sum.significand != 0 ? 2 * (sum.exponent + 75) - unit : 0;
  if (scale > 60) return false;         // no sums of the same items
  scale = scale < -200 ? -200 : scale;  // S^2 is far below the doubt
  return quick_spread<root>(upper_doubles(sum), upper_doubles(squares), two_to(scale), unit, n,
                            divisor, out);
}

}  // namespace monofold::detail
