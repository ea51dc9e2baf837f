/// platform/wide_int: 256-bit arithmetic against the school book.

#include "monofold/platform/wide_int.hpp"

#include <cstdint>

#include <gtest/gtest.h>

#include "tests/inputs/random.hpp"
#include "tests/inputs/wide_integers.hpp"
#include "tests/oracle/big_integer.hpp"

namespace {

namespace mf = monofold;
using oracle::big_integer;

using inputs::big;
using inputs::narrow;
using inputs::random_wide;

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

}  // namespace
