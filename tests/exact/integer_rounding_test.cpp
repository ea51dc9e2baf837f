// Quotients and roots of 256-bit integers against the school book.

#include "monofold/fold/exact/integer_rounding.hpp"

#include <cmath>
#include <cstdint>

#include <gtest/gtest.h>

#include "tests/inputs/random.hpp"
#include "tests/inputs/same_bits.hpp"
#include "tests/inputs/wide_integers.hpp"
#include "tests/oracle/big_integer.hpp"

namespace {

namespace mf = monofold;
using inputs::big;
using inputs::narrow;
using inputs::random_wide;
using oracle::big_integer;

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

/// By the slow way, a bit at a time.
void expect_root_of_quotient(const mf::uint256& a, mf::uint128 b) {
  const auto expected = mf::detail::round_by_bits<double, true>(a.limb, 4, 0, b);
  EXPECT_TRUE(inputs::same_bits(mf::sqrt_of_quotient_to_double(a, b), expected))
      << mf::sqrt_of_quotient_to_double(a, b) << " for " << expected;
}

TEST(sqrt_of_quotient_to_double, random_numbers_round_once) {
  inputs::generator random(7);
  for (int round = 0; round < 1000; ++round) {
    const mf::uint256 b = random_wide(random, round % 8 == 0 ? 127 : 64);
    const mf::uint128 divisor = mf::uint128{b.limb[1]} << 64 | b.limb[0];
    expect_root_of_quotient(random_wide(random, 254), divisor == 0 ? 1 : divisor);
  }
}

TEST(sqrt_of_quotient_to_double, squares_of_ties_and_their_neighbours) {
  inputs::generator random(8);
  for (int round = 0; round < 400; ++round) {
    const big_integer root =
        big_integer::from_unsigned(std::uint64_t{1} << 53 | random() >> 11).shifted_left(1) + 1;
    const std::uint64_t divisor = random() >> random() % 60 | 1;
    const int shift = static_cast<int>(random() % 40) * 2;
    for (const int off : {-1, 0, 1}) {
      const big_integer square = root * root * big_integer::from_unsigned(divisor);
      expect_root_of_quotient(narrow(square.shifted_left(shift) + off), divisor);
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
