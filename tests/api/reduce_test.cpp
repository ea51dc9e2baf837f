/// reduce: one call over any range: same bits on any number of threads, errors by status.

#include "monofold/reduce.hpp"

#include <array>
#include <cmath>
#include <cstdint>
#include <deque>
#include <ranges>
#include <stdexcept>
#include <vector>

#include <gtest/gtest.h>

#include "monofold/monofold.hpp"
#include "tests/inputs/hard_numbers.hpp"
#include "tests/inputs/same_bits.hpp"
#include "tests/oracle/plan_tree.hpp"

#if MONOFOLD_HAS_TBB
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_group.h>
#endif

namespace {

namespace mf = monofold;
using inputs::same_bits;

constexpr std::int64_t reduce_tile = 512;  // of doubles
constexpr std::int64_t span = 64 * reduce_tile;
const std::vector<std::int64_t> counts = {
    1,    2,        31,   32,       33,       reduce_tile - 1, reduce_tile,  reduce_tile + 1,
    7919, span - 1, span, span + 1, 2 * span, 3 * span - 1,    5 * span + 3, 200003};

template <class F>
[[gnu::noinline]] void check_fold(const F& family) {
  const auto items = inputs::spread_doubles(200003, 30, 91);
  const auto fold = mf::bind_fold<double>(family);
  for (const std::int64_t n : counts) {
    const mf::contiguous_view<double> view(items.data(), n);
    const auto state = oracle::plan_state<double>(
        fold, n, [&](std::int64_t i) { return items[static_cast<std::size_t>(i)]; });
    const double expected = *mf::finish_state(fold, state);
    for (int threads = 1; threads <= 16; ++threads) {
      const double got = mf::reduce(mf::cpu(threads), view, family);
      ASSERT_TRUE(same_bits(got, expected)) << n << " on " << threads;
    }
    ASSERT_TRUE(same_bits(mf::reduce(view, family), expected)) << n;
  }
}

TEST(reduce, sum_is_the_plan_tree) { check_fold(mf::plain_sum_in<double>); }
TEST(reduce, mean_is_the_plan_tree) { check_fold(mf::plain_mean); }
TEST(reduce, product_is_the_plan_tree) { check_fold(mf::product); }
TEST(reduce, variance_is_the_plan_tree) { check_fold(mf::plain_variance(0)); }
TEST(reduce, norm2_is_the_plan_tree) { check_fold(mf::plain_norm2); }
TEST(reduce, ordered_is_the_plan_tree) {
  check_fold(mf::ordered([](double l, double r) { return l * 0.9 + r; }));
}

TEST(reduce, the_same_items_in_any_container_give_the_same_bits) {
  const auto items = inputs::spread_doubles(40001, 30, 92);
  const double expected = mf::reduce(items, mf::plain_sum_in<double>);
  const std::deque<double> deque(items.begin(), items.end());
  EXPECT_TRUE(same_bits(mf::reduce(deque, mf::plain_sum_in<double>), expected));
  std::vector<double> spaced(3 * items.size());
  for (std::size_t i = 0; i < items.size(); ++i) spaced[3 * i] = items[i];
  const auto n = static_cast<std::int64_t>(items.size());
  EXPECT_TRUE(
      same_bits(mf::reduce(mf::strided_view<double>(spaced.data(), n, 3), mf::plain_sum_in<double>),
                expected));
  const std::vector<double> reversed(items.rbegin(), items.rend());
  EXPECT_TRUE(same_bits(mf::reduce(mf::strided_view<double>(reversed.data() + n - 1, n, -1),
                                   mf::plain_sum_in<double>),
                        expected));
  EXPECT_TRUE(
      same_bits(mf::reduce(reversed | std::views::reverse, mf::plain_sum_in<double>), expected));
  const auto by_index = [&](std::int64_t i) { return items[static_cast<std::size_t>(i)]; };
  EXPECT_TRUE(same_bits(mf::reduce(mf::generate(n, by_index), mf::plain_sum_in<double>), expected));
  const auto half = [](double x) { return x / 2; };
  const auto twice = [](double x) { return 2 * x; };
  EXPECT_TRUE(same_bits(
      mf::reduce(mf::transform(mf::transform(items, half), twice), mf::plain_sum_in<double>),
      expected));
  EXPECT_TRUE(
      same_bits(mf::reduce(items | std::views::transform(half) | std::views::transform(twice),
                           mf::plain_sum_in<double>),
                expected));
}

TEST(reduce, small_containers) {
  const int plain[] = {1, 2, 3};
  EXPECT_EQ(mf::reduce(plain, mf::plain_sum_in<double>), 6);
  EXPECT_EQ(mf::reduce(std::array<int, 2>{4, 5}, mf::plain_sum_in<double>), 9);
  EXPECT_EQ(mf::reduce(std::deque<int>{}, mf::plain_sum_in<double>), 0);
}

TEST(reduce, items_of_bool_wherever_they_come_from) {
  const auto even = [](std::int64_t i) { return i % 2 == 0; };
  EXPECT_EQ(mf::reduce(mf::generate(100001, even), mf::nonzero), 50001);
  std::vector<bool> packed(100001);
  for (std::size_t i = 0; i < packed.size(); i += 2) packed[i] = true;
  EXPECT_EQ(mf::reduce(packed, mf::plain_sum_in<double>), 50001U);
  const std::vector<int> items = {3, 4, 5};
  EXPECT_TRUE(mf::reduce(items | std::views::transform([](int x) { return x > 3; }), mf::any_of));
}

TEST(zip, is_as_long_as_the_shorter) {
  const std::vector<int> three = {1, 2, 3};
  const std::vector<std::int64_t> five = {10, 20, 30, 40, 50};
  EXPECT_EQ(mf::zip(three, five).size(), 3);
  EXPECT_EQ(mf::zip(five, three).size(), 3);
  EXPECT_EQ(mf::reduce(mf::zip(three, five), mf::plain_dot), 140);
  EXPECT_EQ(mf::reduce(mf::zip(five, three), mf::plain_dot), 140);
  EXPECT_EQ(mf::reduce(mf::zip(five, std::vector<int>{}), mf::plain_dot), 0);
  const auto difference = [](const auto& p) { return p.left - p.right; };
  EXPECT_EQ(mf::reduce(mf::zip(five, three), mf::plain_sum_in<double> | mf::map(difference)), 54);
}

TEST(try_reduce, arguments_that_are_wrong) {
  const double* const null = nullptr;
  EXPECT_EQ(mf::try_reduce(mf::contiguous_view<double>(null, 5), mf::plain_sum_in<double>).code(),
            mf::status::invalid_argument);
  EXPECT_EQ(mf::try_reduce(mf::contiguous_view<double>(null, 0), mf::plain_sum_in<double>).code(),
            mf::status::ok);
  const double one = 1;
  EXPECT_EQ(mf::try_reduce(mf::contiguous_view<double>(&one, -1), mf::plain_sum_in<double>).code(),
            mf::status::invalid_argument);
  const auto index = [](std::int64_t i) { return i; };
  EXPECT_EQ(mf::try_reduce(mf::generate(-3, index), mf::count).code(),
            mf::status::invalid_argument);
  EXPECT_EQ(mf::try_reduce(mf::strided_view<double>(&one, -1, 1), mf::count).code(),
            mf::status::invalid_argument);
  try {
    mf::reduce(mf::contiguous_view<double>(null, 5), mf::plain_sum_in<double>);
    FAIL() << "no throw";
  } catch (const mf::error& e) {
    EXPECT_EQ(e.code(), mf::status::invalid_argument);
  }
}

TEST(try_reduce, nothing_gives_the_identity_or_empty_input) {
  const std::vector<double> none;
  EXPECT_EQ(mf::reduce(none, mf::plain_sum_in<double>), 0.0);
  EXPECT_EQ(mf::reduce(none, mf::product), 1.0);
  EXPECT_EQ(mf::reduce(none, mf::count), 0);
  EXPECT_FALSE(mf::reduce(none, mf::any_of));
  EXPECT_TRUE(mf::reduce(none, mf::all_of));
  const auto code = [&](const auto& fold) { return mf::try_reduce(none, fold).code(); };
  for (const mf::status got :
       {code(mf::min), code(mf::max), code(mf::argmin), code(mf::argmax), code(mf::plain_mean),
        code(mf::plain_variance(0)), code(mf::top(1))}) {
    EXPECT_EQ(got, mf::status::empty_input);
  }
}

TEST(reduce, an_exception_of_a_view_or_a_fold_passes_through) {
  const auto bad = [](std::int64_t i) -> double {
    if (i == 250000) throw std::runtime_error("item 250000");
    return 1;
  };
  const auto guard = [](double x) -> double {
    if (x < 0) throw std::domain_error("negative");
    return x;
  };
  std::vector<double> items(300000, 1.0);
  items[280000] = -1;
  for (const int threads : {1, 4, 16}) {
    EXPECT_THROW(mf::reduce(mf::cpu(threads), mf::generate(300000, bad), mf::plain_sum_in<double>),
                 std::runtime_error);
    EXPECT_THROW(mf::reduce(mf::cpu(threads), items, mf::plain_sum_in<double> | mf::map(guard)),
                 std::domain_error);
  }
  items[280000] = 1;
  EXPECT_EQ(mf::reduce(mf::cpu(16), items, mf::plain_sum_in<double> | mf::map(guard)), 300000.0);
}

#if MONOFOLD_HAS_TBB
TEST(reduce, may_be_called_from_tasks_of_the_same_pool) {
  const auto items = inputs::spread_doubles(200000, 30, 93);
  const double expected = mf::reduce(mf::cpu(1), items, mf::plain_sum_in<double>);
  std::vector<double> got(32, inputs::not_a_number);
  oneapi::tbb::parallel_for(0, 32, [&](int i) {
    got[static_cast<std::size_t>(i)] = mf::reduce(mf::cpu(i % 5), items, mf::plain_sum_in<double>);
  });
  for (const double x : got) EXPECT_TRUE(same_bits(x, expected));
  oneapi::tbb::task_group group;
  double inner = inputs::not_a_number;
  group.run([&] {
    const auto nested = [&](std::int64_t) { return mf::reduce(items, mf::plain_sum_in<double>); };
    inner = mf::reduce(mf::generate(3, nested), mf::max);
  });
  group.wait();
  EXPECT_TRUE(same_bits(inner, expected));
}
#endif

}  // namespace
