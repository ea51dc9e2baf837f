/// fold/product: integers modulo 2^64, floats in double within the stated bound.

#include "monofold/fold/product.hpp"

#include <cmath>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "monofold/reduce.hpp"
#include "tests/inputs/hard_numbers.hpp"
#include "tests/oracle/big_integer.hpp"

namespace {

namespace mf = monofold;

template <class Item>
void check_modulo() {
  for (const std::size_t n : {1U, 2U, 33U, 513U, 5000U}) {
    auto items = inputs::integers<Item>(n, n);
    for (Item& x : items) x = static_cast<Item>(x | 1);  // odd: the product never becomes 0
    oracle::big_integer exact = 1;
    for (const Item x : items) {
      exact = exact * static_cast<std::int64_t>(x);
      // Only the lowest 64 bits matter, whatever the sign.
      const std::uint64_t low = exact.is_negative() ? 0 - exact.low_bits() : exact.low_bits();
      exact = oracle::big_integer::from_unsigned(low);
    }
    const auto got = mf::reduce(mf::cpu(1), items, mf::product);
    static_assert(sizeof(got) == 8 && std::is_signed_v<decltype(got)> == std::is_signed_v<Item>);
    EXPECT_EQ(static_cast<std::uint64_t>(got), exact.low_bits()) << n;
  }
}

TEST(product, of_integers_is_modulo_two_to_the_64) {
  check_modulo<std::int8_t>();
  check_modulo<std::uint32_t>();
  check_modulo<std::int64_t>();
}

TEST(product, of_bool_is_all) {
  const bool items[] = {true, true, false};
  EXPECT_EQ(mf::reduce(items, mf::product), 0U);
}

TEST(product, of_floats_is_within_the_bound) {
  for (const std::size_t n : {1U, 2U, 100U, 513U, 9000U}) {
    // Factors near 1 whose exact product fits a long double well.
    std::vector<double> items;
    long double exact = 1;
    for (std::size_t i = 0; i < n; ++i) {
      items.push_back(1 + inputs::unit_double(i + n) * 0x1p-6);
      exact *= items.back();
    }
    const long double u = 0x1p-53L;
    const auto m = static_cast<long double>(n - 1);
    const long double reference_error = m * 0x1p-64L;  // of the long double product itself
    const long double bound = m * u / (1 - m * u) + 2 * reference_error;
    const long double error = std::fabs((mf::reduce(items, mf::product) - exact) / exact);
    EXPECT_FALSE(!(error <= bound)) << n;
  }
}

TEST(product, special_values) {
  EXPECT_EQ(mf::reduce(std::vector<double>{}, mf::product), 1.0);
  EXPECT_EQ(mf::reduce(std::vector<int>{}, mf::product), 1);
  std::vector<double> items(1000, 1.0);
  items[10] = inputs::infinity;
  EXPECT_EQ(mf::reduce(items, mf::product), inputs::infinity);
  items[900] = 0;
  EXPECT_TRUE(std::isnan(mf::reduce(items, mf::product)));
  using omit = mf::float_product_fold<double, mf::nan_rule::omit>;
  std::vector<double> holes(700, inputs::not_a_number);
  EXPECT_EQ(mf::reduce(holes, omit{}), 1.0);
  holes[600] = 3;
  EXPECT_EQ(mf::reduce(holes, omit{}), 3.0);
}

}  // namespace
