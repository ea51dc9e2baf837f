/// fold/moments: variance within its bound, integer variance rounded once.

#include "monofold/fold/moments.hpp"

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "monofold/fold/exact.hpp"
#include "monofold/reduce.hpp"
#include "tests/inputs/hard_numbers.hpp"
#include "tests/inputs/same_bits.hpp"
#include "tests/oracle/exact_real.hpp"
#include "tests/oracle/nearest.hpp"
#include "tests/oracle/one_by_one.hpp"

namespace {

namespace mf = monofold;
using inputs::same_bits;

constexpr long double u = 0x1p-53L;

/// The docstring's bound for a tile. Where tiles join, means that are off by 16 u |mean| move the
/// sum of squared deviations by at most 2 sqrt(n m2) times that at each of log2(tiles) levels.
/// A variance that is subnormal is rounded to a multiple of 2^-1074.
void check_variance(const std::vector<double>& items) {
  const auto n = static_cast<long double>(items.size());
  const long double m2 = oracle::scaled_deviations(items) / n;
  long double mean = 0;
  for (const double x : items) mean += std::fabs(x) / n;
  const long double tile_levels = std::ceil(std::log2(std::ceil(n / 512)));
  const long double bound = 2000 * u * m2 + tile_levels * 2 * std::sqrt(n * m2) * 16 * u * mean +
                            n * (2 + tile_levels / 4) * 0x1p-1075L;
  for (const std::int64_t ddof : {0, 1}) {
    const long double divisor = n - static_cast<long double>(ddof);
    const double got = mf::reduce(mf::cpu(1), items, mf::plain_variance(ddof));
    const long double error = std::fabs(got - m2 / divisor);
    EXPECT_FALSE(!(error <= bound / divisor + 0x1p-1075L))
        << static_cast<double>(error / (m2 / divisor)) << " n " << items.size();
    EXPECT_TRUE(same_bits(mf::reduce(mf::cpu(1), items, mf::plain_standard_deviation(ddof)),
                          std::sqrt(got)));
  }
}

TEST(variance, is_within_the_bound) {
  for (const std::size_t n : {2U, 3U, 32U, 100U, 511U, 512U, 513U, 1025U, 5003U, 33000U}) {
    check_variance(inputs::spread_doubles(n, 20, n));
    check_variance(inputs::near_a_billion(n, n));
    std::vector<double> far(n);
    for (std::size_t i = 0; i < n; ++i) far[i] = 4 + inputs::unit_double(i);  // keeps 1/128
    check_variance(far);
    far[0] = 1e6;  // one item far from all the others
    check_variance(far);
  }
}

TEST(variance, of_one_value_everywhere_is_zero_or_almost) {
  for (const double x : {0.0, 1.0, 0.1, -1e150, 1e-300, 12345.678}) {
    for (const std::size_t n : {1U, 7U, 512U, 513U, 3000U}) {
      // The mean is off by at most 16 u |x| in a tile, the deviations by no more.
      const double got = mf::reduce(std::vector<double>(n, x), mf::plain_variance(0));
      const long double bound = std::pow(32 * u * std::fabs(static_cast<long double>(x)), 2);
      EXPECT_FALSE(!(static_cast<long double>(got) <= bound)) << x << " " << n << " " << got;
      EXPECT_GE(got, 0.0);
    }
  }
}

// The mean is off by some units in the last place, whose squares overflow; the variance is 0.
TEST(variance, of_one_value_far_from_zero_is_a_number) {
  for (const std::size_t n : {1U, 7U, 512U, 3000U}) {
    EXPECT_FALSE(std::isnan(mf::reduce(std::vector<double>(n, -1e300), mf::plain_variance(0))))
        << n;
  }
}

TEST(variance, squares_that_overflow_do_not_matter) {
  std::vector<double> items;
  for (std::size_t i = 0; i < 1000; ++i) items.push_back(1e160 + 1e150 * inputs::unit_double(i));
  check_variance(items);
}

TEST(variance, squares_that_underflow_cost_some_smallest_doubles) {
  for (const int power : {-500, -510, -515, -520, -530, -535, -537, -540, -600, -1060}) {
    for (const std::size_t n : {2U, 100U, 513U, 5003U}) {
      std::vector<double> around_zero;
      std::vector<double> around_two;
      for (std::size_t i = 0; i < n; ++i) {
        around_zero.push_back(std::ldexp(inputs::unit_double(i), power));
        around_two.push_back(std::ldexp(2 + inputs::unit_double(i), power));
      }
      check_variance(around_zero);
      check_variance(around_two);
    }
  }
}

TEST(variance, infinities_and_nan_give_nan) {
  for (const std::size_t n : {1U, 2U, 600U}) {
    for (const double odd : {inputs::infinity, -inputs::infinity, inputs::not_a_number}) {
      for (const std::size_t at : {std::size_t{0}, n / 2, n - 1}) {
        std::vector<double> items(n, 1.5);
        items[at] = odd;
        EXPECT_TRUE(std::isnan(mf::reduce(items, mf::plain_variance(0)))) << n << " " << odd;
      }
    }
  }
}

TEST(variance, omitted_nan_are_as_if_absent) {
  using omit = mf::moments_fold<double, mf::nan_rule::omit>;
  std::vector<double> items(3000, inputs::not_a_number);
  EXPECT_EQ(mf::reduce(items, omit{}).count, 0);
  std::vector<double> present;
  for (std::size_t i = 1; i < items.size(); i += 3) {
    present.push_back(items[i] = 1e4 + inputs::unit_double(i));
  }
  const mf::moments_state s = mf::reduce(items, omit{});
  EXPECT_EQ(s.count, 1000);
  const long double m2 = oracle::scaled_deviations(present) / 1000;
  EXPECT_FALSE(!(std::fabs(s.m2 - m2) <= 2000 * u * m2 + 2 * std::sqrt(1000 * m2) * 16 * u * 1e4));
  EXPECT_EQ(mf::variance_of(s, 1000).code(), mf::status::empty_input);
}

TEST(variance, too_few_items_have_none) {
  const std::vector<double> none;
  EXPECT_EQ(mf::try_reduce(none, mf::plain_variance(0)).code(), mf::status::empty_input);
  EXPECT_EQ(mf::try_reduce(std::vector<double>{1}, mf::plain_variance(1)).code(),
            mf::status::empty_input);
  EXPECT_EQ(mf::try_reduce(std::vector<int>{1, 2}, mf::plain_variance(2)).code(),
            mf::status::empty_input);
  EXPECT_EQ(mf::try_reduce(std::vector<int>{}, mf::plain_variance(0)).code(),
            mf::status::empty_input);
  EXPECT_EQ(mf::reduce(std::vector<int>{1, 2}, mf::plain_variance(1)), 0.5);
  EXPECT_EQ(mf::reduce(std::vector<double>{5}, mf::plain_variance(0)), 0.0);
  const std::vector<float> floats = {1, 2, 3, 4};
  EXPECT_EQ(mf::reduce(floats, mf::plain_variance(0)), 1.25);
}

template <class Item>
void check_integers() {
  using limits = std::numeric_limits<Item>;
  for (const std::size_t n : {1U, 2U, 3U, 100U, 4097U, 70000U}) {
    for (const int kind : {0, 1, 2, 3}) {
      auto items = inputs::integers<Item>(n, n);
      if (kind == 1) items.assign(n, limits::min());
      if (kind == 2) items.assign(n, limits::max());
      if (kind > 0) items[n / 2] = limits::max();
      if (kind == 3) {
        for (std::size_t i = 0; i < n; ++i) items[i] = i % 2 != 0 ? limits::min() : limits::max();
      }
      oracle::big_integer sum;
      oracle::big_integer squares;
      for (const Item x : items) {
        const auto exact = limits::is_signed
                               ? oracle::big_integer(static_cast<std::int64_t>(x))
                               : oracle::big_integer::from_unsigned(static_cast<std::uint64_t>(x));
        sum += exact;
        squares += exact * exact;
      }
      const auto count = static_cast<std::int64_t>(n);
      const oracle::big_integer numerator = squares * count - sum * sum;
      const auto fold = mf::bind_fold<Item>(mf::plain_variance(0));
      const auto state = oracle::one_by_one(fold, items);
      for (const std::int64_t ddof : {0, 1}) {
        const auto got = mf::try_reduce(mf::cpu(1), items, mf::plain_variance(ddof));
        ASSERT_EQ(got.has_value(), count > ddof);
        if (!got) continue;
        const oracle::big_integer divisor = oracle::big_integer(count) * (count - ddof);
        const double expected = oracle::rounded_quotient(numerator, divisor);
        EXPECT_TRUE(same_bits(*got, expected)) << *got << " for " << expected << ", n = " << n;
        EXPECT_TRUE(same_bits(*mf::variance_of(state, ddof), expected)) << "by lift and combine";
        const double root = oracle::nearest_root(numerator, divisor, 0, oracle::binary64);
        EXPECT_TRUE(same_bits(*mf::deviation_of(state, ddof), root)) << "n = " << n;
      }
    }
  }
}

TEST(standard_deviation, of_integers_is_rounded_once) {
  // The root of the rounded variance is the next double.
  const std::vector<std::int64_t> items{394, 145, -790, 270, 992, 926};
  const std::vector<double> same_items(items.begin(), items.end());
  EXPECT_EQ(mf::reduce(items, mf::standard_deviation()), 590.1232686669982);
  EXPECT_EQ(mf::reduce(same_items, mf::standard_deviation()), 590.1232686669982);
}

TEST(variance, of_8_bits) {
  check_integers<std::int8_t>();
  check_integers<std::uint8_t>();
}
TEST(variance, of_uint16) { check_integers<std::uint16_t>(); }
TEST(variance, of_int32) { check_integers<std::int32_t>(); }
TEST(variance, of_uint32) { check_integers<std::uint32_t>(); }
TEST(variance, of_int64) { check_integers<std::int64_t>(); }
TEST(variance, of_uint64) { check_integers<std::uint64_t>(); }

}  // namespace
