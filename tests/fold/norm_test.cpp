/// fold/norm: norms within their bounds over the whole range of doubles, exact for integers.

#include "monofold/fold/norm.hpp"

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

long double levels_of(std::size_t n) { return std::ceil(std::log2(static_cast<long double>(n))); }

/// The docstring's bound; a result below the normal numbers may also be off by half its last place.
template <class Item>
void check_norm2(const std::vector<Item>& items) {
  oracle::exact_real squares;
  for (const Item x : items) {
    squares += oracle::exact_real::product(static_cast<double>(x), static_cast<double>(x));
  }
  const long double exact = std::sqrt(squares.approximate());
  const double got = mf::reduce(mf::cpu(1), items, mf::plain_norm2);
  if (exact > static_cast<long double>(inputs::largest)) {
    EXPECT_EQ(got, inputs::infinity);
    return;
  }
  long double bound = (levels_of(items.size()) + 8) * 0x1p-53L * exact;
  if (exact < static_cast<long double>(inputs::smallest_normal)) bound += 0x1p-1075L;
  const long double error = std::fabs(got - exact);
  EXPECT_FALSE(!(error <= bound)) << got << " for " << static_cast<double>(exact)
                                  << ", n = " << items.size();
}

/// Answers with its state.
template <class Item>
struct plain_squares : mf::norm2_fold<Item> {
  using state = typename mf::norm2_fold<Item>::state;
  state finish(const state& s) const { return s; }
};

/// The same of the mean of squares.
template <class Item>
void check_mean_square(const std::vector<Item>& items) {
  oracle::exact_real squares;
  for (const Item x : items) {
    squares += oracle::exact_real::product(static_cast<double>(x), static_cast<double>(x));
  }
  const auto n = static_cast<std::int64_t>(items.size());
  const long double exact = squares.approximate() / static_cast<long double>(n);
  const auto all = mf::reduce(mf::cpu(1), items, plain_squares<Item>{});
  const double got = mf::norm2_fold<Item>::mean_square(all, n);
  if (exact > static_cast<long double>(inputs::largest)) {
    EXPECT_EQ(got, inputs::infinity);
    return;
  }
  long double bound = (levels_of(items.size()) + 16) * 0x1p-53L * exact;
  if (exact < static_cast<long double>(inputs::smallest_normal)) bound += 0x1p-1075L;
  const long double error = std::fabs(got - exact);
  EXPECT_FALSE(!(error <= bound)) << got << " for " << static_cast<double>(exact) << ", n = " << n;
}

TEST(plain_mean_square, neither_overflows_nor_underflows_before_its_end) {
  for (const int scale : {0, 300, 478, 481, 506, 514, 900, -300, -479, -482, -520, -540, -1060}) {
    for (const std::size_t n : {1U, 3U, 513U, 2000U}) {
      auto items = inputs::spread_doubles(n, 4, n);
      for (double& x : items) x = std::ldexp(x, scale);
      check_mean_square(items);
    }
  }
  check_mean_square<double>({0x1p511, 0x1p511, 0x1p511, 0x1p511});  // their sum is no double
  check_mean_square<double>({0x1p481, 0x1p479, 1, 0x1p-500});
  check_mean_square<double>({0x1p-481, 0x1p-479, 0x1p-482});
  check_mean_square<float>({3e38F, -1e-45F});
  const std::vector<double> odd = {1, inputs::not_a_number};
  EXPECT_TRUE(
      std::isnan(mf::norm2_fold<double>::mean_square(mf::reduce(odd, plain_squares<double>{}), 2)));
}

TEST(norm2, neither_overflows_nor_underflows) {
  for (const int scale :
       {0, 300, 478, 481, 506, 514, 900, 1000, -300, -479, -482, -520, -540, -700, -1000, -1060}) {
    for (const std::size_t n : {1U, 3U, 100U, 513U, 2000U}) {
      auto items = inputs::spread_doubles(n, 4, n);
      for (double& x : items) x = std::ldexp(x, scale);
      check_norm2(items);
    }
  }
  check_norm2<double>({1e300, -1e300});
  check_norm2<double>({inputs::smallest, inputs::smallest});
  check_norm2<double>({inputs::smallest});
  check_norm2<double>({inputs::largest});
  check_norm2<double>({inputs::largest, inputs::largest});
  check_norm2(inputs::all_subnormal(3000, 5));
}

TEST(norm2, ranges_meet) {
  check_norm2<double>({0x1p480, 0x1.0000000000001p480, 0x1p-480, 0x1.fffffffffffffp-481});
  check_norm2<double>({0x1p481, 0x1p479, 1, 0x1p-500});
  check_norm2<double>({0x1p-481, 0x1p-479, 0x1p-482});
  for (const int powers : {490, 520, 1000}) check_norm2(inputs::spread_doubles(3000, powers, 9));
  // One item of the next range and a thousand at the end of their own: all count.
  for (const double edge : {0x1p480, 0x1p-480}) {
    std::vector<double> items(1000, edge * 0.99);
    items.push_back(edge * 1.01);
    check_norm2(items);
  }
}

TEST(norm2, of_floats) {
  std::vector<float> items;
  for (std::size_t i = 0; i < 5000; ++i) {
    items.push_back(static_cast<float>(inputs::spread_double(i, 120)));
  }
  check_norm2(items);
  check_norm2<float>({1e-45F, 1e-45F, -1e-45F});
  check_norm2<float>({3e38F, 3e38F});
}

TEST(norms, infinities_nan_and_nothing) {
  std::vector<double> items(1000, 1e-300);
  items[999] = -inputs::infinity;
  EXPECT_EQ(mf::reduce(items, mf::plain_norm1), inputs::infinity);
  EXPECT_EQ(mf::reduce(items, mf::plain_norm2), inputs::infinity);
  EXPECT_EQ(mf::reduce(items, mf::norm_inf), inputs::infinity);
  items[3] = -inputs::not_a_number;
  EXPECT_TRUE(std::isnan(mf::reduce(items, mf::plain_norm1)));
  EXPECT_TRUE(std::isnan(mf::reduce(items, mf::plain_norm2)));
  EXPECT_TRUE(std::isnan(mf::reduce(items, mf::norm_inf)));
  const std::vector<double> none;
  EXPECT_TRUE(same_bits(mf::reduce(none, mf::plain_norm1), 0.0));
  EXPECT_TRUE(same_bits(mf::reduce(none, mf::plain_norm2), 0.0));
  EXPECT_TRUE(same_bits(mf::reduce(none, mf::norm_inf), 0.0));
  const std::vector<double> zeros(600, -0.0);
  EXPECT_TRUE(same_bits(mf::reduce(zeros, mf::plain_norm1), 0.0));
  EXPECT_TRUE(same_bits(mf::reduce(zeros, mf::plain_norm2), 0.0));
  EXPECT_TRUE(same_bits(mf::reduce(zeros, mf::norm_inf), 0.0));
}

TEST(norms, omitted_nan_are_as_if_absent) {
  const std::vector<double> items = {3, inputs::not_a_number, -4, -inputs::not_a_number};
  EXPECT_EQ(mf::reduce(items, mf::norm1_fold<double, mf::nan_rule::omit>{}), 7.0);
  EXPECT_EQ(mf::reduce(items, mf::norm2_fold<double, mf::nan_rule::omit>{}), 5.0);
  EXPECT_EQ(mf::reduce(items, mf::norm_inf_fold<double, mf::nan_rule::omit>{}), 4.0);
}

TEST(norm1, of_floats_is_within_the_bound_of_a_sum) {
  for (const std::size_t n : {1U, 100U, 513U, 6000U}) {
    const auto items = inputs::cancelling(n, n);
    oracle::exact_real magnitudes;
    for (const double x : items) magnitudes += oracle::exact_real(std::fabs(x));
    const long double bound = (levels_of(items.size()) + 4) * 0x1p-53L * magnitudes.approximate();
    const long double error = oracle::error_of(mf::reduce(items, mf::plain_norm1), magnitudes);
    EXPECT_FALSE(!(error <= bound)) << n;
  }
}

template <class Item>
void check_norms() {
  using limits = std::numeric_limits<Item>;
  for (const std::size_t n : {1U, 2U, 100U, 4097U, 20001U}) {
    for (const int kind : {0, 1, 2, 3}) {
      auto items = inputs::integers<Item>(n, n);
      if (kind == 1) items.assign(n, limits::min());
      if (kind == 2) items.assign(n, limits::max());
      if (kind == 3) items.assign(n, Item(0));
      oracle::big_integer sum;
      oracle::big_integer squares;
      std::uint64_t most = 0;
      for (const Item x : items) {
        const auto exact = limits::is_signed
                               ? oracle::big_integer(static_cast<std::int64_t>(x)).magnitude()
                               : oracle::big_integer::from_unsigned(static_cast<std::uint64_t>(x));
        sum += exact;
        squares += exact * exact;
        most = exact.low_bits() > most ? exact.low_bits() : most;
      }
      EXPECT_EQ(mf::reduce(mf::cpu(1), items, mf::norm_inf), most);
      EXPECT_TRUE(
          same_bits(mf::reduce(mf::cpu(1), items, mf::plain_norm2), oracle::rounded_root(squares)))
          << n << " " << kind;
      const auto norm1 = mf::try_reduce(mf::cpu(1), items, mf::plain_norm1);
      ASSERT_EQ(norm1.has_value(), sum.bit_length() <= 64);
      if (norm1) {
        EXPECT_EQ(*norm1, sum.low_bits());
      } else {
        EXPECT_EQ(norm1.code(), mf::status::integer_overflow);
      }
      const auto fold = mf::bind_fold<Item>(mf::plain_norm2);
      EXPECT_TRUE(fold.finish(oracle::one_by_one(fold, items)) == oracle::rounded_root(squares));
    }
  }
}

TEST(norms, of_int8) { check_norms<std::int8_t>(); }
TEST(norms, of_uint16) { check_norms<std::uint16_t>(); }
TEST(norms, of_int32) { check_norms<std::int32_t>(); }
TEST(norms, of_int64) { check_norms<std::int64_t>(); }
TEST(norms, of_uint64) { check_norms<std::uint64_t>(); }

}  // namespace
