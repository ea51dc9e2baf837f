/// fold/adapt: `map` and `where` give what mapping and filtering beforehand would give.

#include "monofold/fold/adapt.hpp"

#include <cstdint>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "monofold/fold/all.hpp"
#include "monofold/fold/custom.hpp"
#include "monofold/fold/exact.hpp"
#include "monofold/fold/extrema.hpp"
#include "monofold/fold/moments.hpp"
#include "monofold/fold/sum.hpp"
#include "monofold/fold/top.hpp"
#include "monofold/reduce.hpp"
#include "tests/inputs/hard_numbers.hpp"
#include "tests/inputs/same_bits.hpp"
#include "tests/oracle/plan_tree.hpp"

namespace {

namespace mf = monofold;
using inputs::same_bits;

constexpr auto square = [](double x) { return x * x; };
constexpr auto positive = [](double x) { return x > 0; };
constexpr std::size_t sizes[] = {1, 2, 33, 512, 513, 1500, 40000};

TEST(map, has_the_bits_of_items_mapped_beforehand) {
  for (const std::size_t n : sizes) {
    const auto items = inputs::spread_doubles(n, 20, n);
    std::vector<double> mapped;
    for (const double x : items) mapped.push_back(square(x));
    EXPECT_TRUE(same_bits(mf::reduce(items, mf::plain_sum_in<double> | mf::map(square)),
                          mf::reduce(mapped, mf::plain_sum_in<double>)));
    EXPECT_TRUE(same_bits(mf::reduce(items, mf::plain_mean | mf::map(square)),
                          mf::reduce(mapped, mf::plain_mean)));
    EXPECT_TRUE(same_bits(mf::reduce(items, mf::plain_variance(0) | mf::map(square)),
                          mf::reduce(mapped, mf::plain_variance(0))));
    EXPECT_EQ(mf::reduce(items, mf::argmax | mf::map(square)), mf::reduce(mapped, mf::argmax));
  }
}

TEST(map, may_change_the_type) {
  const std::vector<int> items = {1, 2, 3, 4};
  EXPECT_EQ(mf::reduce(items, mf::plain_sum_in<double> | mf::map([](int x) { return x / 2.0; })),
            5.0);
  EXPECT_EQ(mf::reduce(items, mf::plain_sum_in<double> | mf::map([](int x) { return x > 2; })), 2U);
  EXPECT_EQ(mf::reduce(std::vector<int>{}, mf::plain_sum_in<double> | mf::map(square)), 0.0);
  EXPECT_EQ(mf::try_reduce(std::vector<int>{}, mf::min | mf::map(square)).code(),
            mf::status::empty_input);
  const auto best = mf::reduce(items, mf::top(2) | mf::map([](int x) { return -x; }));
  EXPECT_EQ(best.values, (std::vector<int>{-1, -2}));
  EXPECT_EQ(best.indices, (std::vector<std::int64_t>{0, 1}));
}

TEST(map, keeps_the_order_of_an_ordered_fold) {
  const auto append = [](std::uint64_t l, std::uint64_t r) {
    return l * 3 + r;
  };  // not associative
  const auto fold = mf::ordered(append) | mf::map([](std::uint32_t x) { return std::uint64_t{x}; });
  for (const std::size_t n : sizes) {
    const auto items = inputs::integers<std::uint32_t>(n, n);
    const auto bound = mf::bind_fold<std::uint32_t>(fold);
    EXPECT_EQ(mf::reduce(items, fold), oracle::plan_state(bound, items));
  }
}

/// Sum, count and first index of what passes, by a plain loop over small integers.
void check_where(const std::vector<double>& items) {
  double sum = 0;
  std::int64_t count = 0;
  std::int64_t first = -1;
  std::int64_t best = -1;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (!(items[i] > 0)) continue;
    sum += items[i];  // exact: small whole numbers
    if (first < 0) first = static_cast<std::int64_t>(i);
    if (best < 0 || items[static_cast<std::size_t>(best)] < items[i]) {
      best = static_cast<std::int64_t>(i);
    }
    ++count;
  }
  SCOPED_TRACE(testing::Message() << items.size() << " items, " << count << " pass");
  EXPECT_EQ(mf::reduce(items, mf::count | mf::where(positive)), count);
  EXPECT_EQ(mf::reduce(items, mf::plain_sum_in<double> | mf::where(positive)), sum);
  const auto argmax = mf::try_reduce(items, mf::argmax | mf::where(positive));
  const auto variance = mf::try_reduce(items, mf::plain_variance(0) | mf::where(positive));
  ASSERT_EQ(argmax.has_value(), count > 0);
  ASSERT_EQ(variance.has_value(), count > 0);
  const auto left = mf::ordered([](double l, double) { return l; });
  const auto found = mf::try_reduce(items, left | mf::where(positive));
  ASSERT_EQ(found.has_value(), count > 0);
  if (count == 0) {
    EXPECT_EQ(argmax.code(), mf::status::empty_input);
    EXPECT_EQ(found.code(), mf::status::empty_input);
    return;
  }
  EXPECT_EQ(*argmax, best);
  EXPECT_EQ(*found, items[static_cast<std::size_t>(first)]);
}

TEST(where, any_pattern_of_passing_items) {
  inputs::generator random(51);
  for (const std::size_t n : sizes) {
    for (const unsigned out_of : {1U, 2U, 10U, 700U}) {
      std::vector<double> items(n, -1.0);
      for (double& x : items) {
        if (random() % out_of == 0) x = static_cast<double>(1 + random() % 30);
      }
      check_where(items);
    }
    check_where(std::vector<double>(n, -1.0));  // nothing passes
    std::vector<double> one(n, -1.0);
    one[n - 1] = 7;
    check_where(one);
  }
}

TEST(where, the_first_items_of_tiles_fail) {
  std::vector<double> items(5000, 3.0);
  for (std::size_t i = 0; i < items.size(); i += 512) items[i] = -inputs::infinity;
  check_where(items);
  EXPECT_EQ(mf::reduce(items, mf::plain_variance(0) | mf::where(positive)), 0.0);
  for (std::size_t i = 0; i < 1024; ++i) items[i] = inputs::not_a_number;  // whole tiles fail
  check_where(items);
  EXPECT_EQ(mf::reduce(items, mf::plain_variance(0) | mf::where(positive)), 0.0);
}

TEST(where, nothing_passes_is_like_no_items) {
  const std::vector<double> items(600, -1.0);
  EXPECT_TRUE(same_bits(mf::reduce(items, mf::plain_sum_in<double> | mf::where(positive)), 0.0));
  EXPECT_EQ(mf::try_reduce(items, mf::plain_mean | mf::where(positive)).code(),
            mf::status::empty_input);
  EXPECT_TRUE(mf::reduce(items, mf::top(0) | mf::where(positive)).values.empty());
  EXPECT_EQ(mf::try_reduce(items, mf::top(1) | mf::where(positive)).code(),
            mf::status::empty_input);
  EXPECT_EQ(mf::reduce(std::vector<double>{}, mf::plain_sum_in<double> | mf::where(positive)), 0.0);
  EXPECT_EQ(mf::try_reduce(std::vector<double>{}, mf::min | mf::where(positive)).code(),
            mf::status::empty_input);
}

TEST(adapters, exact_sums_have_the_bits_of_items_adapted_beforehand) {
  const auto check = [](const std::vector<double>& items) {
    std::vector<double> mapped, kept, both;
    for (const double x : items) {
      mapped.push_back(square(x));
      if (positive(x)) kept.push_back(x);
      if (positive(x)) both.push_back(square(x));
    }
    const auto expect_same = [&](const auto& fold, const auto& of) {
      EXPECT_TRUE(same_bits(mf::reduce(items, fold | mf::map(square)), mf::reduce(mapped, of)));
      EXPECT_TRUE(same_bits(mf::reduce(items, fold | mf::where(positive)), mf::reduce(kept, of)));
      EXPECT_TRUE(same_bits(mf::reduce(items, fold | mf::map(square) | mf::where(positive)),
                            mf::reduce(both, of)));
    };
    SCOPED_TRACE(testing::Message() << items.size() << " items, " << kept.size() << " pass");
    expect_same(mf::sum, mf::sum);
    expect_same(mf::norm2, mf::norm2);
    if (kept.empty()) {
      EXPECT_EQ(mf::try_reduce(items, mf::mean | mf::where(positive)).code(),
                mf::status::empty_input);
      return;
    }
    expect_same(mf::mean, mf::mean);
    expect_same(mf::variance(0), mf::variance(0));
    const auto all = mf::reduce(items, mf::all(mf::sum, mf::max) | mf::where(positive));
    EXPECT_TRUE(same_bits(std::get<0>(all), mf::reduce(kept, mf::sum)));
  };
  for (const std::size_t n : {1, 2, 33, 2047, 2048, 2049, 40000}) {
    for (const int spread : {0, 20, 600}) check(inputs::spread_doubles(n, spread, n + 5));
    check(std::vector<double>(n, -1.0));  // nothing passes
    check(std::vector<double>(n, 0.1));   // everything
    check(std::vector<double>(n, -0.0));
    std::vector<double> rare(n, -1.0);
    rare[n / 2] = 0.3;
    check(rare);
    rare[n - 1] = inputs::infinity;
    check(rare);
  }
}

/// An item that is neither made of nothing nor assigned to, and one that is large.
struct reading {
  const double value;
  explicit reading(double x) : value(x) {}
};
struct large_reading {
  double value;
  char more[500];
};

TEST(adapters, exact_sums_of_any_items) {
  const auto value = [](const auto& r) { return r.value; };
  const auto some = [](const auto& r) { return r.value > 0.25; };
  const auto fold = mf::sum | mf::map(value) | mf::where(some);
  std::vector<reading> small;
  std::vector<large_reading> large;
  std::vector<double> kept;
  for (const double x : inputs::spread_doubles(5000, 20, 9)) {
    small.push_back(reading(x));
    large.push_back({x, {}});
    if (some(small.back())) kept.push_back(x);
  }
  EXPECT_TRUE(same_bits(mf::reduce(small, fold), mf::reduce(kept, mf::sum)));
  EXPECT_TRUE(same_bits(mf::reduce(large, fold), mf::reduce(kept, mf::sum)));
}

TEST(adapters, the_one_added_last_sees_the_items_first) {
  const std::vector<double> items = {-3, 1, 2, -5};
  const auto negated = [](double x) { return -x; };
  EXPECT_EQ(mf::reduce(items, mf::plain_sum_in<double> | mf::map(negated) | mf::where(positive)),
            -3.0);
  EXPECT_EQ(mf::reduce(items, mf::plain_sum_in<double> | mf::where(positive) | mf::map(negated)),
            8.0);
}

TEST(where, has_the_plan_of_its_own_state) {
  const auto weighted = mf::ordered([](double l, double r) { return l * 0.5 + r; });
  const auto fold = weighted | mf::where(positive);
  const auto bound = mf::bind_fold<double>(fold);
  for (const std::size_t n : sizes) {
    const auto items = inputs::spread_doubles(n, 3, n + 5);
    const auto expected = oracle::plan_state(bound, items);
    const auto got = mf::try_reduce(items, fold);
    ASSERT_EQ(got.has_value(), expected.any);
    if (got) {
      EXPECT_TRUE(same_bits(*got, expected.value)) << n;
    }
  }
}

}  // namespace
