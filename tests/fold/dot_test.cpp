/// fold/dot: inner products, exact for integers, within the stated bound for floats.

#include "monofold/fold/dot.hpp"

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "monofold/reduce.hpp"
#include "tests/inputs/hard_numbers.hpp"
#include "tests/inputs/same_bits.hpp"
#include "tests/oracle/exact_real.hpp"

namespace {

namespace mf = monofold;

template <class Left, class Right>
void check_floats(const std::vector<Left>& x, const std::vector<Right>& y) {
  oracle::exact_real sum;
  oracle::exact_real magnitudes;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const auto product =
        oracle::exact_real::product(static_cast<double>(x[i]), static_cast<double>(y[i]));
    sum += product;
    magnitudes += product.magnitude();
  }
  const long double levels = std::ceil(std::log2(static_cast<long double>(x.size()))) + 5;
  const long double bound = levels * 0x1p-53L * magnitudes.approximate();
  const long double error =
      oracle::error_of(mf::reduce(mf::cpu(1), mf::zip(x, y), mf::plain_dot), sum);
  EXPECT_FALSE(!(error <= bound)) << x.size();
}

TEST(dot, of_floats_is_within_the_bound) {
  for (const std::size_t n : {1U, 2U, 33U, 255U, 257U, 1025U, 9001U}) {
    const auto x = inputs::spread_doubles(n, 50, n);
    auto y = inputs::spread_doubles(n, 50, n + 1);
    check_floats(x, y);
    std::vector<float> narrow;
    for (const double v : y) narrow.push_back(static_cast<float>(v));
    check_floats(narrow, narrow);
    check_floats(x, narrow);
    for (std::size_t i = 0; i + 1 < n; i += 2) y[i + 1] = -x[i] * y[i] / x[i + 1];  // cancels
    check_floats(x, y);
  }
}

TEST(dot, of_floats_special_values) {
  const std::vector<double> none;
  EXPECT_TRUE(inputs::same_bits(mf::reduce(mf::zip(none, none), mf::plain_dot), 0.0));
  std::vector<double> x(1000, 1.0);
  std::vector<double> y(1000, 1e-300);
  x[1] = inputs::infinity;
  EXPECT_EQ(mf::reduce(mf::zip(x, y), mf::plain_dot), inputs::infinity);
  y[1] = 0;
  EXPECT_TRUE(std::isnan(mf::reduce(mf::zip(x, y), mf::plain_dot)));
  using pair = mf::item_pair<double, double>;
  const mf::float_dot_fold<pair, mf::nan_rule::omit> omit;
  EXPECT_TRUE(std::isfinite(mf::reduce(mf::zip(x, y), omit)));
  const std::vector<double> holes(300, inputs::not_a_number);
  EXPECT_TRUE(inputs::same_bits(mf::reduce(mf::zip(holes, x), omit), 0.0)) << "as if absent";
  const mf::float16 halves[] = {mf::float16(1.0f), mf::float16(2.0f)};
  const int whole[] = {3, 4};
  EXPECT_EQ(mf::reduce(mf::zip(halves, whole), mf::plain_dot), 11.0);
}

template <class Item>
oracle::big_integer big(Item x) {
  return std::is_signed_v<Item> ? oracle::big_integer(static_cast<std::int64_t>(x))
                                : oracle::big_integer::from_unsigned(static_cast<std::uint64_t>(x));
}

template <class Left, class Right>
void check_integers() {
  using left_limits = std::numeric_limits<Left>;
  using right_limits = std::numeric_limits<Right>;
  for (const std::size_t n : {1U, 2U, 33U, 257U, 3001U}) {
    for (const int kind : {0, 1, 2, 3, 4, 5}) {
      auto x = inputs::integers<Left>(n, n);
      auto y = inputs::integers<Right>(n, n + 1);
      for (std::size_t i = 0; i < n; ++i) {
        if (kind == 1) x[i] = left_limits::min();
        if (kind == 2) x[i] = left_limits::max();
        if (kind == 1 || kind == 2) y[i] = i % 2 != 0 ? right_limits::min() : right_limits::max();
        if (kind == 3) x[i] = static_cast<Left>(x[i] % 100);
        if (kind == 3) y[i] = static_cast<Right>(y[i] % 100);
        if (kind >= 4) x[i] = static_cast<Left>(i == 0 ? left_limits::max() : Left{0});
        if (kind >= 4) y[i] = static_cast<Right>(kind - 3);  // times 1 fits, times 2 may not
      }
      oracle::big_integer sum;
      for (std::size_t i = 0; i < n; ++i) sum += big(x[i]) * big(y[i]);
      const auto got = mf::try_reduce(mf::cpu(1), mf::zip(x, y), mf::plain_dot);
      using answer = std::remove_cvref_t<decltype(*got)>;
      static_assert(std::is_signed_v<answer> ==
                    (std::is_signed_v<Left> || std::is_signed_v<Right>));
      const bool fits = big(std::numeric_limits<answer>::min()) <= sum &&
                        sum <= big(std::numeric_limits<answer>::max());
      ASSERT_EQ(got.has_value(), fits) << n << " " << kind;
      if (got) {
        EXPECT_TRUE(big(*got) == sum) << n << " " << kind;
      } else {
        EXPECT_EQ(got.code(), mf::status::integer_overflow);
      }
    }
  }
}

TEST(dot, of_int8) { check_integers<std::int8_t, std::int8_t>(); }
TEST(dot, of_int64) { check_integers<std::int64_t, std::int64_t>(); }
TEST(dot, of_uint64) { check_integers<std::uint64_t, std::uint64_t>(); }
TEST(dot, of_int64_and_uint64) { check_integers<std::int64_t, std::uint64_t>(); }

}  // namespace
