/// fold/adapt_nan: NaN omitted, and NaN refused.

#include "monofold/fold/adapt_nan.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <tuple>
#include <vector>

#include "monofold/monofold.hpp"

namespace {

namespace mf = monofold;
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

const std::vector<double> with_nan{3, nan, -1, 5, nan};
const std::vector<double> without{3, -1, 5};

TEST(omit_nan, is_as_if_nan_were_absent) {
  EXPECT_EQ(mf::reduce(with_nan, mf::sum | mf::omit_nan), 7);
  EXPECT_EQ(mf::reduce(with_nan, mf::mean | mf::omit_nan), mf::reduce(without, mf::mean));
  EXPECT_EQ(mf::reduce(with_nan, mf::variance(1) | mf::omit_nan),
            mf::reduce(without, mf::variance(1)));
  EXPECT_EQ(mf::reduce(with_nan, mf::all(mf::min, mf::count) | mf::omit_nan),
            std::tuple(-1.0, std::int64_t{3}));
  EXPECT_EQ(mf::reduce(with_nan, mf::argmax | mf::omit_nan), 3);  // indices stay
  EXPECT_EQ(mf::reduce(std::vector<int>{1, 2}, mf::sum | mf::omit_nan), 3);
  EXPECT_EQ(mf::reduce(mf::zip(with_nan, with_nan), mf::dot | mf::omit_nan), 35);
}

TEST(omit_nan, of_nothing_but_nan_is_of_nothing) {
  const std::vector<double> all(9, nan);
  EXPECT_EQ(mf::reduce(all, mf::sum | mf::omit_nan), 0);
  EXPECT_EQ(mf::try_reduce(all, mf::mean | mf::omit_nan).code(), mf::status::empty_input);
}

/// Where there is none the bits are those of the fold alone.
template <class F>
void check_raise(const F& f) {
  std::vector<double> items(200000);
  for (std::size_t i = 0; i < items.size(); ++i) items[i] = 1.0 / static_cast<double>(i + 1);
  EXPECT_EQ(mf::reduce(items, f | mf::raise_nan), mf::reduce(items, f));
  for (const std::size_t at : {std::size_t{0}, std::size_t{70001}, items.size() - 1}) {
    auto bad = items;
    bad[at] = nan;
    EXPECT_EQ(mf::try_reduce(bad, f | mf::raise_nan).code(), mf::status::nan_found) << at;
  }
}

TEST(raise_nan, has_no_answer_where_there_is_one) {
  check_raise(mf::sum);
  check_raise(mf::plain_sum);
  check_raise(mf::plain_variance());
  check_raise(mf::norm2);
  check_raise(mf::max);
  check_raise(mf::argmin);
  check_raise(mf::ordered([](double l, double r) { return 0.5 * l + r; }));
}

TEST(raise_nan, members_of_an_all_keep_their_bits) {
  std::vector<float> items(100000);
  for (std::size_t i = 0; i < items.size(); ++i) items[i] = 1.0f / static_cast<float>(i + 1);
  const auto folds = mf::all(mf::plain_sum, mf::plain_mean);
  EXPECT_EQ(mf::reduce(items, folds | mf::raise_nan), mf::reduce(items, folds));
}

TEST(raise_nan, looks_at_what_gets_there) {
  EXPECT_EQ(mf::reduce(with_nan, mf::sum | mf::raise_nan | mf::omit_nan), 7);
  EXPECT_EQ(mf::try_reduce(with_nan, mf::sum | mf::omit_nan | mf::raise_nan).code(),
            mf::status::nan_found);
  EXPECT_EQ(mf::try_reduce(mf::zip(without, with_nan), mf::dot | mf::raise_nan).code(),
            mf::status::nan_found);
  EXPECT_EQ(mf::try_reduce(std::vector<double>{}, mf::max | mf::raise_nan).code(),
            mf::status::empty_input);
}

}  // namespace
