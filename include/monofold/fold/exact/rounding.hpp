#pragma once
/// fold/exact/rounding: quotients of any size as floating-point numbers, bit by bit.

#include <cstdint>

#include "monofold/fold/exact/leading.hpp"
#include "monofold/platform/float_format.hpp"
#include "monofold/platform/host_device.hpp"
#include "monofold/platform/numbers.hpp"

namespace monofold::detail {

MONOFOLD_HD_CALL bool any_bit_below(const std::uint64_t* limb, int bit) {
  for (int i = 0; i < bit / 64; ++i) {
    if (limb[i] != 0) return true;
  }
  return bit % 64 != 0 && (limb[bit / 64] << (64 - bit % 64)) != 0;
}

/// magnitude / divisor to 126 bits or more, bit by bit; 0 < divisor < 2^127.
///
/// cost       one step for each bit of the quotient and of the divisor
MONOFOLD_HD_CALL leading_bits quotient_by_bits(const std::uint64_t* limb, int num_limbs, int low,
                                               uint128 divisor) {
  int top = num_limbs - 1;
  while (top >= 0 && limb[top] == 0) --top;
  if (top < 0) return {0, low, false};
  int bit = 64 * top + bit_width_of(limb[top]);  // the bits below this one are not yet taken
  uint128 remainder = 0;
  uint128 quotient = 0;
  while (quotient >> 125 == 0) {
    --bit;
    const std::uint64_t next = bit >= 0 ? (limb[bit / 64] >> (bit % 64)) & 1 : 0;
    remainder = (remainder << 1) | next;
    quotient <<= 1;
    if (remainder >= divisor) {
      remainder -= divisor;
      quotient |= 1;
    }
  }
  return {quotient, low + bit, remainder != 0 || (bit > 0 && any_bit_below(limb, bit))};
}

/// magnitude / divisor, or the square root of that, rounded once, by a slow way.
template <class Real, bool root>
MONOFOLD_HD_CALL Real round_by_bits(const std::uint64_t* limb, int num_limbs, int low,
                                    uint128 divisor) {
  const leading_bits quotient = quotient_by_bits(limb, num_limbs, low, divisor);
  if (quotient.significand == 0) return Real{};
  return round_bits<Real>(false, root ? root_of(quotient) : upper_of(quotient));
}

}  // namespace monofold::detail
