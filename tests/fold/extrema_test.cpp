/// fold/extrema: the smallest and largest items, their first indices, NaN and zeros by the rules.

#include "monofold/fold/extrema.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include <gtest/gtest.h>

#include "monofold/reduce.hpp"
#include "tests/inputs/hard_numbers.hpp"
#include "tests/inputs/same_bits.hpp"
#include "tests/oracle/one_by_one.hpp"

namespace {

namespace mf = monofold;

bool is_nan(double x) { return std::isnan(x); }
bool below(double a, double b) { return a != b ? a < b : std::signbit(a) && !std::signbit(b); }

/// The index of the extremum by the rules of the design, in plain words; none: nothing counts.
template <class Item>
std::optional<std::size_t> expected_index(const std::vector<Item>& items, bool smallest,
                                          bool omit) {
  std::optional<std::size_t> best;
  for (std::size_t i = 0; i < items.size(); ++i) {
    const auto x = static_cast<double>(items[i]);
    if (is_nan(x) && omit) continue;
    if (is_nan(x)) return i;  // the first NaN
    if (!best) {
      best = i;
      continue;
    }
    const auto y = static_cast<double>(items[*best]);
    if (smallest ? below(x, y) : below(y, x)) best = i;
  }
  return best;
}

template <class Item>
void expect_same(Item a, Item b) {
  if (is_nan(static_cast<double>(b))) {
    EXPECT_TRUE(is_nan(static_cast<double>(a)));
  } else {
    EXPECT_EQ(a, b);
    EXPECT_EQ(std::signbit(static_cast<double>(a)), std::signbit(static_cast<double>(b)));
  }
}

template <mf::nan_rule rule, class Item>
[[gnu::noinline]] void check_rule(const std::vector<Item>& items) {
  using fold = mf::extrema_fold<Item, rule>;
  const bool omit = rule == mf::nan_rule::omit;
  const auto low = expected_index(items, true, omit);
  const auto high = expected_index(items, false, omit);
  const auto by_reduce = mf::try_reduce(mf::cpu(1), items, fold{});
  ASSERT_EQ(by_reduce.has_value(), low.has_value());
  if (!low) {
    EXPECT_EQ(by_reduce.code(), mf::status::empty_input);
    return;
  }
  const auto by_lift = fold{}.finish(oracle::one_by_one(fold{}, items));
  for (const auto& got : {*by_reduce, *by_lift}) {
    EXPECT_EQ(got.argmin, static_cast<std::int64_t>(*low));
    EXPECT_EQ(got.argmax, static_cast<std::int64_t>(*high));
    expect_same(got.min, items[*low]);
    expect_same(got.max, items[*high]);
  }
}

template <class Item>
void check(const std::vector<Item>& items) {
  SCOPED_TRACE(testing::Message() << items.size() << " items of " << sizeof(Item));
  check_rule<mf::nan_rule::propagate>(items);
  check_rule<mf::nan_rule::omit>(items);
}

template <class Item>
void check_random(std::uint64_t seed) {
  inputs::generator random(seed);
  for (const std::size_t n : {1U, 2U, 31U, 33U, 100U, 513U, 4097U, 20000U}) {
    std::vector<Item> items;
    // Few values, so that ties are everywhere; few NaN, so that the rules matter.
    for (std::size_t i = 0; i < n; ++i) items.push_back(static_cast<Item>(random() % 50));
    check(items);
    if constexpr (std::is_floating_point_v<Item>) {
      items[random() % n] = static_cast<Item>(-0.0);
      check(items);
      for (int k = 0; k < 3; ++k) {
        items[random() % n] =
            std::copysign(std::numeric_limits<Item>::quiet_NaN(), k % 2 != 0 ? Item(-1) : Item(1));
        check(items);
      }
    }
  }
}

TEST(extrema, ties_and_nan_in_doubles) { check_random<double>(31); }
TEST(extrema, ties_and_nan_in_floats) { check_random<float>(32); }
TEST(extrema, ties_in_int8) { check_random<std::int8_t>(33); }

TEST(extrema, one_value_everywhere) {
  for (const double x : inputs::kinds_of_double()) {
    for (const std::size_t n : {1U, 63U, 600U, 3000U}) check(std::vector<double>(n, x));
  }
}

TEST(extrema, zeros_are_ordered) {
  check<double>({0.0, -0.0, 0.0, -0.0});
  check<float>({-0.0F, 0.0F});
}

TEST(extrema, kinds_of_double_in_every_rotation) {
  std::vector<double> items = inputs::kinds_of_double();
  for (std::size_t turn = 0; turn < items.size(); ++turn) {
    std::rotate(items.begin(), items.begin() + 1, items.end());
    check(items);
  }
}

TEST(extrema, the_ends_of_the_integers_are_values_like_others) {
  using limits = std::numeric_limits<std::int64_t>;
  for (const std::int64_t x : {limits::min(), limits::max()}) {
    const std::vector<std::int64_t> items(1000, x);
    EXPECT_EQ(mf::reduce(items, mf::min), x);
    EXPECT_EQ(mf::reduce(items, mf::max), x);
    EXPECT_EQ(mf::reduce(items, mf::argmin), 0);
    EXPECT_EQ(mf::reduce(items, mf::argmax), 0);
  }
  const std::vector<std::uint64_t> large = {5, std::uint64_t{1} << 63, 7};  // signed: negative
  EXPECT_EQ(mf::reduce(large, mf::argmax), 1);
  EXPECT_EQ(mf::reduce(large, mf::min), 5U);
}

TEST(extrema, nothing_has_no_extremum) {
  const std::vector<double> none;
  EXPECT_EQ(mf::try_reduce(none, mf::min).code(), mf::status::empty_input);
  EXPECT_EQ(mf::try_reduce(none, mf::argmax).code(), mf::status::empty_input);
  EXPECT_EQ(mf::try_reduce(none, mf::extrema).code(), mf::status::empty_input);
  EXPECT_THROW(mf::reduce(none, mf::max), mf::error);
}

TEST(extrema, families_give_the_part_that_is_asked) {
  const std::vector<double> items = {3, -1, 4, -1, 5, 5};
  EXPECT_EQ(mf::reduce(items, mf::min), -1.0);
  EXPECT_EQ(mf::reduce(items, mf::max), 5.0);
  EXPECT_EQ(mf::reduce(items, mf::argmin), 1);
  EXPECT_EQ(mf::reduce(items, mf::argmax), 4);
  const mf::float16 halves[] = {mf::float16(1.0f), mf::float16(-1.0f), mf::float16(65504.0f)};
  EXPECT_EQ(static_cast<float>(mf::reduce(halves, mf::max)), 65504.0F);
  EXPECT_EQ(static_cast<float>(mf::reduce(halves, mf::min)), -1.0F);
}

// A state may come from anywhere: the lower index wins from either side.
TEST(extrema, combine_in_any_order_keeps_the_lowest_index) {
  using fold = mf::extremum_fold<double, true>;
  const auto early = fold{}.lift(1.0, 3);
  const auto late = fold{}.lift(1.0, 9);
  EXPECT_EQ(fold{}.combine(late, early).index, 3);
  EXPECT_EQ(fold{}.combine(early, late).index, 3);
  auto own = late;  // a run of lower indices after a state of higher ones
  const double run[] = {2.0, 1.0, 1.0};
  fold{}.absorb_run(own, run, 3, 0);
  EXPECT_EQ(own.index, 1);
  const double nan = inputs::not_a_number;
  EXPECT_EQ(fold{}.combine(fold{}.lift(nan, 8), fold{}.lift(-nan, 2)).index, 2);
}

TEST(nan_count, counts_and_finds_the_first) {
  std::vector<double> items(3000, 1.0);
  const mf::nan_count_fold<double> fold;
  EXPECT_EQ(mf::reduce(items, fold).count, 0);
  EXPECT_EQ(mf::reduce(items, fold).first, -1);
  items[2500] = items[777] = -inputs::not_a_number;
  items[600] = inputs::infinity;
  for (const auto& got : {mf::reduce(items, fold), oracle::one_by_one(fold, items)}) {
    EXPECT_EQ(got.count, 2);
    EXPECT_EQ(got.first, 777);
  }
}

}  // namespace
