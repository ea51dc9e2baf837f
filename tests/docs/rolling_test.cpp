// The C++ of docs/rolling.md (tests/docs/snippets_test.py).

#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

// [rolling_call]
#include "monofold/monofold.hpp"
#include "monofold/rolling.hpp"
namespace mf = monofold;
// [/rolling_call]

namespace {

TEST(rolling_page, calls) {
  // [rolling_call]
  std::vector<double> rain{0.1, 1e16, 0.2, 0.3, 0.4, 7};
  auto means = mf::rolling(rain, 3, mf::mean);  // four of them; the last two: 0.3, 2.566...
  auto sums = mf::rolling(mf::cpu(4), rain, 2, mf::sum);
  auto peaks = mf::rolling(rain, 2, mf::argmax);                   // in the window: 1, 0, 1, 1, 1
  auto days = mf::rolling(rain, 2, mf::argmax, mf::global_index);  // 1, 1, 3, 4, 5
  auto both = mf::rolling(rain, 3, mf::all(mf::min, mf::variance(1)));
  // [/rolling_call]
  ASSERT_EQ(means.size(), 4u);
  EXPECT_EQ(means[2], mf::reduce(std::vector<double>{0.2, 0.3, 0.4}, mf::mean));
  EXPECT_EQ(means[3], mf::reduce(std::vector<double>{0.3, 0.4, 7}, mf::mean));
  EXPECT_EQ(sums[2], 0.5);
  EXPECT_EQ(peaks, (std::vector<std::int64_t>{1, 0, 1, 1, 1}));
  EXPECT_EQ(days, (std::vector<std::int64_t>{1, 1, 3, 4, 5}));
  EXPECT_EQ(std::get<0>(both[1]), 0.2);
}

}  // namespace
