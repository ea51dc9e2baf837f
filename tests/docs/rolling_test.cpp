// The C++ of docs/rolling.md (tests/docs/snippets_test.py).

#include <cstdint>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

// [rolling_call]
#include "monofold/monofold.hpp"
#include "monofold/rolling.hpp"
namespace mf = monofold;
// [/rolling_call]
// [scan_call]
#include "monofold/scan.hpp"
// [/scan_call]

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

TEST(rolling_page, scans) {
  // [scan_call]
  std::vector<double> flows{1e16, 0.25, -1e16, 0.5};
  auto levels = mf::scan(flows, mf::sum);                       // 1e16, 1e16, 0.25, 0.75
  auto records = mf::scan(mf::cpu(1), flows, mf::argmax);       // 0, 0, 0, 0
  auto so_far = mf::scan(flows, mf::all(mf::mean, mf::count));  // the last one: 0.1875 of 4
  // [/scan_call]
  EXPECT_EQ(levels, (std::vector<double>{1e16, 1e16, 0.25, 0.75}));
  EXPECT_EQ(records, (std::vector<std::int64_t>{0, 0, 0, 0}));
  EXPECT_EQ(so_far[3], std::make_tuple(0.1875, std::int64_t{4}));
}

}  // namespace
