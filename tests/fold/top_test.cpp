/// fold/top: the k best items against a stable sort: ties, NaN, zeros, every k.

#include "monofold/fold/top.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "monofold/reduce.hpp"
#include "tests/inputs/hard_numbers.hpp"
#include "tests/oracle/one_by_one.hpp"

namespace {

namespace mf = monofold;

/// The indices, best first: a stable sort keeps the lower index first among equals.
template <class Item>
std::vector<std::int64_t> sorted_indices(const std::vector<Item>& items, bool smallest, bool omit) {
  std::vector<std::int64_t> order;
  const auto at = [&](std::int64_t i) {
    return static_cast<double>(items[static_cast<std::size_t>(i)]);
  };
  for (std::int64_t i = 0; i < static_cast<std::int64_t>(items.size()); ++i) {
    if (!omit || !std::isnan(at(i))) order.push_back(i);
  }
  std::stable_sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) {
    const double x = smallest ? at(a) : at(b);
    const double y = smallest ? at(b) : at(a);
    if (std::isnan(at(a)) || std::isnan(at(b))) return !std::isnan(at(a)) && std::isnan(at(b));
    return x != y ? x < y : std::signbit(x) && !std::signbit(y);
  });
  return order;
}

template <class Item>
void expect_answer(const mf::result<mf::top_answer<Item>>& got, const std::vector<Item>& items,
                   const std::vector<std::int64_t>& order, std::int64_t k) {
  SCOPED_TRACE(testing::Message() << "n " << items.size() << " k " << k);
  ASSERT_EQ(got.has_value(), k <= static_cast<std::int64_t>(order.size()));
  if (!got) {
    EXPECT_EQ(got.code(), mf::status::empty_input);
    return;
  }
  const std::vector<std::int64_t> expected(order.begin(), order.begin() + k);
  ASSERT_EQ(got->indices, expected);
  ASSERT_EQ(got->values.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const auto want = static_cast<double>(items[static_cast<std::size_t>(expected[i])]);
    const auto have = static_cast<double>(got->values[i]);
    EXPECT_TRUE(std::isnan(want) ? std::isnan(have)
                                 : want == have && std::signbit(want) == std::signbit(have));
  }
}

template <bool smallest, mf::nan_rule rule, class Item>
[[gnu::noinline]] void check(const std::vector<Item>& items) {
  const auto order = sorted_indices(items, smallest, rule == mf::nan_rule::omit);
  const auto n = static_cast<std::int64_t>(items.size());
  for (const std::int64_t k : {std::int64_t{0}, std::int64_t{1}, std::int64_t{2}, std::int64_t{10},
                               n / 2, n - 1, n, n + 1}) {
    if (k < 0) continue;
    const mf::top_fold<Item, smallest, rule> fold{k};
    expect_answer(mf::try_reduce(mf::cpu(1), items, fold), items, order, k);
    if (n > 0 && n < 600) {
      expect_answer(fold.finish(oracle::one_by_one(fold, items)), items, order, k);
    }
  }
}

template <class Item>
void check_all(const std::vector<Item>& items) {
  check<false, mf::nan_rule::propagate>(items);
  check<true, mf::nan_rule::propagate>(items);
  check<false, mf::nan_rule::omit>(items);
}

TEST(top, ties_everywhere) {
  inputs::generator random(41);
  for (const std::size_t n : {0U, 1U, 2U, 33U, 513U, 1025U, 9000U}) {
    std::vector<double> items;
    for (std::size_t i = 0; i < n; ++i) items.push_back(static_cast<double>(random() % 20));
    check_all(items);
  }
}

TEST(top, ascending_and_descending) {
  std::vector<double> items;
  for (int i = 0; i < 5000; ++i) items.push_back(i);
  check<false, mf::nan_rule::propagate>(items);
  check<true, mf::nan_rule::propagate>(items);
}

TEST(top, nan_come_last) {
  std::vector<double> items = inputs::kinds_of_double();
  check_all(items);
  std::rotate(items.begin(), items.begin() + 11, items.end());  // a NaN first
  check_all(items);
  items.insert(items.begin(), 700, inputs::not_a_number);
  items.insert(items.end(), 700, -inputs::not_a_number);
  check_all(items);
  check_all(std::vector<double>(600, inputs::not_a_number));
  check_all(std::vector<double>(600, -inputs::infinity));
}

TEST(top, integers_at_their_ends) {
  auto items = inputs::integers<std::int8_t>(5000, 42);
  check<false, mf::nan_rule::propagate>(items);
  check<true, mf::nan_rule::propagate>(items);
  check<true, mf::nan_rule::propagate>(std::vector<std::int8_t>(100, 127));
  check<false, mf::nan_rule::propagate>(std::vector<std::int8_t>(100, -128));
}

TEST(top, families_and_many_nodes) {
  std::vector<float> items;
  for (std::size_t i = 0; i < 300000; ++i) {
    items.push_back(static_cast<float>(inputs::mixed(i) % 1000));
  }
  const auto large = mf::reduce(mf::cpu(4), items, mf::top(500));
  auto order = sorted_indices(items, false, false);
  order.resize(500);
  EXPECT_EQ(large.indices, order);
  order = sorted_indices(items, true, false);
  order.resize(500);
  EXPECT_EQ(mf::reduce(mf::cpu(4), items, mf::bottom(500)).indices, order);
}

TEST(top, none_of_nothing_is_an_answer) {
  const std::vector<int> none;
  EXPECT_TRUE(mf::reduce(none, mf::top(0)).values.empty());
  EXPECT_EQ(mf::try_reduce(none, mf::top(1)).code(), mf::status::empty_input);
}

TEST(top, a_negative_k_is_an_invalid_argument) {
  EXPECT_EQ(mf::try_reduce(std::vector<int>{1, 2, 3}, mf::top(-1)).code(),
            mf::status::invalid_argument);
  EXPECT_EQ(mf::try_reduce(std::vector<int>{}, mf::bottom(-1)).code(),
            mf::status::invalid_argument);
}

}  // namespace
