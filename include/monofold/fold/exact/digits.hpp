#pragma once
/// fold/exact/digits: sums whose carries wait, as signed digits that add up one by one.

#include <cstdint>

#include "monofold/fold/exact/number.hpp"
#include "monofold/platform/host_device.hpp"
#include "monofold/platform/numbers.hpp"

namespace monofold {

/// An exact number as sum of digit[i] * 2^(32 i + low_exponent), digits signed and not unique.
///
/// A number's own digits are below 2^32, so 2^31 - 1 of them, or of single deposits, add up digit
/// by digit: by atomics, by the SUM of MPI and NCCL, in any order, without carries.
template <class Number>
struct exact_digits {
  static constexpr int num_digits = 2 * Number::num_limbs;

  std::int64_t digit[num_digits];
};

template <class Number>
MONOFOLD_HD exact_digits<Number> zero_digits() {
  exact_digits<Number> out;
  for (int i = 0; i < out.num_digits; ++i) out.digit[i] = 0;
  return out;
}

/// Adds (-1)^negative * value * 2^position to digits, in units of their number; no carry runs.
MONOFOLD_HD void deposit(std::int64_t* digits, std::uint64_t value, int position, bool negative) {
  const uint128 wide = uint128{value} << (position % 32);  // 64 + 31 bits: three digits
  const std::int64_t sign = negative ? -1 : 0;
  std::int64_t* const digit = digits + position / 32;
  const auto low = static_cast<std::uint64_t>(wide);
  digit[0] += (static_cast<std::int64_t>(low & 0xffffffffu) ^ sign) - sign;
  digit[1] += (static_cast<std::int64_t>(low >> 32) ^ sign) - sign;
  digit[2] += (static_cast<std::int64_t>(wide >> 64) ^ sign) - sign;
}
template <class Number>
MONOFOLD_HD void deposit(exact_digits<Number>& own, std::uint64_t value, int position,
                         bool negative) {
  deposit(own.digit, value, position, negative);
}

/// The digits of a number: all but the highest in [0, 2^32), the highest with its sign.
template <class Number>
MONOFOLD_HD exact_digits<Number> digits_of(const Number& a) {
  exact_digits<Number> out;
  for (int i = 0; i < Number::num_limbs; ++i) {
    out.digit[2 * i] = static_cast<std::int64_t>(a.limb[i] & 0xffffffffu);
    out.digit[2 * i + 1] = static_cast<std::int64_t>(a.limb[i] >> 32);
  }
  const auto top = static_cast<std::int64_t>(a.limb[Number::num_limbs - 1]);
  out.digit[out.num_digits - 1] = top >> 32;
  return out;
}

/// The number that digits stand for: carries run once, upwards.
template <class Number>
MONOFOLD_HD Number number_of(const exact_digits<Number>& a) {
  Number out;
  std::int64_t carry = 0;
  for (int i = 0; i < Number::num_limbs; ++i) {
    // The lower half of a digit and a carry, which is below 2^32 in magnitude: any digit stays in 64 bits.
    const std::int64_t low = (a.digit[2 * i] & 0xffffffff) + carry;
    carry = (a.digit[2 * i] >> 32) + (low >> 32);
    const std::int64_t high = (a.digit[2 * i + 1] & 0xffffffff) + carry;
    carry = (a.digit[2 * i + 1] >> 32) + (high >> 32);
    out.limb[i] =
        (static_cast<std::uint64_t>(low) & 0xffffffffu) | (static_cast<std::uint64_t>(high) << 32);
  }
  return out;
}

}  // namespace monofold
