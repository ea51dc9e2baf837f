#pragma once
/// platform/wide_int: 256-bit unsigned integers, as far as exact integer statistics need them.

#include <cmath>
#include <cstdint>

#include "monofold/platform/host_device.hpp"
#include "monofold/platform/numbers.hpp"

namespace monofold {

/// An unsigned integer of 256 bits, least significant limb first; arithmetic modulo 2^256.
struct uint256 {
  std::uint64_t limb[4] = {0, 0, 0, 0};

  friend MONOFOLD_HD bool operator==(const uint256& a, const uint256& b) {
    return a.limb[0] == b.limb[0] && a.limb[1] == b.limb[1] && a.limb[2] == b.limb[2] &&
           a.limb[3] == b.limb[3];
  }
};

MONOFOLD_HD uint256 widen(uint128 value) {
  return {{static_cast<std::uint64_t>(value), static_cast<std::uint64_t>(value >> 64), 0, 0}};
}

MONOFOLD_HD uint256 add(const uint256& a, const uint256& b) {
  uint256 out;
  uint128 carry = 0;
  for (int i = 0; i < 4; ++i) {
    carry += uint128{a.limb[i]} + b.limb[i];
    out.limb[i] = static_cast<std::uint64_t>(carry);
    carry >>= 64;
  }
  return out;
}

/// own += other modulo 2^128; a carry out of it adds 1 to `carries`.
MONOFOLD_HD void add_carrying(uint128& own, uint128 other, std::uint32_t& carries) {
#if defined(__CUDA_ARCH__)
  auto low = static_cast<std::uint64_t>(own);
  auto high = static_cast<std::uint64_t>(own >> 64);
  // One carry goes through all of them; a compiler makes comparisons of the rest below.
  asm("add.cc.u64 %0, %0, %3;\n\taddc.cc.u64 %1, %1, %4;\n\taddc.u32 %2, %2, 0;"
      : "+l"(low), "+l"(high), "+r"(carries)
      : "l"(static_cast<std::uint64_t>(other)), "l"(static_cast<std::uint64_t>(other >> 64)));
  own = uint128{high} << 64 | low;
#else
  own += other;
  carries += own < other ? 1 : 0;
#endif
}

/// x * x, from three products of 32 bits.
MONOFOLD_HD uint128 square_of(std::uint64_t x) {
  const std::uint64_t low = x & 0xffffffffu;
  const std::uint64_t high = x >> 32;
  return (uint128{high * high} << 64) + (uint128{low * high} << 33) + low * low;
}

/// a - b modulo 2^256.
MONOFOLD_HD uint256 subtract(const uint256& a, const uint256& b) {
  uint256 out;
  std::uint64_t borrow = 0;
  for (int i = 0; i < 4; ++i) {
    const uint128 wide = uint128{a.limb[i]} - b.limb[i] - borrow;
    out.limb[i] = static_cast<std::uint64_t>(wide);
    borrow = static_cast<std::uint64_t>(wide >> 64) != 0 ? 1 : 0;
  }
  return out;
}

/// a * b modulo 2^256.
MONOFOLD_HD uint256 multiply(const uint256& a, std::uint64_t b) {
  uint256 out;
  uint128 carry = 0;
  for (int i = 0; i < 4; ++i) {
    carry += uint128{a.limb[i]} * b;
    out.limb[i] = static_cast<std::uint64_t>(carry);
    carry >>= 64;
  }
  return out;
}

/// a * b of two 128-bit numbers, exactly.
MONOFOLD_HD uint256 multiply(uint128 a, uint128 b) {
  const uint256 low = multiply(widen(a), static_cast<std::uint64_t>(b));
  const uint256 high = multiply(widen(a), static_cast<std::uint64_t>(b >> 64));
  return add(low, {{0, high.limb[0], high.limb[1], high.limb[2]}});
}

namespace detail {

/// std::bit_width, for a device too.
MONOFOLD_HD_CALL int bit_length(std::uint64_t a) {
#if defined(__GNUC__) && !defined(__CUDA_ARCH__)
  return a == 0 ? 0 : 64 - __builtin_clzll(a);
#else
  int length = 0;
  for (; a != 0; a >>= 1) ++length;
  return length;
#endif
}

}  // namespace detail

/// The number of bits up to the highest set one; 0 for zero.
MONOFOLD_HD_CALL int bit_width(const uint256& a) {
  for (int i = 3; i >= 0; --i) {
    if (a.limb[i] != 0) return 64 * i + detail::bit_length(a.limb[i]);
  }
  return 0;
}

MONOFOLD_HD_CALL bool test_bit(const uint256& a, int bit) {
  return ((a.limb[bit / 64] >> (bit % 64)) & 1u) != 0;
}

MONOFOLD_HD_CALL uint256 shift_left_one(const uint256& a) { return add(a, a); }

MONOFOLD_HD_CALL bool less(const uint256& a, const uint256& b) {
  for (int i = 3; i >= 0; --i) {
    if (a.limb[i] != b.limb[i]) return a.limb[i] < b.limb[i];
  }
  return false;
}

namespace detail {

/// quotient 2^exponent rounded once, of a quotient whose highest bit is set; `sticky`: there is more.
MONOFOLD_HD_CALL double round_quotient(std::uint64_t quotient, int exponent, bool sticky) {
  // 64 bits to 53: the 11 lowest and the sticky bit decide.
  const std::uint64_t rest = quotient & 0x7ff;
  std::uint64_t kept = quotient >> 11;
  const bool up = rest > 0x400 || (rest == 0x400 && (sticky || (kept & 1) != 0));
  kept += up ? 1 : 0;
  return std::ldexp(static_cast<double>(kept), exponent + 11);
}

#if defined(__GNUC__) && !defined(__CUDA_ARCH__)
/// numerator / denominator likewise, limb by limb, with two limbs below the point.
inline double divide_by_limb(const uint256& numerator, std::uint64_t denominator) {
  uint128 remainder = 0;
  std::uint64_t limb[6];
  for (int i = 5; i >= 0; --i) {
    remainder = remainder << 64 | (i >= 2 ? numerator.limb[i - 2] : 0);
    limb[i] = static_cast<std::uint64_t>(remainder / denominator);
    remainder %= denominator;
  }
  int top = 5;
  while (limb[top] == 0) --top;  // at least one: the quotient is 2^64 or more
  const int up = __builtin_clzll(limb[top]);
  const uint128 two = uint128{limb[top]} << 64 | limb[top - 1];
  bool sticky = remainder != 0 || static_cast<std::uint64_t>((two << up)) != 0;
  for (int i = 0; i < top - 1; ++i) sticky = sticky || limb[i] != 0;
  return round_quotient(static_cast<std::uint64_t>((two << up) >> 64), 64 * (top - 2) - up, sticky);
}
#endif

#if defined(__GNUC__) && !defined(__CUDA_ARCH__)
/// The root of a number of `width` > 0 bits likewise: of its highest 128 bits, from the root as a double.
inline double root_by_limbs(const uint256& value, int width) {
  const int down = (width - 128) + (width & 1);  // even
  uint128 top = 0;
  bool sticky = false;
  for (int i = 3; i >= 0; --i) {
    const int up = 64 * i - down;
    if (value.limb[i] == 0 || up >= 128) continue;
    const uint128 limb = value.limb[i];
    top |= up >= 0 ? limb << up : up > -64 ? limb >> -up : 0;
    sticky = sticky || (up < 0 && (up <= -64 || (limb & ((uint128{1} << -up) - 1)) != 0));
  }
  const double guess = std::sqrt(static_cast<double>(top));
  std::uint64_t root = guess < 0x1p64 ? static_cast<std::uint64_t>(guess) : ~std::uint64_t{0};
  // Off by 2^12 at most, then by one.
  auto rest = static_cast<int128>(top - uint128{root} * root);
  root += static_cast<std::uint64_t>(
      static_cast<std::int64_t>(static_cast<double>(rest) / (2.0 * static_cast<double>(root))));
  rest = static_cast<int128>(top - uint128{root} * root);
  for (; rest < 0; rest += 2 * int128{root} + 1) --root;
  for (; rest > 2 * int128{root}; ++root) rest -= 2 * int128{root} + 1;
  return round_quotient(root, down / 2, sticky || rest != 0);
}
#endif

}  // namespace detail

/// numerator / denominator rounded once to double, ties to even.
///
/// shape      denominator > 0 and below 2^255
/// accuracy   correctly rounded: 65 significant quotient bits and a sticky bit decide, and a
///            quotient of integers below 2^256 over integers is never subnormal
/// tested by  tests/platform/wide_int_test.cpp
MONOFOLD_HD_CALL double divide_to_double(const uint256& numerator, const uint256& denominator) {
  if (bit_width(numerator) == 0) return 0.0;
#if defined(__GNUC__) && !defined(__CUDA_ARCH__)
  if ((denominator.limb[1] | denominator.limb[2] | denominator.limb[3]) == 0) {
    return detail::divide_by_limb(numerator, denominator.limb[0]);
  }
#endif
  // Long division, one bit at a time. Integer bits first, then fraction bits until 64 significant
  // ones are there; what is left of the remainder is the sticky bit.
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
  return detail::round_quotient(quotient, exponent, sticky);
}

/// The square root rounded once to double, ties to even.
MONOFOLD_HD_CALL double sqrt_to_double(const uint256& value) {
  const int width = bit_width(value);
  if (width == 0) return 0.0;
#if defined(__GNUC__) && !defined(__CUDA_ARCH__)
  return detail::root_by_limbs(value, width);
#else
  // Digit by digit: two bits of the operand give one bit of the root. 55 root bits and a sticky
  // bit decide the rounding; operands are extended by pairs of zero bits below the point.
  int pair = (width - 1) / 2;  // the pair of bits (2 pair + 1, 2 pair) comes next
  uint256 remainder;
  std::uint64_t root = 0;
  int bits = 0;
  for (; bits < 55; --pair) {
    remainder = shift_left_one(shift_left_one(remainder));
    if (pair >= 0) {
      remainder.limb[0] |=
          (test_bit(value, 2 * pair + 1) ? 2u : 0u) | (test_bit(value, 2 * pair) ? 1u : 0u);
    }
    const uint256 trial = widen((uint128{root} << 2) | 1);
    root <<= 1;
    if (!less(remainder, trial)) {
      remainder = subtract(remainder, trial);
      root |= 1;
    }
    ++bits;
  }
  const int exponent = pair + 1;  // of the root's last bit
  bool sticky = bit_width(remainder) != 0;
  for (; pair >= 0; --pair) {
    sticky = sticky || test_bit(value, 2 * pair + 1) || test_bit(value, 2 * pair);
  }
  const std::uint64_t rest = root & 3;
  std::uint64_t kept = root >> 2;
  const bool up = rest > 2 || (rest == 2 && (sticky || (kept & 1) != 0));
  kept += up ? 1 : 0;
  return std::ldexp(static_cast<double>(kept), exponent + 2);
#endif
}

}  // namespace monofold
