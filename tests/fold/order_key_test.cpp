/// fold/order_key: keys ascend as the numbers do, -0 below +0, NaN at the asked end.

#include "monofold/fold/order_key.hpp"

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "tests/inputs/hard_numbers.hpp"
#include "tests/inputs/random.hpp"

namespace {

namespace mf = monofold;

template <class Item>
double number(Item item) {
  return static_cast<double>(static_cast<float>(item));
}
template <>
double number(double item) {
  return item;
}

/// a before b among numbers: the total order of IEEE 754 without NaN.
bool orders_below(double a, double b) {
  if (a != b) return a < b;
  return std::signbit(a) && !std::signbit(b);
}

template <class Item>
void check_one(Item item) {
  using keys = mf::order_key<Item>;
  const bool nan = std::isnan(number(item));
  ASSERT_EQ(keys::is_nan_low(keys::nan_low(item)), nan) << number(item);
  ASSERT_EQ(keys::is_nan_high(keys::nan_high(item)), nan) << number(item);
  const Item low = keys::from_nan_low(keys::nan_low(item));
  const Item high = keys::from_nan_high(keys::nan_high(item));
  if (nan) {
    ASSERT_TRUE(std::isnan(number(low)) && std::isnan(number(high)));
    ASSERT_FALSE(std::signbit(number(low)) || std::signbit(number(high))) << "not the one NaN";
  } else {
    ASSERT_TRUE(number(low) == number(item) && number(high) == number(item));
    ASSERT_EQ(std::signbit(number(low)), std::signbit(number(item)));
    ASSERT_EQ(std::signbit(number(high)), std::signbit(number(item)));
  }
}

template <class Item>
void check_pair(Item a, Item b) {
  using keys = mf::order_key<Item>;
  const bool nan_a = std::isnan(number(a));
  const bool nan_b = std::isnan(number(b));
  if (!nan_a && !nan_b) {
    const bool expected = orders_below(number(a), number(b));
    ASSERT_EQ(keys::nan_low(a) < keys::nan_low(b), expected) << number(a) << " " << number(b);
    ASSERT_EQ(keys::nan_high(a) < keys::nan_high(b), expected) << number(a) << " " << number(b);
  } else if (nan_a != nan_b) {
    ASSERT_EQ(keys::nan_low(a) < keys::nan_low(b), nan_a);
    ASSERT_EQ(keys::nan_high(a) < keys::nan_high(b), nan_b);
  }
}

template <class Item>
void check_every_16_bit_pattern() {
  using keys = mf::order_key<Item>;
  std::set<int> low;
  std::set<int> high;
  std::vector<Item> ascending(65536, Item{0});
  for (unsigned p = 0; p < 65536; ++p) {
    const Item item{static_cast<std::uint16_t>(p)};
    check_one(item);
    low.insert(keys::nan_low(item));
    high.insert(keys::nan_high(item));
    ascending[static_cast<std::size_t>(keys::nan_low(item) + 32768)] = item;
  }
  EXPECT_EQ(low.size(), 65536U);  // one to one
  EXPECT_EQ(high.size(), 65536U);
  // Neighbours in ascending order of the keys decide the whole order.
  for (std::size_t i = 1; i < ascending.size(); ++i) check_pair(ascending[i - 1], ascending[i]);
  for (std::size_t i = 1; i < ascending.size(); ++i) check_pair(ascending[i], ascending[i - 1]);
}

TEST(order_key, every_float16) { check_every_16_bit_pattern<mf::float16>(); }
TEST(order_key, every_bfloat16) { check_every_16_bit_pattern<mf::bfloat16>(); }

template <class Item, class Bits>
void check_random_patterns() {
  inputs::generator random(21);
  std::vector<Item> items;
  for (const double x : inputs::kinds_of_double()) items.push_back(static_cast<Item>(x));
  for (int round = 0; round < 1000; ++round) {
    items.push_back(std::bit_cast<Item>(static_cast<Bits>(random())));
  }
  // NaN of both signs with the least and the greatest payload.
  const Bits infinite = std::bit_cast<Bits>(std::numeric_limits<Item>::infinity());
  const Bits sign = Bits{1} << (8 * sizeof(Bits) - 1);
  for (const Bits nan : {static_cast<Bits>(infinite + 1), static_cast<Bits>(sign - 1)}) {
    items.push_back(std::bit_cast<Item>(nan));
    items.push_back(std::bit_cast<Item>(static_cast<Bits>(nan | sign)));
  }
  for (const Item a : items) {
    check_one(a);
    for (const Item b : items) check_pair(a, b);
  }
}

TEST(order_key, floats) { check_random_patterns<float, std::uint32_t>(); }
TEST(order_key, doubles) { check_random_patterns<double, std::uint64_t>(); }

template <class Item>
void check_keys() {
  using keys = mf::order_key<Item>;
  static_assert(!keys::has_nan);
  const std::vector<Item> items = {std::numeric_limits<Item>::min(), Item(0), Item(1),
                                   std::numeric_limits<Item>::max()};
  for (const Item a : items) {
    EXPECT_EQ(keys::from_nan_low(keys::nan_low(a)), a);
    EXPECT_EQ(keys::from_nan_high(keys::nan_high(a)), a);
    for (const Item b : items) EXPECT_EQ(keys::nan_low(a) < keys::nan_low(b), a < b);
  }
}

TEST(order_key, integers) {
  check_keys<std::int8_t>();
  check_keys<std::uint16_t>();
  check_keys<std::int64_t>();
  check_keys<std::uint64_t>();
  using bools = mf::order_key<bool>;
  EXPECT_LT(bools::nan_low(false), bools::nan_low(true));
  EXPECT_TRUE(bools::from_nan_low(bools::nan_low(true)));
}

}  // namespace
