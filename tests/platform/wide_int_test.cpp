/// platform/wide_int: 256-bit arithmetic and its two roundings against the school book.

#include "monofold/platform/wide_int.hpp"

#include <cstdint>

#include <gtest/gtest.h>

#include "tests/inputs/random.hpp"
#include "tests/inputs/same_bits.hpp"
#include "tests/oracle/big_integer.hpp"

namespace {

namespace mf = monofold;
using oracle::big_integer;

big_integer big(const mf::uint256& a) {
  big_integer out;
  for (int i = 3; i >= 0; --i) {
    out = out.shifted_left(64) + big_integer::from_unsigned(a.limb[i]);
  }
  return out;
}

mf::uint256 narrow(const big_integer& a) {  // modulo 2^256
  mf::uint256 out;
  for (std::size_t i = 0; i < 4; ++i) {
    out.limb[i] = a.digit(2 * i) | std::uint64_t{a.digit(2 * i + 1)} << 32;
  }
  return out;
}

/// A number of at most `bits` bits; long runs of ones and zeros are as likely as mixed digits.
mf::uint256 random_wide(inputs::generator& random, int bits) {
  mf::uint256 out;
  for (std::uint64_t& limb : out.limb) {
    const std::uint64_t kind = random() % 4;
    limb = kind == 0 ? 0 : kind == 1 ? ~std::uint64_t{0} : random();
  }
  const int width = static_cast<int>(random() % static_cast<unsigned>(bits)) + 1;
  for (int bit = width; bit < 256; ++bit) {
    out.limb[bit / 64] &= ~(std::uint64_t{1} << (bit % 64));
  }
  return out;
}

TEST(uint256, arithmetic_agrees_with_the_school_book) {
  inputs::generator random(1);
  for (int round = 0; round < 3000; ++round) {
    const mf::uint256 a = random_wide(random, 256);
    const mf::uint256 b = random_wide(random, 256);
    const std::uint64_t c = random() >> random() % 64;
    EXPECT_TRUE(mf::add(a, b) == narrow(big(a) + big(b)));
    EXPECT_TRUE(mf::multiply(a, c) == narrow(big(a) * big_integer::from_unsigned(c)));
    EXPECT_EQ(mf::less(a, b), big(a) < big(b));
    EXPECT_FALSE(mf::less(a, a));
    EXPECT_EQ(mf::bit_width(a), big(a).bit_length());
    const bool swapped = big(a) < big(b);
    EXPECT_TRUE(mf::subtract(swapped ? b : a, swapped ? a : b) ==
                narrow((big(a) - big(b)).magnitude()));
    const auto wide = [](const mf::uint256& x) { return mf::uint128{x.limb[1]} << 64 | x.limb[0]; };
    EXPECT_TRUE(mf::multiply(wide(a), wide(b)) ==
                narrow(big(mf::widen(wide(a))) * big(mf::widen(wide(b)))));
  }
}

void expect_quotient(const mf::uint256& a, const mf::uint256& b) {
  const double expected = oracle::rounded_quotient(big(a), big(b));
  EXPECT_TRUE(inputs::same_bits(mf::divide_to_double(a, b), expected))
      << mf::divide_to_double(a, b) << " for " << expected;
}

TEST(divide_to_double, random_numbers_round_once) {
  inputs::generator random(2);
  for (int round = 0; round < 1500; ++round) {
    const mf::uint256 a = random_wide(random, 256);
    mf::uint256 b = random_wide(random, 255);
    if (mf::bit_width(b) == 0) b.limb[0] = 1;
    expect_quotient(a, b);
  }
}

TEST(divide_to_double, ties_and_their_neighbours) {
  // m * 2^k + half a unit, over 1 and over an odd denominator, with one more or less below.
  inputs::generator random(3);
  for (int round = 0; round < 400; ++round) {
    const big_integer m = big_integer::from_unsigned(std::uint64_t{1} << 52 | random() >> 12);
    const big_integer tie = m.shifted_left(1) + 1;
    const int shift = static_cast<int>(random() % 130);
    const big_integer odd = big_integer::from_unsigned(random() >> random() % 60 | 1);
    for (const int off : {-1, 0, 1}) {
      const big_integer numerator = (tie * odd).shifted_left(shift) + off;
      expect_quotient(narrow(numerator), narrow(odd));
      expect_quotient(narrow(numerator), narrow(odd.shifted_left(static_cast<int>(random() % 60))));
    }
  }
}

TEST(divide_to_double, ends_of_the_range) {
  const mf::uint256 zero;
  const mf::uint256 one = mf::widen(1);
  mf::uint256 most;
  for (std::uint64_t& limb : most.limb) limb = ~std::uint64_t{0};
  mf::uint256 widest = most;
  widest.limb[3] >>= 1;  // 2^255 - 1
  EXPECT_TRUE(inputs::same_bits(mf::divide_to_double(zero, one), 0.0));
  EXPECT_EQ(mf::divide_to_double(most, one), 0x1p256);
  EXPECT_EQ(mf::divide_to_double(one, widest), 0x1p-255);
  expect_quotient(most, widest);
  expect_quotient(widest, widest);
  expect_quotient(mf::widen(1), mf::widen(3));
  expect_quotient(mf::widen(2), mf::widen(3));
}

void expect_root(const mf::uint256& a) {
  const double expected = oracle::rounded_root(big(a));
  EXPECT_TRUE(inputs::same_bits(mf::sqrt_to_double(a), expected))
      << mf::sqrt_to_double(a) << " for " << expected;
}

TEST(sqrt_to_double, random_numbers_round_once) {
  inputs::generator random(4);
  for (int round = 0; round < 1000; ++round) expect_root(random_wide(random, 256));
  for (std::uint64_t small = 0; small < 300; ++small) expect_root(mf::widen(small));
}

TEST(sqrt_to_double, squares_of_ties_and_their_neighbours) {
  // The root m + 1/2 has a square that is an integer when both are scaled: 4 (m + 1/2)^2.
  inputs::generator random(5);
  for (int round = 0; round < 400; ++round) {
    const big_integer m = big_integer::from_unsigned(std::uint64_t{1} << 52 | random() >> 12);
    const big_integer root = m.shifted_left(1) + 1;
    const int shift = static_cast<int>(random() % 74) * 2;
    for (const int off : {-1, 0, 1}) {
      expect_root(narrow((root * root).shifted_left(shift) + off));
      expect_root(narrow((m * m).shifted_left(shift) + off));
    }
  }
}

TEST(sqrt_to_double, the_oracle_agrees_with_ieee_for_doubles) {
  inputs::generator random(6);
  for (int round = 0; round < 300; ++round) {
    const std::uint64_t x = random() >> 11;  // a double already
    EXPECT_TRUE(inputs::same_bits(oracle::rounded_root(big_integer::from_unsigned(x)),
                                  std::sqrt(static_cast<double>(x))));
    const std::uint64_t y = (random() >> 11) | 1;
    EXPECT_TRUE(inputs::same_bits(
        oracle::rounded_quotient(big_integer::from_unsigned(x), big_integer::from_unsigned(y)),
        static_cast<double>(x) / static_cast<double>(y)));
  }
}

}  // namespace
