#pragma once
/// fold/exact/number: integers of a fixed number of limbs that stand for sums of numbers exactly.

#include <cstdint>

#include "monofold/platform/float_format.hpp"
#include "monofold/platform/host_device.hpp"
#include "monofold/platform/numbers.hpp"

namespace monofold {

/// A multiple of 2^low_exponent in two's complement, least significant limb first.
///
/// Every number of a sum is a multiple of 2^-1074, every product one of 2^-2148. Items of a
/// narrower type need only some of the limbs of that grid, and the limbs of all types lie at the
/// same places of it, so that sums of different types merge by copying limbs.
///
/// order      addition is exact: any order and grouping gives the same limbs
template <int low, int limbs>
struct exact_number {
  static constexpr int low_exponent = low;
  static constexpr int num_limbs = limbs;

  std::uint64_t limb[limbs];
};

namespace detail {

/// The limbs that sums of up to 2^64 multiples of 2^least below 2^max_exponent need: 64 bits of carries and
/// a sign above them.
template <int grid, int least, int max_exponent>
struct window {
  static constexpr int low = grid + (least - grid) / 64 * 64;
  static constexpr int limbs = (max_exponent + 64 + 1 - low + 63) / 64;
  using number = exact_number<low, limbs>;
};

/// The exponents of a type's finite numbers.
template <class Item>
struct exponents {
  static constexpr int least = 0;
  static constexpr int max_exponent = 8 * sizeof(Item);
};
template <class Item>
requires is_floating_v<Item>
struct exponents<Item> {
  static constexpr int least = float_format<Item>::least_exponent;
  static constexpr int max_exponent = float_format<Item>::max_exponent;
};

inline constexpr int value_grid = -1074;
inline constexpr int product_grid = -2148;

}  // namespace detail

/// What holds a sum of items of a type: 34 limbs for float64, 6 for float32 and bfloat16, 3 for
/// float16.
template <class Item>
using exact_sum_number = typename detail::window<detail::value_grid, detail::exponents<Item>::least,
                                                 detail::exponents<Item>::max_exponent>::number;

/// What holds a sum of products of two types: 67 limbs for float64.
template <class Left, class Right>
using exact_product_number = typename detail::window<
    detail::product_grid, detail::exponents<Left>::least + detail::exponents<Right>::least,
    detail::exponents<Left>::max_exponent + detail::exponents<Right>::max_exponent>::number;

template <class Number>
MONOFOLD_HD Number zero_number() {
  Number out;
  for (int i = 0; i < Number::num_limbs; ++i) out.limb[i] = 0;
  return out;
}

template <class Number>
MONOFOLD_HD bool is_negative(const Number& a) {
  return (a.limb[Number::num_limbs - 1] >> 63) != 0;
}

namespace detail {

/// a + b + carry; the carry out replaces the carry in.
MONOFOLD_HD std::uint64_t add_limbs(std::uint64_t a, std::uint64_t b, std::uint64_t& carry) {
  const std::uint64_t low = a + b;
  const std::uint64_t sum = low + carry;
  carry = (low < a ? 1u : 0u) | (sum < low ? 1u : 0u);  // never both
  return sum;
}

}  // namespace detail

/// own += other. A narrower number on the same grid may be added to a wider one.
template <int low, int limbs, int other_low, int other_limbs>
MONOFOLD_HD void add_number(exact_number<low, limbs>& own,
                            const exact_number<other_low, other_limbs>& other) {
  static_assert((other_low - low) % 64 == 0 && other_low >= low, "numbers of one grid");
  constexpr int first = (other_low - low) / 64;
  static_assert(first + other_limbs <= limbs, "the wider number takes the narrower one");
  std::uint64_t carry = 0;
  for (int i = 0; i < other_limbs; ++i) {
    own.limb[first + i] = detail::add_limbs(own.limb[first + i], other.limb[i], carry);
  }
  const std::uint64_t sign = is_negative(other) ? ~std::uint64_t{0} : 0;
  for (int i = first + other_limbs; i < limbs; ++i) {
    own.limb[i] = detail::add_limbs(own.limb[i], sign, carry);
  }
}

/// own -= other.
template <class Number>
MONOFOLD_HD void subtract_number(Number& own, const Number& other) {
  std::uint64_t carry = 1;
  for (int i = 0; i < Number::num_limbs; ++i) {
    own.limb[i] = detail::add_limbs(own.limb[i], ~other.limb[i], carry);
  }
}

template <class Number>
MONOFOLD_HD bool is_zero(const Number& a) {
  std::uint64_t any = 0;
  for (int i = 0; i < Number::num_limbs; ++i) any |= a.limb[i];
  return any == 0;
}

/// own += value * 2^(Number::low_exponent + position), for |value| < 2^127.
template <class Number>
MONOFOLD_HD void add_at(Number& own, int128 value, int position) {
  const int first = position / 64;
  const int shift = position % 64;
  const std::uint64_t sign = value < 0 ? ~std::uint64_t{0} : 0;
  const std::uint64_t part[3] = {static_cast<std::uint64_t>(value) << shift,
                                 static_cast<std::uint64_t>(value >> (64 - shift)),
                                 static_cast<std::uint64_t>((value >> 64) >> (64 - shift))};
  std::uint64_t carry = 0;
  for (int i = 0; i < 3; ++i) {
    if (first + i < Number::num_limbs) {
      own.limb[first + i] = detail::add_limbs(own.limb[first + i], part[i], carry);
    }
  }
  // Above these limbs lies the sign. All ones and a carry, or zeros and none, change nothing more.
  for (int i = first + 3; i < Number::num_limbs && carry != (sign & 1); ++i) {
    own.limb[i] = detail::add_limbs(own.limb[i], sign, carry);
  }
}

/// |a|, which fits because the sign bit has a limb's headroom below it.
template <class Number>
MONOFOLD_HD Number magnitude_of(const Number& a) {
  const std::uint64_t sign = is_negative(a) ? ~std::uint64_t{0} : 0;
  Number out;
  std::uint64_t carry = sign & 1;
  for (int i = 0; i < Number::num_limbs; ++i) {
    out.limb[i] = detail::add_limbs(a.limb[i] ^ sign, 0, carry);
  }
  return out;
}

}  // namespace monofold
