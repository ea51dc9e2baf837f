#pragma once
/// platform/wide_int: 256-bit unsigned integers, as far as exact integer statistics need them.

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

}  // namespace monofold
