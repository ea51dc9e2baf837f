// fold/exact/products and fold/exact/moments: against integers of any size.

#include "monofold/fold/exact/products.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>
#include <vector>

#include "monofold/fold/exact/moments.hpp"
#include "monofold/reduce.hpp"
#include "tests/exact/items.hpp"
#include "tests/inputs/hard_numbers.hpp"
#include "tests/inputs/random.hpp"
#include "tests/oracle/big_integer.hpp"
#include "tests/oracle/fixed_sum.hpp"
#include "tests/oracle/nearest.hpp"

namespace mf = monofold;
using inputs::infinity;
using inputs::largest;
using inputs::not_a_number;
using inputs::same;
using inputs::smallest;
using oracle::big_integer;

namespace {

using list = std::vector<double>;
const double nan_bits = std::bit_cast<double>(std::uint64_t{0x7ff8000000000000});

/// sum of x y by the rules of IEEE 754 for each product.
template <class Item>
double expected_dot(const std::vector<Item>& x, const std::vector<Item>& y) {
  oracle::fixed_sum sum;
  bool nan = false, up = false, down = false, minus_zero = !x.empty();
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double a = inputs::value_of(x[i]);
    const double b = inputs::value_of(y[i]);
    if (!std::isfinite(a) || !std::isfinite(b)) {
      const double p = a * b;
      nan = nan || std::isnan(p);
      up = up || p == infinity;
      down = down || p == -infinity;
      minus_zero = false;
      continue;
    }
    minus_zero = minus_zero && (a == 0 || b == 0) && std::signbit(a) != std::signbit(b);
    sum.add_product(a, b);
  }
  if (nan || (up && down)) return nan_bits;
  if (up || down) return up ? infinity : -infinity;
  return minus_zero ? -0.0 : sum.nearest(oracle::binary64);
}

template <class Item>
bool all_finite(const std::vector<Item>& items) {
  for (const Item& x : items) {
    if (!std::isfinite(inputs::value_of(x))) return false;
  }
  return true;
}

template <class Item>
class exact_products_of : public testing::Test {};
using item_types = testing::Types<double, float, mf::float16, mf::bfloat16>;
TYPED_TEST_SUITE(exact_products_of, item_types);

TYPED_TEST(exact_products_of, dot_of_random_bits) {
  const std::int64_t arrays = inputs::many(30000);
  inputs::generator random(11);
  std::vector<TypeParam> x, y;
  for (std::int64_t a = 0; a < arrays; ++a) {
    inputs::draw_small(random, x);
    inputs::draw_small(random, y);
    const std::size_t n = std::min(x.size(), y.size());
    x.resize(n);
    y.resize(n);
    ASSERT_TRUE(same(mf::reduce(mf::zip(x, y), mf::dot), expected_dot(x, y))) << a;
  }
}

TYPED_TEST(exact_products_of, dot_of_long_arrays) {
  for (const auto& kind : inputs::kinds_of_data) {
    for (const int n : {100, 513, 1024, 5000}) {
      const auto x = inputs::items_of<TypeParam>(kind, n, 1);
      const auto y = inputs::items_of<TypeParam>(kind, n, 2);
      ASSERT_TRUE(same(mf::reduce(mf::zip(x, y), mf::dot), expected_dot(x, y))) << kind << " " << n;
      if (!all_finite(x)) continue;
      ASSERT_TRUE(same(mf::reduce(x, mf::sum_of_squares), expected_dot(x, x))) << kind << " " << n;
    }
  }
}

/// norm2, variance and standard deviation of finite items.
template <class Item>
void expect_moments(const std::vector<Item>& items) {
  oracle::fixed_sum first, second;
  for (const Item& x : items) {
    first.add(inputs::value_of(x));
    second.add_product(inputs::value_of(x), inputs::value_of(x));
  }
  constexpr int low = oracle::fixed_sum::low;
  const big_integer squares = second.units();
  ASSERT_TRUE(
      same(mf::reduce(items, mf::norm2), oracle::nearest_root(squares, 1, low, oracle::binary64)));
  ASSERT_TRUE(same(mf::reduce(items, mf::norm2_to<float>),
                   oracle::nearest_root(squares, 1, low, oracle::binary32)));
  const auto n = static_cast<std::int64_t>(items.size());
  for (const std::int64_t ddof : {0, 1}) {
    if (n <= ddof) {
      EXPECT_EQ(mf::try_reduce(items, mf::variance(ddof)).code(), mf::status::empty_input);
      continue;
    }
    // The sum is a multiple of 2^-2148 here: its square, one of 2^-4296.
    const big_integer sum = first.units();
    const big_integer top = (squares * big_integer(n)).shifted_left(-low) - sum * sum;
    const big_integer bottom = big_integer(n) * big_integer(n - ddof);
    ASSERT_TRUE(same(mf::reduce(items, mf::variance(ddof)),
                     oracle::nearest_ratio(top, bottom, 2 * low, oracle::binary64)));
    ASSERT_TRUE(same(mf::reduce(items, mf::variance<float>(ddof)),
                     oracle::nearest_ratio(top, bottom, 2 * low, oracle::binary32)));
    ASSERT_TRUE(same(mf::reduce(items, mf::standard_deviation(ddof)),
                     oracle::nearest_root(top, bottom, 2 * low, oracle::binary64)));
  }
}

TYPED_TEST(exact_products_of, moments_of_random_bits) {
// Other arrays touch no other memory, and whole ./dev test runs this without a sanitizer, too.
#if defined(__SANITIZE_ADDRESS__)
  const std::int64_t arrays = inputs::many(60);
#else
  const std::int64_t arrays = inputs::many(250);
#endif
  inputs::generator random(12);
  std::vector<TypeParam> items;
  for (std::int64_t a = 0; a < arrays; ++a) {
    inputs::draw_small(random, items);
    if (!all_finite(items)) continue;
    SCOPED_TRACE(a);
    ASSERT_NO_FATAL_FAILURE(expect_moments(items));
  }
}

TYPED_TEST(exact_products_of, moments_of_long_arrays) {
  for (const auto& kind : inputs::kinds_of_data) {
    const auto items = inputs::items_of<TypeParam>(kind, 1500, 3);
    if (!all_finite(items)) continue;
    SCOPED_TRACE(kind);
    ASSERT_NO_FATAL_FAILURE(expect_moments(items));
  }
}

TEST(dot, products_that_are_no_doubles) {
  const auto dot = [](const list& x, const list& y) { return mf::reduce(mf::zip(x, y), mf::dot); };
  EXPECT_TRUE(same(dot({1e200, 1e200, 5}, {1e200, -1e200, 1}), 5.0));
  EXPECT_TRUE(same(dot({smallest, 1}, {smallest, 1}), 1.0));
  EXPECT_TRUE(same(dot({smallest, 1, 1}, {smallest, 1, 0x1p-53}), 1 + 0x1p-52));
  EXPECT_TRUE(same(dot({smallest, 0.5}, {0.5, smallest}), smallest));
  EXPECT_TRUE(same(dot({infinity}, {0.0}), nan_bits));
  EXPECT_TRUE(same(dot({infinity}, {-2.0}), -infinity));
  EXPECT_TRUE(same(dot({-0.0, 0.0}, {1.0, -1.0}), -0.0));
  EXPECT_TRUE(same(dot({-0.0, -0.0}, {1.0, -1.0}), 0.0));
  EXPECT_TRUE(same(dot({largest}, {2.0}), infinity));
  EXPECT_TRUE(same(dot({largest, largest}, {2.0, -1.0}), largest));
  EXPECT_TRUE(same(dot({}, {}), 0.0));
  const list x(3000, 1e-180);  // squares among the subnormal numbers
  EXPECT_TRUE(same(dot(x, x), expected_dot(x, x)));
  EXPECT_TRUE(same(mf::reduce(x, mf::norm2), std::sqrt(3000.0) * 1e-180));
}

TEST(dot, ill_conditioned) {
  for (const int bits : {27, 53, 100, 300, 900}) {
    for (std::uint64_t seed = 0; seed < 6; ++seed) {
      const auto x = inputs::ill_conditioned(400, bits, seed);
      list y;
      inputs::generator random(seed);
      for (std::size_t i = 0; i < x.size(); ++i) {
        y.push_back(std::ldexp(1.0, static_cast<int>(random() % 4)));
      }
      list a = x, b = y;  // sum x y - sum x y + a little
      for (std::size_t i = 0; i < x.size(); ++i) {
        a.push_back(-x[i] / 2);
        b.push_back(y[i] * 2);
      }
      a.push_back(1.0 + 0x1p-52);
      b.push_back(1.0 - 0x1p-53);
      ASSERT_TRUE(same(mf::reduce(mf::zip(a, b), mf::dot), expected_dot(a, b)));
      ASSERT_TRUE(same(mf::reduce(mf::zip(x, y), mf::dot), expected_dot(x, y)));
    }
  }
}

TEST(dot, pairs_of_two_types) {
  const std::vector<float> x{0x1p-149f, 3.0f, -1e30f};
  const list y{smallest, 0x1p-1074, 1e300};
  const list wide(x.begin(), x.end());
  EXPECT_TRUE(same(mf::reduce(mf::zip(x, y), mf::dot), expected_dot(wide, y)));
  const std::vector<std::int64_t> whole{std::numeric_limits<std::int64_t>::min(), 3};
  const list tenths{0.1, -0.1};
  // -2^63 is a double: the same products.
  EXPECT_TRUE(
      same(mf::reduce(mf::zip(whole, tenths), mf::dot), expected_dot(list{-0x1p63, 3.0}, tenths)));
}

/// A run of pairs has the state of its pairs one by one, whatever ways its two types allow.
template <class Left, class Right>
void check_types() {
  using pair = mf::item_pair<Left, Right>;
  const auto fold = mf::bind_fold<pair>(mf::dot);
  inputs::generator random(5);
  const auto number = [&]<class Item>(std::type_identity<Item>, int spread) {
    const double size =
        std::ldexp(1.0, static_cast<int>(random() % static_cast<unsigned>(spread)) - spread / 2);
    const double x = static_cast<double>(random() % 2001) - 1000.0;
    if constexpr (std::is_same_v<Item, mf::float16> || std::is_same_v<Item, mf::bfloat16>) {
      return inputs::from_bits<Item>(random() % 0x7b00u | (random() % 2 << 15));
    } else if constexpr (std::is_floating_point_v<Item>) {
      return static_cast<Item>(x * size);
    } else {
      return static_cast<Item>(static_cast<std::int64_t>(x));
    }
  };
  for (const int spread : {1, 8, 60}) {
    for (const std::size_t n : {23U, 24U, 100U, 2500U}) {
      std::vector<pair> pairs;
      for (std::size_t i = 0; i < n; ++i) {
        pairs.push_back({number(std::type_identity<Left>{}, spread),
                         number(std::type_identity<Right>{}, spread)});
      }
      auto run = fold.identity();
      auto single = fold.identity();
      fold.absorb_run(run, pairs.data(), static_cast<std::int64_t>(n), 0);
      for (const pair& one : pairs) fold.absorb(single, one, 0);
      EXPECT_EQ(std::memcmp(&run, &single, sizeof(run)), 0) << spread << " " << n;
    }
  }
}

// Each type on each side, each way that a product takes: all pairs would take the compiler 25 s more.
TEST(dot, runs_of_pairs_of_any_two_types) {
  check_types<double, float>();
  check_types<mf::float16, std::int8_t>();
  check_types<std::uint32_t, mf::bfloat16>();
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // 13 s a pair of types there
  check_types<double, std::int64_t>();
  check_types<float, double>();
  check_types<float, mf::float16>();
  check_types<float, std::uint32_t>();
  check_types<mf::float16, double>();
  check_types<mf::bfloat16, mf::float16>();
  check_types<mf::bfloat16, bool>();
  check_types<std::int32_t, mf::float16>();
  check_types<std::uint8_t, float>();
#endif
}

TEST(variance, does_not_cancel) {
  EXPECT_TRUE(same(mf::reduce(list{1e300, 1e300 + 0x1p944}, mf::variance()), infinity));
  EXPECT_TRUE(same(mf::reduce(list(5000, 0.1), mf::variance()), 0.0));
  EXPECT_TRUE(same(mf::reduce(list{1, 1 + 0x1p-52}, mf::variance()), 0x1p-106));
  EXPECT_TRUE(same(mf::reduce(list{smallest, 0}, mf::variance()), 0.0));
  EXPECT_TRUE(same(mf::reduce(list{smallest, -smallest}, mf::standard_deviation()), smallest));
  EXPECT_TRUE(same(mf::reduce(list{largest, -largest}, mf::standard_deviation()), largest));
  EXPECT_TRUE(same(mf::reduce(list{1, infinity}, mf::variance()), nan_bits));
  EXPECT_TRUE(same(mf::reduce(list{1, not_a_number}, mf::variance()), nan_bits));
  EXPECT_TRUE(same(mf::reduce(list{1, infinity}, mf::norm2), infinity));
  EXPECT_TRUE(same(mf::reduce(list{infinity, not_a_number}, mf::norm2), nan_bits));
  EXPECT_TRUE(same(mf::reduce(list{0x3p600, 0x4p600}, mf::norm2), 0x5p600));
  EXPECT_TRUE(same(mf::reduce(list{}, mf::norm2), 0.0));
}

}  // namespace
