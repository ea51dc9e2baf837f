// The exact folds in a program compiled and linked with -ffast-math: what a caller may do. Linking so
// also makes the processor flush subnormal numbers to zero.

#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <vector>

#include "monofold/fold/exact.hpp"
#include "tests/exact/answers.hpp"
#include "tests/fast_math/long_sums.hpp"

#if !defined(__FAST_MATH__)
#error "this file is to be compiled with -ffast-math"
#endif

namespace mf = monofold;

namespace {

std::uint64_t bits_of_sum(const std::vector<std::uint64_t>& patterns) {
  std::vector<double> items;
  for (const std::uint64_t p : patterns) items.push_back(std::bit_cast<double>(p));
  const auto f = mf::bind_fold<double>(mf::sum);
  auto own = f.identity();
  f.absorb_run(own, items.data(), static_cast<std::int64_t>(items.size()), 0);
  return mf::float_bits(f.finish(own));
}

TEST(exact_fast_math, named_cases) {
  constexpr std::uint64_t one = 0x3ff0000000000000, half_unit = 0x3ca0000000000000, least = 1;
  constexpr std::uint64_t minus_zero = 0x8000000000000000, infinite = 0x7ff0000000000000;
  constexpr std::uint64_t nan = 0x7ff8000000000000;
  EXPECT_EQ(bits_of_sum({one, half_unit}), one);
  EXPECT_EQ(bits_of_sum({one, half_unit, least}), one + 1);
  EXPECT_EQ(bits_of_sum({least, least}), 2u);
  EXPECT_EQ(bits_of_sum({minus_zero, minus_zero}), minus_zero);
  EXPECT_EQ(bits_of_sum({minus_zero, 0}), 0u);
  EXPECT_EQ(bits_of_sum({infinite, one}), infinite);
  EXPECT_EQ(bits_of_sum({infinite, infinite | minus_zero}), nan);
  EXPECT_EQ(bits_of_sum({nan + 1, one}), nan);
  EXPECT_EQ(bits_of_sum(std::vector<std::uint64_t>(3000, least)), 3000u);
}

TEST(exact_fast_math, long_sums) { fast_math::expect_long_sums(); }

TEST(exact_fast_math, one_layout_in_a_program) {
  EXPECT_EQ(sizeof(fast_math::product_accumulator),
            fast_math::strict_bytes_of_product_accumulator());
}

/// The same answers as in every other program: tests/exact/environment_test.cpp has this number too.
TEST(exact_fast_math, the_answers_of_every_fold) {
  EXPECT_EQ(inputs::fingerprint(inputs::all_answers()), inputs::fingerprint_of_all_answers);
}

}  // namespace
