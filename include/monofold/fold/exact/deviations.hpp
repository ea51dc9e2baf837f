#pragma once
/// fold/exact/deviations: n Q - S^2 of sums of items and of squares, of their leading bits and of all.

#include <cstdint>

#include "monofold/fold/exact/leading.hpp"
#include "monofold/fold/exact/number.hpp"
#include "monofold/fold/exact/rounding.hpp"
#include "monofold/platform/host_device.hpp"
#include "monofold/platform/numbers.hpp"

namespace monofold {

namespace detail {

/// A number from `bits` up to 2^doubt units above their significand; where `doubt` is 0 it is `bits`.
struct doubtful_bits {
  leading_bits bits;
  int doubt;
};

/// high 2^128 + low.
struct two_halves {
  uint128 high;
  uint128 low;
};

MONOFOLD_HD two_halves subtract(const two_halves& a, const two_halves& b) {
  return {a.high - b.high - (a.low < b.low ? 1 : 0), a.low - b.low};
}

MONOFOLD_HD two_halves square_of(uint128 a) {
  const auto low = static_cast<std::uint64_t>(a);
  const auto high = static_cast<std::uint64_t>(a >> 64);
  const uint128 middle = uint128{low} * high;
  const two_halves twice{middle >> 63, middle << 65};
  const uint128 sum = uint128{low} * low + twice.low;
  return {uint128{high} * high + twice.high + (sum < twice.low ? 1 : 0), sum};
}

/// a >> count; `is_above` becomes true where that drops a bit that is set.
MONOFOLD_HD two_halves shift_right(two_halves a, int count, bool& is_above) {
  for (int i = 0; i < 2 && count >= 128; ++i, count -= 128) {
    is_above = is_above || a.low != 0;
    a = {0, a.high};
  }
  if (count == 0 || count >= 128) return a;  // then it is 0
  is_above = is_above || a.low << (128 - count) != 0;
  return {a.high >> count, a.high << (128 - count) | a.low >> count};
}

/// The leading bits of n Q - S^2, of n < 2^59 items; false where too few are left.
///
/// Multiples of 2^low_exponent are subtracted: A = n q 2^64, where q are the bits of Q and A below 2^(192 + w)
/// with w bits of n, and B = s^2 >> shift. Where Q is sticky, n Q is above A by less than n 2^64. Where S is
/// sticky, S^2 is above s^2 by less than 2^129, above B by less than 2^(129 - shift) + 2: as 2^254 <= s^2,
/// and S^2 <= n Q, shift >= 62 - w. All of that is below 2^(68 + w) on either side.
MONOFOLD_HD_CALL bool leading_deviations(const leading_bits& sum, const leading_bits& squares,
                                         std::uint64_t n, doubtful_bits& out) {
  out = {squares, 0};
  if (squares.significand == 0) return true;  // so is the sum
  const int low_exponent = squares.exponent - 64;
  const uint128 low = uint128{static_cast<std::uint64_t>(squares.significand)} * n;
  const uint128 high = uint128{static_cast<std::uint64_t>(squares.significand >> 64)} * n;
  two_halves rest{high + (low >> 64), low << 64};
  bool is_above = sum.sticky || squares.sticky;
  if (sum.significand != 0) {
    const int shift = low_exponent - 2 * sum.exponent;
    if (shift < 0) return false;  // no sums of the same items
    rest = subtract(rest, shift_right(square_of(sum.significand), shift, is_above));
  }
  const int bound = 68 + bit_width_of(n);
  if (is_above) rest = subtract(rest, {0, uint128{1} << bound});
  if (rest.high >> 127 != 0) return false;  // negative
  if (rest.high == 0) {
    out.bits = leading_of(rest.low, low_exponent);
    if (rest.low == 0) return !is_above;
  } else {
    out.bits = leading_of(rest.high, low_exponent + 128);
    const int moved = low_exponent + 128 - out.bits.exponent;  // not 0: the highest bit is not set
    out.bits.significand |= rest.low >> (128 - moved);
    out.bits.sticky = rest.low << moved != 0;
  }
  // The bound twice, and what is below the bits.
  if (is_above) out.doubt = low_exponent + bound + 2 - out.bits.exponent;
  return true;
}

/// What a quotient of deviations, or the root of one, is at most whose bits are `low`; false where that is not known.
MONOFOLD_HD bool highest_bits(const doubtful_bits& deviations, const upper_bits& low,
                              upper_bits& high) {
  // A doubt of 2^k in 2^127 becomes one of 2^(k - 63) in 2^64, beside what is below the bits.
  const int doubt = deviations.doubt - 62;
  if (doubt > 60) return false;
  const std::uint64_t more = 1 + (doubt > 0 ? std::uint64_t{1} << doubt : 0);
  high = {low.significand + more, low.exponent, true};
  return high.significand > more;
}

/// Deviations / divisor, or the square root of that, rounded once; false where the bits do not decide.
template <bool root, class Real>
MONOFOLD_HD_CALL bool round_deviations(const doubtful_bits& deviations, std::uint64_t divisor,
                                       Real& out) {
  const leading_bits& bits = deviations.bits;
  if (bits.significand == 0) {
    out = Real{};
    return true;
  }
  upper_bits low;
  bool is_exact = deviations.doubt == 0;
  if constexpr (root) {
    low = root_of(long_quotient_of(bits, divisor));
    is_exact = is_exact && !bits.sticky;
  } else {
    low = quotient_of(bits, divisor);
  }
  out = round_bits<Real>(false, low);
  if (is_exact) return true;
  upper_bits high;
  return highest_bits(deviations, low, high) &&
         float_bits(round_bits<Real>(false, high)) == float_bits(out);
}

}  // namespace detail

/// n (sum of squares) - (sum)^2, a number that is not negative, on the grid of products.
template <class Item>
class exact_deviations {
  using sum_number = exact_sum_number<Item>;
  using square_number = exact_product_number<Item, Item>;
  static constexpr int sum_low = 2 * sum_number::low_exponent;
  static constexpr int square_low = square_number::low_exponent;
  static constexpr int offset = (square_low - sum_low) / 64;
  static_assert((square_low - sum_low) % 64 == 0 && offset >= 0, "limbs of one grid");
  static constexpr int sum_limbs = 2 * sum_number::num_limbs;
  static constexpr int square_limbs = offset + square_number::num_limbs + 1;

 public:
  static constexpr int low_exponent = sum_low;
  static constexpr int num_limbs = sum_limbs > square_limbs ? sum_limbs : square_limbs;

  MONOFOLD_HD_CALL exact_deviations(const sum_number& sum, const square_number& squares,
                                    std::int64_t count) {
    for (int i = 0; i < num_limbs; ++i) limb_[i] = 0;
    add_multiple(squares, static_cast<std::uint64_t>(count));
    subtract_square(magnitude_of(sum));
  }
  MONOFOLD_HD const std::uint64_t* limbs() const { return limb_; }
  /// Divided, or the root of that, rounded once; 0 < divisor < 2^127.
  template <class Real, bool root>
  MONOFOLD_HD_CALL Real rounded(uint128 divisor) const {
    return detail::round_by_bits<Real, root>(limb_, num_limbs, low_exponent, divisor);
  }

 private:
  MONOFOLD_HD_CALL void add_multiple(const square_number& squares, std::uint64_t n) {
    uint128 carry = 0;
    for (int i = 0; i < square_number::num_limbs; ++i) {
      carry += uint128{squares.limb[i]} * n;
      limb_[offset + i] = static_cast<std::uint64_t>(carry);
      carry >>= 64;
    }
    limb_[offset + square_number::num_limbs] = static_cast<std::uint64_t>(carry);
  }
  /// Row by row of the school book. Rows may take more than is there in between: the limbs wrap
  /// around, and the last row leaves what n Q >= S^2 (Cauchy and Schwarz) promises.
  MONOFOLD_HD_CALL void subtract_square(const sum_number& sum) {
    for (int i = 0; i < sum_number::num_limbs; ++i) {
      if (sum.limb[i] == 0) continue;
      std::uint64_t carry = 0;   // of the row
      std::uint64_t borrow = 0;  // of the difference
      for (int j = 0; i + j < num_limbs; ++j) {
        const std::uint64_t factor = j < sum_number::num_limbs ? sum.limb[j] : 0;
        const uint128 product = uint128{sum.limb[i]} * factor + carry;
        carry = static_cast<std::uint64_t>(product >> 64);
        const uint128 rest = uint128{limb_[i + j]} - static_cast<std::uint64_t>(product) - borrow;
        limb_[i + j] = static_cast<std::uint64_t>(rest);
        borrow = static_cast<std::uint64_t>(rest >> 64) != 0 ? 1 : 0;
      }
    }
  }

  std::uint64_t limb_[num_limbs];
};

}  // namespace monofold
