#pragma once
/// fold/exact/rounding: exact numbers, their quotients and square roots as floating-point numbers.

#include <cstdint>

#include "monofold/fold/exact/number.hpp"
#include "monofold/platform/float_format.hpp"
#include "monofold/platform/host_device.hpp"
#include "monofold/platform/numbers.hpp"

namespace monofold {

namespace detail {

/// The highest bits of a number that is not negative: (significand + f) * 2^exponent with f = 0, or
/// 0 < f < 1 where `sticky`.
struct leading_bits {
  uint128 significand;
  int exponent;
  bool sticky;
};

/// The index of the highest limb that is not zero; -1 for zero.
MONOFOLD_HD_CALL int top_limb(const std::uint64_t* limb, int num_limbs) {
  int top = num_limbs - 1;
  while (top >= 0 && limb[top] == 0) --top;
  return top;
}

MONOFOLD_HD_CALL bool any_bit_below(const std::uint64_t* limb, int bit) {
  for (int i = 0; i < bit / 64; ++i) {
    if (limb[i] != 0) return true;
  }
  return bit % 64 != 0 && (limb[bit / 64] << (64 - bit % 64)) != 0;
}

/// The 64 highest bits of a magnitude whose bit 0 is worth 2^low.
MONOFOLD_HD_CALL leading_bits leading_of(const std::uint64_t* limb, int num_limbs, int low) {
  const int top = top_limb(limb, num_limbs);
  if (top < 0) return {0, low, false};
  const int width = bit_width_of(limb[top]);
  if (top == 0 || width == 64) {
    return {limb[top], low + 64 * top, any_bit_below(limb, 64 * top)};
  }
  const std::uint64_t high = (limb[top] << (64 - width)) | (limb[top - 1] >> width);
  const int bit = 64 * (top - 1) + width;
  return {high, low + bit, any_bit_below(limb, bit)};
}

/// The highest bits of magnitude / divisor: at least `wanted` of them, and an even exponent where
/// asked. The magnitude is not zero, 0 < divisor < 2^127, wanted <= 126.
///
/// cost       one step for each bit of the quotient and of the divisor
MONOFOLD_HD_CALL leading_bits quotient_of(const std::uint64_t* limb, int num_limbs, int low,
                                          uint128 divisor, int wanted, bool even) {
  const int top = top_limb(limb, num_limbs);
  int bit = 64 * top + bit_width_of(limb[top]);  // the bits below this one are not yet taken
  uint128 remainder = 0;
  uint128 quotient = 0;
  const uint128 enough = uint128{1} << (wanted - 1);
  while (quotient < enough || (even && (low + bit) % 2 != 0)) {
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

/// The square root, rounded down, of bits with an even exponent.
MONOFOLD_HD_CALL leading_bits root_of(const leading_bits& square) {
  // Digit by digit: (root + bit)^2 = root^2 + bit (2 root + bit).
  uint128 remainder = square.significand;
  uint128 twice_root = 0;  // times the weight of the digit, as the remainder is
  for (uint128 digit = uint128{1} << 126; digit != 0; digit >>= 2) {
    const uint128 trial = twice_root + digit;
    twice_root >>= 1;
    if (remainder >= trial) {
      remainder -= trial;
      twice_root += digit;
    }
  }
  return {twice_root, square.exponent / 2, square.sticky || remainder != 0};
}

/// Bits of at most 64 places as a number of type `Real`.
template <class Real>
MONOFOLD_HD Real round_bits(bool negative, const leading_bits& bits) {
  return round_to<Real>(negative, static_cast<std::uint64_t>(bits.significand), bits.exponent,
                        bits.sticky);
}

}  // namespace detail

/// The number of type `Real` nearest to an exact number, ties to even; +0 for zero.
///
/// accuracy   correctly rounded, once
/// tested by  tests/exact/sum_test.cpp, tests/exact/products_test.cpp
template <class Real, class Number>
MONOFOLD_HD_CALL Real rounded(const Number& a) {
  const Number size = magnitude_of(a);
  return detail::round_bits<Real>(
      is_negative(a), detail::leading_of(size.limb, Number::num_limbs, Number::low_exponent));
}

/// a / count rounded once, for count > 0.
template <class Real, class Number>
MONOFOLD_HD_CALL Real rounded_quotient(const Number& a, std::int64_t count) {
  if (is_zero(a)) return Real{};
  const Number size = magnitude_of(a);
  return detail::round_bits<Real>(
      is_negative(a),
      detail::quotient_of(size.limb, Number::num_limbs, Number::low_exponent,
                          static_cast<uint128>(static_cast<std::uint64_t>(count)), 64, false));
}

/// The square root of a number that is not negative, rounded once.
template <class Real, class Number>
MONOFOLD_HD_CALL Real rounded_root(const Number& a) {
  if (is_zero(a)) return Real{};
  return detail::round_bits<Real>(
      false, detail::root_of(detail::quotient_of(a.limb, Number::num_limbs, Number::low_exponent, 1,
                                                 126, true)));
}

}  // namespace monofold
