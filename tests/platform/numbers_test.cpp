/// platform/numbers: float16 and bfloat16 convert exactly, every pattern.

#include "monofold/platform/numbers.hpp"

#include <bit>
#include <cmath>
#include <cstdint>

#include <gtest/gtest.h>

namespace {

namespace mf = monofold;

/// The value by the definition of the format: sign, exponent, fraction.
double by_definition(unsigned bits, int exponent_bits, int fraction_bits) {
  const unsigned fraction = bits & ((1U << fraction_bits) - 1);
  const int exponent = static_cast<int>((bits >> fraction_bits) & ((1U << exponent_bits) - 1));
  const int bias = (1 << (exponent_bits - 1)) - 1;
  double magnitude = 0;
  if (exponent == (1 << exponent_bits) - 1) {
    magnitude = fraction != 0 ? std::nan("") : HUGE_VAL;
  } else if (exponent == 0) {
    magnitude = std::ldexp(fraction, 1 - bias - fraction_bits);
  } else {
    magnitude = std::ldexp(fraction + (1U << fraction_bits), exponent - bias - fraction_bits);
  }
  return (bits & 0x8000U) != 0 ? -magnitude : magnitude;
}

void expect_same(float converted, double expected, unsigned pattern) {
  if (std::isnan(expected)) {
    EXPECT_TRUE(std::isnan(converted)) << pattern;
  } else {
    EXPECT_EQ(static_cast<double>(converted), expected) << pattern;
  }
  EXPECT_EQ(std::signbit(converted), (pattern & 0x8000U) != 0) << pattern;
}

TEST(float16, every_pattern_converts_exactly) {
  for (unsigned p = 0; p < 65536; ++p) {
    expect_same(mf::float16{static_cast<std::uint16_t>(p)}, by_definition(p, 5, 10), p);
  }
}

TEST(bfloat16, every_pattern_converts_exactly) {
  for (unsigned p = 0; p < 65536; ++p) {
    expect_same(mf::bfloat16{static_cast<std::uint16_t>(p)}, by_definition(p, 8, 7), p);
  }
}

#if defined(__FLT16_MANT_DIG__)
TEST(float16, every_number_agrees_with_the_compiler) {
  __extension__ typedef _Float16 native;
  for (unsigned p = 0; p < 65536; ++p) {
    const auto expected = static_cast<float>(std::bit_cast<native>(static_cast<std::uint16_t>(p)));
    const float converted = mf::float16{static_cast<std::uint16_t>(p)};
    if (std::isnan(expected)) continue;  // the payload may change
    EXPECT_EQ(std::bit_cast<std::uint32_t>(converted), std::bit_cast<std::uint32_t>(expected)) << p;
  }
}
#endif

TEST(numbers, which_types_are_floating) {
  static_assert(mf::is_floating_v<float> && mf::is_floating_v<double>);
  static_assert(mf::is_floating_v<mf::float16> && mf::is_floating_v<mf::bfloat16>);
  static_assert(!mf::is_floating_v<bool> && !mf::is_floating_v<std::int64_t>);
  static_assert(sizeof(mf::float16) == 2 && sizeof(mf::bfloat16) == 2);
}

}  // namespace
