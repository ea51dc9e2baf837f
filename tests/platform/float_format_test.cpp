// platform/float_format: every half and random patterns, against ldexp and the hardware's rounding.

#include "monofold/platform/float_format.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "tests/inputs/random.hpp"

namespace mf = monofold;

namespace {

TEST(float_format, parts_of_doubles_rebuild_them) {
  inputs::generator random(1);
  for (int i = 0; i < 100000; ++i) {
    const auto x = inputs::any_finite(random);
    const mf::float_parts p = mf::parts_of(i % 3 == 0 ? x * 0x1p-1070 : x);
    const double size = std::ldexp(static_cast<double>(p.significand), p.exponent);
    ASSERT_EQ(p.negative ? -size : size, i % 3 == 0 ? x * 0x1p-1070 : x);
    ASSERT_EQ(p.kind, mf::number_kind::finite);
  }
}

TEST(float_format, parts_of_every_half_rebuild_it) {
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const mf::float16 x{static_cast<std::uint16_t>(bits)};
    const mf::float_parts p = mf::parts_of(x);
    const float value = x;
    if (!std::isfinite(value)) {
      ASSERT_EQ(p.kind, std::isnan(value) ? mf::number_kind::nan : mf::number_kind::infinite);
      continue;
    }
    const auto size = std::ldexp(static_cast<float>(p.significand), p.exponent);
    ASSERT_EQ(std::bit_cast<std::uint32_t>(p.negative ? -size : size),
              std::bit_cast<std::uint32_t>(value));
    // And back.
    ASSERT_EQ(mf::round_to<mf::float16>(p.negative, p.significand, p.exponent, false).bits, x.bits);
  }
}

/// A number of 64 bits and a sticky one, rounded to odd and then to a narrower format, against one rounding.
template <class Narrow>
void check_odd_doubles(std::uint64_t seed) {
  using format = mf::float_format<Narrow>;
  inputs::generator random(seed);
  constexpr int span = format::max_exponent - format::least_exponent;
  for (int i = 0; i < 300000; ++i) {
    // Bits that are close to a tie, and a number that the narrower format may have.
    std::uint64_t m = random() | std::uint64_t{1} << 63;
    const int ones = format::precision + static_cast<int>(random() % 4);
    if (i % 2 == 0) m &= ~std::uint64_t{0} << (64 - ones);
    if (i % 8 == 0) m += random() % 3 - 1;
    const int e = format::least_exponent - 64 + static_cast<int>(random() % (span + 80));
    const bool sticky = random() % 2 == 0;
    const bool negative = random() % 2 == 0;
    const double odd = mf::round_to<mf::odd_double>(negative, m, e, sticky).value;
    ASSERT_TRUE(std::isfinite(odd));
    const mf::float_parts again = mf::parts_of(odd);
    const auto twice =
        mf::round_to<Narrow>(again.negative, again.significand, again.exponent, false);
    ASSERT_EQ(mf::float_bits(twice), mf::float_bits(mf::round_to<Narrow>(negative, m, e, sticky)))
        << m << " " << e << " " << sticky;
  }
}

TEST(float_format, odd_doubles_are_rounded_again_as_once) {
  check_odd_doubles<float>(11);
  check_odd_doubles<mf::float16>(12);
  check_odd_doubles<mf::bfloat16>(13);
}

TEST(float_format, odd_doubles_that_are_exact_are_doubles) {
  const auto odd = [](std::uint64_t m, int e, bool sticky) {
    return mf::round_to<mf::odd_double>(false, m, e, sticky).value;
  };
  EXPECT_EQ(odd(3, 5, false), 96.0);
  EXPECT_EQ(odd(0, 5, false), 0.0);
  EXPECT_EQ(odd(std::uint64_t{1} << 63, -63, true), 1 + 0x1p-52);
  EXPECT_EQ(odd((std::uint64_t{1} << 63) + (1 << 11), -63, true), 1 + 0x1p-52);
  EXPECT_EQ(odd(std::uint64_t{1} << 63, 900, true), 0x1p963 + 0x1p911);
  EXPECT_EQ(odd(std::uint64_t{1} << 63, 1000, true), std::numeric_limits<double>::max());
  EXPECT_EQ(odd(std::uint64_t{1} << 63, -4000, false), std::numeric_limits<double>::denorm_min());
  EXPECT_EQ(odd(std::uint64_t{1} << 63, -1138, true), std::numeric_limits<double>::denorm_min());
}

/// The conversion of a 64-bit integer and a multiplication by a power of two round as the hardware
/// does; to float from a double that is exact, likewise.
TEST(float_format, rounds_as_the_hardware_does) {
  inputs::generator random(2);
  for (int i = 0; i < 300000; ++i) {
    const std::uint64_t m = random() >> (random() % 64);
    ASSERT_EQ(mf::round_to<double>(false, m, 0, false), static_cast<double>(m));
    ASSERT_EQ(mf::round_to<float>(true, m, 0, false), -static_cast<float>(m));
    // 53 bits around the subnormal numbers of float, where a conversion rounds once.
    const int e = -210 + static_cast<int>(random() % 400);
    const std::uint64_t k = m >> 11;
    ASSERT_EQ(mf::round_to<float>(false, k, e, false),
              static_cast<float>(std::ldexp(static_cast<double>(k), e)))
        << k << " " << e;
  }
}

TEST(float_format, what_was_cut_off_breaks_ties) {
  const std::uint64_t tie = (std::uint64_t{1} << 54) + 1;  // two bits below the last place: 01
  EXPECT_EQ(mf::round_to<double>(false, 2 * tie, 0, false), 0x1p55);
  const std::uint64_t half = (std::uint64_t{1} << 63) | (1 << 10);
  EXPECT_EQ(mf::round_to<double>(false, half, 0, false), 0x1p63);
  EXPECT_EQ(mf::round_to<double>(false, half, 0, true), 0x1p63 + 0x1p11);
  EXPECT_EQ(mf::round_to<double>(false, half | 1 << 11, 0, false), 0x1p63 + 0x1p12);
  EXPECT_EQ(mf::round_to<double>(false, 1, -1075, false), 0.0);
  EXPECT_EQ(mf::round_to<double>(false, 3, -1076, false), 0x1p-1074);
  EXPECT_EQ(mf::round_to<double>(false, ~std::uint64_t{0}, 960, false), HUGE_VAL);
  EXPECT_EQ(mf::round_to<double>(false, ~std::uint64_t{0}, -5000, true), 0.0);
  EXPECT_TRUE(std::signbit(mf::round_to<double>(true, 1, -5000, false)));
  EXPECT_EQ(mf::round_to<mf::bfloat16>(false, 0x1ff, 0, false).bits, 0x4400);  // 511 -> 512
}

TEST(float_format, a_short_float_is_made_of_the_nearest_number) {
  for (unsigned p = 0; p < 65536; ++p) {
    const mf::float16 half(p);
    const mf::bfloat16 brain(p);
    if (half == half) {
      ASSERT_EQ(mf::float16(static_cast<float>(half)).bits, p);
    }
    if (brain == brain) {
      ASSERT_EQ(mf::bfloat16(static_cast<double>(brain)).bits, p);
    }
  }
  EXPECT_EQ(mf::float16(65519.99).bits, 0x7bff);
  EXPECT_EQ(mf::float16(-65520.0f).bits, 0xfc00);
  EXPECT_EQ(mf::float16(0x1p-25).bits, 0);  // half of the least: to even
  EXPECT_EQ(mf::float16(0x1.8p-24).bits, 2);
  EXPECT_EQ(mf::bfloat16(1.00390625).bits, 0x3f80);
  EXPECT_EQ(mf::bfloat16(1.00390625 + 0x1p-40).bits, 0x3f81);  // not by way of a float
  EXPECT_EQ(mf::float16(std::numeric_limits<float>::quiet_NaN()).bits, 0x7e00);
}

template <class T>
int parts_of(const T&) {
  return 7;
}

// The library's own parts_of is not found: this would be ambiguous.
TEST(float_format, a_users_function_may_have_a_name_of_ours) {
  EXPECT_EQ(parts_of(mf::float16(1.0)), 7);
  EXPECT_EQ(parts_of(mf::bfloat16(1.0)), 7);
}

}  // namespace
