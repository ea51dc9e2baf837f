#pragma once
/// fold/exact/leading: the leading bits of an exact number, their quotients and square roots, and what rounds them.

#include <cmath>
#include <cstdint>

#include "monofold/fold/exact/number.hpp"
#include "monofold/platform/float_format.hpp"
#include "monofold/platform/host_device.hpp"
#include "monofold/platform/numbers.hpp"

namespace monofold::detail {

/// A number that is not negative: (significand + f) * 2^exponent with f = 0, or 0 < f < 1 where
/// `sticky`.
///
/// shape      the significand is 0, and the number too, or at least 2^125
struct leading_bits {
  uint128 significand;
  int exponent;
  bool sticky;
};

/// The same of 64 bits, for rounding: the significand is 0, or at least 2^61.
struct upper_bits {
  std::uint64_t significand;
  int exponent;
  bool sticky;
};

MONOFOLD_HD upper_bits upper_of(const leading_bits& a) {
  return {static_cast<std::uint64_t>(a.significand >> 64), a.exponent + 64,
          a.sticky || static_cast<std::uint64_t>(a.significand) != 0};
}

template <class Real>
MONOFOLD_HD Real round_bits(bool negative, const upper_bits& bits) {
  return round_to<Real>(negative, bits.significand, bits.exponent, bits.sticky);
}

/// The magnitude of a number, and its sign.
struct leading_number {
  leading_bits bits;
  bool is_negative;
};

MONOFOLD_HD int width_of(uint128 a) {
  const auto high = static_cast<std::uint64_t>(a >> 64);
  return high != 0 ? 64 + bit_width_of(high) : bit_width_of(static_cast<std::uint64_t>(a));
}

/// An integer times 2^exponent, the highest bit at its place.
MONOFOLD_HD leading_bits leading_of(uint128 integer, int exponent) {
  if (integer == 0) return {0, exponent, false};
  const int shift = 128 - width_of(integer);
  return {integer << shift, exponent - shift, false};
}

/// The leading bits of limbs from the highest one that is not 0 on; `below`: there is more under them.
MONOFOLD_HD leading_bits leading_of(std::uint64_t top, std::uint64_t middle, std::uint64_t lowest,
                                    int middle_exponent, bool below) {
  const int shift = 64 - bit_width_of(top);
  const uint128 high = uint128{top} << 64 | middle;
  const uint128 low = uint128{lowest} << shift;
  return {high << shift | low >> 64, middle_exponent - shift,
          below || static_cast<std::uint64_t>(low) != 0};
}

/// The 128 highest bits of a number in two's complement whose bit 0 is worth 2^low.
///
/// shape      where it is negative, its magnitude fits into the limbs
MONOFOLD_HD_CALL leading_number leading_of(const std::uint64_t* limb, int num_limbs, int low) {
  int bottom = 0;
  while (bottom < num_limbs && limb[bottom] == 0) ++bottom;
  if (bottom == num_limbs) return {{0, low, false}, false};
  const std::uint64_t sign = limb[num_limbs - 1] >> 63 != 0 ? ~std::uint64_t{0} : 0;
  int top = num_limbs - 1;
  while (top > bottom && limb[top] == sign) --top;
  // The carry of -a = ~a + 1 ends at the lowest limb that is not 0.
  const auto magnitude = [=](int i) -> std::uint64_t {
    return i < bottom ? 0 : (limb[i] ^ sign) + (i == bottom ? sign & 1 : 0);
  };
  return {leading_of(magnitude(top), magnitude(top - 1), magnitude(top - 2), low + 64 * (top - 1),
                     bottom < top - 2),
          sign != 0};
}
template <class Number>
MONOFOLD_HD_CALL leading_number leading_of(const Number& a) {
  return leading_of(a.limb, Number::num_limbs, Number::low_exponent);
}

// Floating-point arithmetic only guesses here, in whatever way flags and rounding modes make it: a guess
// is believed up to a relative error of 2^-36, and integers do the rest.

/// About 1 / x.
MONOFOLD_HD double about_inverse(double x) {
#if defined(__CUDA_ARCH__)
  double guess;  // about 20 bits, which each step doubles
  asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(guess) : "d"(x));
  guess = __fma_rn(__fma_rn(-x, guess, 1.0), guess, guess);
  return __fma_rn(__fma_rn(-x, guess, 1.0), guess, guess);
#else
  return 1.0 / x;
#endif
}

/// About 1 / sqrt(x).
MONOFOLD_HD double about_inverse_root(double x) {
#if defined(__CUDA_ARCH__)
  double guess;
  asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(guess) : "d"(x));
  guess = __fma_rn(__fma_rn(-x * guess, guess, 1.0), 0.5 * guess, guess);
  return __fma_rn(__fma_rn(-x * guess, guess, 1.0), 0.5 * guess, guess);
#else
  return 1.0 / std::sqrt(x);
#endif
}

/// An integer of at most 63 bits as a double, and back.
MONOFOLD_HD double guess_of(uint128 a) {
  return static_cast<double>(static_cast<std::int64_t>(static_cast<std::uint64_t>(a)));
}
/// One less than the guess: where that is off by less than 1/2, not too much, and at most 2 too little.
MONOFOLD_HD std::uint64_t less_than(double guess) {
  const auto whole = static_cast<std::int64_t>(guess);
  return static_cast<std::uint64_t>(whole > 0 ? whole - 1 : 0);
}

/// A divisor moved up by `shift`, so that its highest bit is set.
struct high_divisor {
  std::uint64_t value;
  int shift;
  double inverse;  // about 2^64 / value

  MONOFOLD_HD explicit high_divisor(std::uint64_t divisor)
      : value(divisor << (64 - bit_width_of(divisor))),
        shift(64 - bit_width_of(divisor)),
        inverse(0x1p63 * about_inverse(guess_of(value >> 1))) {}
};

/// (high 2^64 + low) / divisor, rounded down; the rest replaces `high`.
///
/// shape      high < divisor
MONOFOLD_HD_CALL std::uint64_t divide_limb(std::uint64_t& high, std::uint64_t low,
                                           const high_divisor& divisor) {
  // The upper 32 bits, guessed to 2^-4, which leaves less than 3 * 2^32 divisors, guessed to 2^-2.
  uint128 rest = uint128{high} << 64 | low;
  const std::uint64_t upper = less_than(guess_of(rest >> 65) * divisor.inverse * 0x1p-31);
  rest -= uint128{divisor.value} * upper << 32;
  std::uint64_t lower = less_than(guess_of(rest >> 36) * divisor.inverse * 0x1p-28);
  rest -= uint128{divisor.value} * lower;
  for (; rest >= divisor.value; rest -= divisor.value) ++lower;
  high = static_cast<std::uint64_t>(rest);
  return (upper << 32) + lower;
}

/// a / divisor, neither of them 0.
///
/// accuracy   the bits are those of the quotient, and the sticky bit is right
MONOFOLD_HD_CALL upper_bits quotient_of(const leading_bits& a, std::uint64_t divisor) {
  const high_divisor by(divisor);
  // Divides a / 2, whose upper half is below the divisor.
  auto rest = static_cast<std::uint64_t>(a.significand >> 65);
  const std::uint64_t bits = divide_limb(rest, static_cast<std::uint64_t>(a.significand >> 1), by);
  return {bits, a.exponent + by.shift + 1,
          a.sticky || rest != 0 || (static_cast<std::uint64_t>(a.significand) & 1) != 0};
}

/// The same to 128 bits.
///
/// accuracy   as above where `a` is not sticky; else the quotient is less than 2 units above the bits
MONOFOLD_HD_CALL leading_bits long_quotient_of(const leading_bits& a, std::uint64_t divisor) {
  const high_divisor by(divisor);
  auto rest = static_cast<std::uint64_t>(a.significand >> 65);
  const std::uint64_t upper = divide_limb(rest, static_cast<std::uint64_t>(a.significand >> 1), by);
  const std::uint64_t lower =
      divide_limb(rest, static_cast<std::uint64_t>(a.significand) << 63, by);
  return {uint128{upper} << 64 | lower, a.exponent + by.shift + 1 - 64, a.sticky || rest != 0};
}

/// The square root of a number that is not 0.
///
/// accuracy   the bits are those of the root, and the sticky bit is right
MONOFOLD_HD_CALL upper_bits root_of(leading_bits square) {
  if (square.exponent % 2 != 0) {
    square.sticky = square.sticky || (square.significand & 1) != 0;
    square.significand >>= 1;
    ++square.exponent;
  }
  // With 2^124 <= square: guessed to 2^28, and 2^29 less is not too much.
  uint128 rest = square.significand;
  const double part = guess_of(rest >> 66);
  const double inverse = about_inverse_root(part);  // 2^33 / root
  auto root = static_cast<std::uint64_t>(part * inverse * 0x1p33 - 0x1p29);
  rest -= uint128{root} * root;
  // (root + more)^2 = root^2 + 2 root more + more^2, the last at most 1/8 of a root.
  const std::uint64_t more = less_than(guess_of(rest >> 34) * inverse);
  rest -= (uint128{root} * more << 1) + uint128{more} * more;
  root += more;
  for (; rest > uint128{root} << 1; ++root) rest -= (uint128{root} << 1) + 1;
  return {root, square.exponent / 2, square.sticky || rest != 0};
}

}  // namespace monofold::detail
