#pragma once
/// fold/exact/integer_rounding: quotients and roots of 256-bit integers, rounded once to double, ties to even.

#include <cstdint>

#include "monofold/fold/exact/deviations.hpp"
#include "monofold/fold/exact/leading.hpp"
#include "monofold/fold/exact/rounding.hpp"
#include "monofold/platform/host_device.hpp"
#include "monofold/platform/numbers.hpp"
#include "monofold/platform/wide_int.hpp"

namespace monofold {

namespace detail {

/// The 128 highest bits.
MONOFOLD_HD_CALL leading_bits leading_of(const uint256& a) {
  int top = 3;
  while (top > 1 && a.limb[top] == 0) --top;
  if (top == 1) return leading_of(uint128{a.limb[1]} << 64 | a.limb[0], 0);
  return leading_of(a.limb[top], a.limb[top - 1], a.limb[top - 2], 64 * (top - 1),
                    top == 3 && a.limb[0] != 0);
}

/// Long division, one bit at a time, of a numerator that is not 0. Integer bits first, then fraction bits until 64
/// significant ones are there; what is left of the remainder is the sticky bit.
MONOFOLD_HD_CALL double divide_by_bits(const uint256& numerator, const uint256& denominator) {
  uint256 remainder;
  std::uint64_t quotient = 0;
  int significant = 0;
  int exponent = 0;
  bool sticky = false;
  for (int bit = bit_width(numerator) - 1; bit >= 0 || significant < 64; --bit) {
    remainder = shift_left_one(remainder);
    if (bit >= 0 && test_bit(numerator, bit)) remainder.limb[0] |= 1;
    const bool one = !less(remainder, denominator);
    if (one) remainder = subtract(remainder, denominator);
    if (significant < 64) {
      quotient = quotient << 1 | (one ? 1u : 0u);
      if (quotient != 0) ++significant;
      exponent = bit;
    } else {
      sticky = sticky || one;
    }
  }
  sticky = sticky || bit_width(remainder) != 0;
  return round_to<double>(false, quotient, exponent, sticky);
}

}  // namespace detail

/// numerator / denominator.
///
/// shape      denominator > 0 and below 2^255
/// accuracy   correctly rounded: a quotient of integers below 2^256 is never subnormal
/// cost       28 ns on a CPU; a bit at a time where the denominator has more than 64 bits
/// tested by  tests/exact/integer_rounding_test.cpp
MONOFOLD_HD_CALL double divide_to_double(const uint256& numerator, const uint256& denominator) {
  const detail::leading_bits bits = detail::leading_of(numerator);
  if (bits.significand == 0) return 0.0;
  if ((denominator.limb[1] | denominator.limb[2] | denominator.limb[3]) != 0) {
    return detail::divide_by_bits(numerator, denominator);
  }
  return detail::round_bits<double>(false, detail::quotient_of(bits, denominator.limb[0]));
}

/// The square root.
///
/// accuracy   correctly rounded
/// cost       31 ns on a CPU
/// tested by  tests/exact/integer_rounding_test.cpp
MONOFOLD_HD_CALL double sqrt_to_double(const uint256& value) {
  const detail::leading_bits bits = detail::leading_of(value);
  if (bits.significand == 0) return 0.0;
  return detail::round_bits<double>(false, detail::root_of(bits));
}

/// The square root of numerator / denominator.
///
/// shape      0 < denominator < 2^127
/// accuracy   correctly rounded
/// cost       65 ns on a CPU; a bit at a time where 128 bits do not decide, or the denominator has more than 64
/// tested by  tests/exact/integer_rounding_test.cpp
MONOFOLD_HD_CALL double sqrt_of_quotient_to_double(const uint256& numerator, uint128 denominator) {
  double out;
  if (denominator >> 64 == 0 &&
      detail::round_deviations<true>({detail::leading_of(numerator), 0},
                                     static_cast<std::uint64_t>(denominator), out)) {
    return out;
  }
  return detail::round_by_bits<double, true>(numerator.limb, 4, 0, denominator);
}

}  // namespace monofold
