/// fold/exact/products: the mean of squares is the exact one, rounded once.

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "monofold/fold/exact.hpp"
#include "monofold/reduce.hpp"
#include "tests/inputs/random.hpp"

namespace {

namespace mf = monofold;

TEST(mean_square, whole_numbers_are_exact) {
  std::vector<float> items;
  unsigned __int128 sum = 0;
  for (std::uint64_t i = 0; i < 4096; ++i) {
    const std::uint64_t number = inputs::mixed(i) % 100'000;
    items.push_back(static_cast<float>(number));
    sum += number * number;
  }
  // A power of two of items: the division is exact, and the sum has fewer than 53 bits.
  EXPECT_EQ(mf::reduce(items, mf::mean_square), static_cast<double>(sum) / 4096);
  items.resize(3);
  EXPECT_EQ(mf::reduce(std::vector<float>{1, 1, 2}, mf::mean_square), 2.0);
}

TEST(mean_square, is_rounded_once) {
  const std::vector<double> thirds{1, 0, 0};
  EXPECT_EQ(mf::reduce(thirds, mf::mean_square), 1.0 / 3);
  EXPECT_EQ(mf::reduce(thirds, mf::mean_square_to<float>), 1.0F / 3);
  // No square over- or underflows.
  EXPECT_EQ(mf::reduce(std::vector<double>{1e200, 0}, mf::mean_square),
            std::numeric_limits<double>::infinity());
  EXPECT_EQ(mf::reduce(std::vector<double>(4, 0x1p511), mf::mean_square), 0x1p1022);
  EXPECT_EQ(mf::reduce(std::vector<double>{0x1p-530, 0}, mf::mean_square), 0x1p-1061);
}

TEST(mean_square, nothing_nan_and_infinity) {
  EXPECT_EQ(mf::try_reduce(std::vector<float>{}, mf::mean_square).code(), mf::status::empty_input);
  EXPECT_TRUE(std::isnan(mf::reduce(std::vector<float>{1, NAN}, mf::mean_square)));
  EXPECT_TRUE(std::isinf(mf::reduce(std::vector<float>{1, -INFINITY}, mf::mean_square)));
  EXPECT_EQ(mf::reduce(std::vector<float>{-0.0F}, mf::mean_square), 0.0);
}

}  // namespace
