#pragma once
/// fast_math/long_sums: sums and products of long arrays, for files with flags of their own.

#include <gtest/gtest.h>

#include <cstddef>
#include <span>

#include "monofold/fold/exact.hpp"
#include "monofold/fold/exact/accumulator.hpp"
#include "monofold/reduce.hpp"
#include "monofold/rolling.hpp"
#include "tests/inputs/hard_numbers.hpp"
#include "tests/oracle/fixed_sum.hpp"
#include "tests/oracle/nearest.hpp"

namespace fast_math {

/// What keeps running in a file without -ffast-math; a program has one layout of it.
using product_accumulator =
    monofold::exact_running_sum<monofold::product_term<monofold::item_pair<double, double>>>;
std::size_t strict_bytes_of_product_accumulator();

/// In every file one of its own.
static inline void expect_long_sums() {
  namespace mf = monofold;
  const auto x = inputs::spread_doubles(100000, 60, 3);
  const auto y = inputs::spread_doubles(100000, 60, 4);
  oracle::fixed_sum sum, dot, squares;
  for (std::size_t i = 0; i < x.size(); ++i) {
    sum.add(x[i]);
    dot.add_product(x[i], y[i]);
    squares.add_product(x[i], x[i]);
  }
  EXPECT_EQ(mf::reduce(x, mf::sum), sum.nearest(oracle::binary64));
  EXPECT_EQ(mf::reduce(mf::zip(x, y), mf::dot), dot.nearest(oracle::binary64));
  EXPECT_EQ(mf::reduce(x, mf::sum_of_squares), squares.nearest(oracle::binary64));
  const std::span<const double> some(x.data(), 3000);
  const auto windows = mf::rolling(some, 10, mf::sum);
  for (std::size_t i = 0; i < windows.size(); ++i) {
    ASSERT_EQ(windows[i], mf::reduce(some.subspan(i, 10), mf::sum)) << i;
  }
}

}  // namespace fast_math
