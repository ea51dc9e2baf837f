/// fold/sum: count, sum, plain_sum and mean against exact sums, within the stated bounds.

#include "monofold/fold/sum.hpp"

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "monofold/reduce.hpp"
#include "tests/inputs/hard_numbers.hpp"
#include "tests/inputs/same_bits.hpp"
#include "tests/oracle/exact_real.hpp"
#include "tests/oracle/one_by_one.hpp"

namespace {

namespace mf = monofold;
using inputs::same_bits;

constexpr std::size_t sum_sizes[] = {1, 2, 31, 32, 33, 511, 512, 513, 1023, 1025, 5003, 33000};

/// The docstring's bound with the depth of the tree, which is a whole number: log2(n) rounded up.
template <class Item>
void expect_close(double got, const std::vector<Item>& items, long double u) {
  oracle::exact_real sum;
  oracle::exact_real magnitudes;
  for (const Item x : items) {
    sum += oracle::exact_real(static_cast<double>(x));
    magnitudes += oracle::exact_real(std::fabs(static_cast<double>(x)));
  }
  const long double levels = std::ceil(std::log2(static_cast<long double>(items.size()))) + 4;
  const long double bound = levels * u * magnitudes.approximate();
  const long double error = oracle::error_of(got, sum);
  EXPECT_FALSE(!(error <= bound)) << error << " > " << bound << ", n = " << items.size();
}

TEST(sum, of_doubles_is_within_the_bound) {
  for (const std::size_t n : sum_sizes) {
    const auto spread = inputs::spread_doubles(n, 40, n);
    expect_close(mf::reduce(spread, mf::plain_sum_in<double>), spread, 0x1p-53L);
    expect_close(mf::reduce(spread, mf::plain_sum), spread, 0x1p-53L);
    const auto cancelling = inputs::cancelling(n, n);
    expect_close(mf::reduce(cancelling, mf::plain_sum_in<double>), cancelling, 0x1p-53L);
  }
}

TEST(sum, of_floats_is_in_double_and_plain_sum_in_float) {
  for (const std::size_t n : sum_sizes) {
    std::vector<float> items;
    for (std::size_t i = 0; i < n; ++i) {
      items.push_back(static_cast<float>(inputs::spread_double(i + n, 20)));
    }
    expect_close(mf::reduce(items, mf::plain_sum_in<double>), items, 0x1p-53L);
    static_assert(std::is_same_v<decltype(mf::reduce(items, mf::plain_sum)), float>);
    static_assert(std::is_same_v<decltype(mf::reduce(items, mf::plain_sum_in<double>)), double>);
    expect_close(mf::reduce(items, mf::plain_sum), items, 0x1p-24L);
  }
}

TEST(sum, of_halves_never_accumulates_in_them) {
  std::vector<mf::float16> items(70000, mf::float16{0x3c00});  // 1.0: a half stops at 2048
  EXPECT_EQ(mf::reduce(items, mf::plain_sum_in<double>), 70000.0);
  EXPECT_EQ(mf::reduce(items, mf::plain_sum), 70000.0F);
  std::vector<mf::bfloat16> brain(70000, mf::bfloat16{0x3f80});
  EXPECT_EQ(mf::reduce(brain, mf::plain_sum_in<double>), 70000.0);
}

TEST(sum, zeros_infinities_and_nan) {
  EXPECT_TRUE(same_bits(mf::reduce(std::vector<double>{}, mf::plain_sum_in<double>), 0.0));
  for (const std::size_t n : {1U, 2U, 100U, 513U, 2000U}) {
    std::vector<double> items(n, -0.0);
    EXPECT_TRUE(same_bits(mf::reduce(items, mf::plain_sum_in<double>), -0.0)) << n;
    items[n / 2] = 0.0;
    EXPECT_TRUE(same_bits(mf::reduce(items, mf::plain_sum_in<double>), 0.0)) << n;
    items[n / 2] = -inputs::infinity;
    EXPECT_EQ(mf::reduce(items, mf::plain_sum_in<double>), -inputs::infinity);
    items[n / 3] = n > 1 ? inputs::infinity : inputs::not_a_number;
    EXPECT_TRUE(std::isnan(mf::reduce(items, mf::plain_sum_in<double>)));
  }
}

TEST(sum, omitted_nan_are_as_if_absent) {
  using omit = mf::float_sum_fold<double, double, mf::nan_rule::omit>;
  std::vector<double> items(1500, inputs::not_a_number);
  // Nothing is left, and an empty sum is +0.
  EXPECT_TRUE(same_bits(mf::reduce(items, omit{}), 0.0));
  items[700] = -0.0;
  EXPECT_TRUE(same_bits(mf::reduce(items, omit{}), -0.0));
  items[701] = 2.5;
  EXPECT_EQ(mf::reduce(items, omit{}), 2.5);
  using mean = mf::mean_fold<double, mf::nan_rule::omit>;
  items[702] = 3.5;
  items[700] = 3.0;
  EXPECT_EQ(mf::reduce(items, mean{}), 3.0);
  EXPECT_EQ(mf::try_reduce(std::vector<double>(9, inputs::not_a_number), mean{}).code(),
            mf::status::empty_input);
}

template <class Item>
void check_sums() {
  using limits = std::numeric_limits<Item>;
  for (const std::size_t n : {1U, 33U, 4095U, 4097U, 16385U, 70001U}) {
    for (const int kind : {0, 1, 2}) {
      std::vector<Item> items = inputs::integers<Item>(n, n);
      if (kind == 1) items.assign(n, limits::max());
      if (kind == 2) items.assign(n, limits::min());
      oracle::big_integer exact;
      for (const Item x : items) {
        exact += limits::is_signed
                     ? oracle::big_integer(static_cast<std::int64_t>(x))
                     : oracle::big_integer::from_unsigned(static_cast<std::uint64_t>(x));
      }
      const auto sum = mf::try_reduce(mf::cpu(1), items, mf::plain_sum_in<double>);
      using answer = std::remove_cvref_t<decltype(*sum)>;
      const auto low = limits::is_signed
                           ? oracle::big_integer(std::numeric_limits<std::int64_t>::min())
                           : oracle::big_integer(0);
      const auto high = oracle::big_integer::from_unsigned(
          static_cast<std::uint64_t>(std::numeric_limits<answer>::max()));
      ASSERT_EQ(sum.has_value(), low <= exact && exact <= high) << n << " " << kind;
      if (sum) {
        ASSERT_TRUE((limits::is_signed ? oracle::big_integer(static_cast<std::int64_t>(*sum))
                                       : oracle::big_integer::from_unsigned(
                                             static_cast<std::uint64_t>(*sum))) == exact);
      } else {
        ASSERT_EQ(sum.code(), mf::status::integer_overflow);
      }
      const auto fold = mf::bind_fold<Item>(mf::plain_sum_in<double>);
      EXPECT_EQ(fold.finish(oracle::one_by_one(fold, items)).code(), sum.code());
      const double mean =
          oracle::rounded_quotient(exact.magnitude(), static_cast<std::int64_t>(items.size()));
      EXPECT_TRUE(same_bits(mf::reduce(items, mf::plain_mean) + 0.0,
                            (exact.is_negative() ? -mean : mean) + 0.0));
    }
  }
}

TEST(sum, of_int8_and_uint8) {
  check_sums<std::int8_t>();
  check_sums<std::uint8_t>();
}
TEST(sum, of_16_bits) {
  check_sums<std::int16_t>();
  check_sums<std::uint16_t>();
}
TEST(sum, of_32_bits) {
  check_sums<std::int32_t>();
  check_sums<std::uint32_t>();
}
TEST(sum, of_int64_overflows_by_status) { check_sums<std::int64_t>(); }
TEST(sum, of_uint64_overflows_by_status) { check_sums<std::uint64_t>(); }

TEST(sum, an_overflow_on_the_way_does_not_count) {
  using limits = std::numeric_limits<std::int64_t>;
  const std::vector<std::int64_t> items = {limits::max(), limits::max(), limits::min(),
                                           limits::min(), 1};
  EXPECT_EQ(mf::reduce(items, mf::plain_sum_in<double>), -1);
  EXPECT_THROW(mf::reduce(std::vector<std::int64_t>{limits::max(), 1}, mf::plain_sum_in<double>),
               mf::error);
  EXPECT_EQ(mf::reduce(std::vector<std::int64_t>{limits::max() - 1, 1}, mf::plain_sum_in<double>),
            limits::max());
  EXPECT_EQ(mf::reduce(std::vector<std::int64_t>{limits::min() + 1, -1}, mf::plain_sum_in<double>),
            limits::min());
}

TEST(sum, of_bool_counts) {
  bool items[1000];
  for (int i = 0; i < 1000; ++i) items[i] = i % 3 == 0;
  EXPECT_EQ(mf::reduce(items, mf::plain_sum_in<double>), 334U);
  EXPECT_EQ(mf::reduce(items, mf::plain_mean), 0.334);
}

TEST(count, counts) {
  EXPECT_EQ(mf::reduce(std::vector<float>{}, mf::count), 0);
  for (const std::size_t n : sum_sizes) {
    EXPECT_EQ(mf::reduce(std::vector<float>(n), mf::count), static_cast<std::int64_t>(n));
  }
  const std::vector<char> items(77);
  EXPECT_EQ(oracle::one_by_one(mf::count, items), 77);
}

TEST(mean, is_the_sum_and_one_division) {
  for (const std::size_t n : sum_sizes) {
    const auto items = inputs::spread_doubles(n, 30, n);
    EXPECT_TRUE(same_bits(mf::reduce(items, mf::plain_mean),
                          mf::reduce(items, mf::plain_sum_in<double>) / static_cast<double>(n)));
  }
  EXPECT_EQ(mf::try_reduce(std::vector<double>{}, mf::plain_mean).code(), mf::status::empty_input);
  EXPECT_EQ(mf::try_reduce(std::vector<int>{}, mf::plain_mean).code(), mf::status::empty_input);
  EXPECT_TRUE(std::isnan(mf::reduce(std::vector<double>{1, inputs::not_a_number}, mf::plain_mean)));
}

}  // namespace
