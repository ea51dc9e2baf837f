#pragma once
/// oracle/fixed_sum: sums of doubles and of their products in digits of 16 bits, fast enough for
/// millions of small arrays.

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "tests/oracle/big_integer.hpp"
#include "tests/oracle/nearest.hpp"

namespace oracle {

/// Multiples of 2^-2148 below 2^2112 or so, signed digits, carries at the end.
class fixed_sum {
 public:
  static constexpr int low = -2148;

  void add(double x) {
    int e = 0;
    const std::uint64_t m = split(x, e);
    put(m, e - low, std::signbit(x));
  }
  void add_product(double x, double y) {
    int e = 0;
    int f = 0;
    const std::uint64_t m = split(x, e);
    const std::uint64_t k = split(y, f);
    const bool negative = std::signbit(x) != std::signbit(y);
    // Three products of halves of 32 bits, as on paper.
    const std::uint64_t ml = m & 0xffffffffu, mh = m >> 32, kl = k & 0xffffffffu, kh = k >> 32;
    const int at = e + f - low;
    put(ml * kl, at, negative);
    put(ml * kh, at + 32, negative);
    put(mh * kl, at + 32, negative);
    put(mh * kh, at + 64, negative);
  }

  /// The sum as an integer multiple of 2^-2148.
  big_integer units() const {
    big_integer out;
    for (int i = digits - 1; i >= 0; --i) out = out.shifted_left(16) + big_integer(digit_[i]);
    return out;
  }

  /// To nearest, ties to even; a zero is +0.
  double nearest(const binary& format) const {
    std::int64_t d[digits];
    std::int64_t carry = 0;
    for (int i = 0; i < digits; ++i) {
      carry += digit_[i];
      d[i] = carry & 0xffff;
      carry >>= 16;
    }
    const bool negative = carry < 0;
    if (negative) {
      std::int64_t one = 1;
      for (int i = 0; i < digits; ++i) {
        one += 0xffff - d[i];
        d[i] = one & 0xffff;
        one >>= 16;
      }
    }
    int top = digits - 1;
    while (top >= 0 && d[top] == 0) --top;
    if (top < 0) return 0.0;
    int lead = 16 * top - 1;
    for (std::int64_t rest = d[top]; rest != 0; rest >>= 1) ++lead;
    const auto bit = [&](int i) { return i < 0 ? 0 : (d[i / 16] >> (i % 16)) & 1; };
    const int last = std::max(lead - format.precision + 1, format.least - low);
    std::uint64_t kept = 0;
    for (int i = lead; i >= last; --i) kept = 2 * kept + static_cast<std::uint64_t>(bit(i));
    bool rest = false;
    for (int i = 0; i < (last - 1) / 16; ++i) rest = rest || d[i] != 0;
    for (int i = (last - 1) / 16 * 16; i < last - 1; ++i) rest = rest || bit(i) != 0;
    if (bit(last - 1) != 0 && (rest || kept % 2 != 0)) ++kept;
    double out = std::ldexp(static_cast<double>(kept), last + low);
    if (out >= std::ldexp(1.0, format.top - 1) * 2) out = std::numeric_limits<double>::infinity();
    return negative ? -out : out;
  }

 private:
  static constexpr int digits = 268;

  static std::uint64_t split(double x, int& exponent) {
    const auto bits = std::bit_cast<std::uint64_t>(x);
    const std::uint64_t fraction = bits & 0xfffffffffffff;
    const int field = static_cast<int>(bits >> 52) & 0x7ff;
    exponent = field == 0 ? -1074 : field - 1075;
    return field == 0 ? fraction : fraction + 0x10000000000000;
  }
  void put(std::uint64_t value, int at, bool negative) {
    const int shift = at % 16;
    std::uint64_t low_part = value << shift;
    std::uint64_t high_part = shift == 0 ? 0 : value >> (64 - shift);
    for (int i = at / 16; low_part != 0 || high_part != 0; ++i) {
      const auto d = static_cast<std::int64_t>(low_part & 0xffff);
      digit_[i] += negative ? -d : d;
      low_part = (low_part >> 16) | (high_part << 48);
      high_part >>= 16;
    }
  }

  std::int64_t digit_[digits] = {};
};

}  // namespace oracle
