// fold/exact/sum: against sums in another radix, over random bit patterns and named hard cases.

#include "monofold/fold/exact/sum.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "monofold/reduce.hpp"
#include "tests/exact/items.hpp"
#include "tests/inputs/hard_numbers.hpp"
#include "tests/inputs/random.hpp"
#include "tests/oracle/fixed_sum.hpp"
#include "tests/oracle/nearest.hpp"

namespace mf = monofold;
using inputs::expected_sum;
using inputs::infinity;
using inputs::largest;
using inputs::not_a_number;
using inputs::smallest;

namespace {

template <class Item>
void expect_right(const std::vector<Item>& items, const std::string& what) {
  SCOPED_TRACE(what + ", " + std::to_string(items.size()) + " items");
  using inputs::same;
  ASSERT_TRUE(same(mf::reduce(items, mf::sum), expected_sum(items, oracle::binary64)));
  ASSERT_TRUE(same(mf::reduce(items, mf::sum_to<float>), expected_sum(items, oracle::binary32)));
  ASSERT_TRUE(
      same(mf::reduce(items, mf::sum_to<mf::float16>), expected_sum(items, oracle::binary16)));
  ASSERT_TRUE(
      same(mf::reduce(items, mf::sum_to<mf::bfloat16>), expected_sum(items, oracle::brain16)));
}

template <class Item>
class exact_sum_of : public testing::Test {};
using item_types = testing::Types<double, float, mf::float16, mf::bfloat16>;
TYPED_TEST_SUITE(exact_sum_of, item_types);

TYPED_TEST(exact_sum_of, random_bits_in_small_arrays) {
  const std::int64_t arrays = inputs::many(300000);
  inputs::generator random(1);
  std::vector<TypeParam> items;
  for (std::int64_t a = 0; a < arrays; ++a) {
    inputs::draw_small(random, items);
    using inputs::same;
    ASSERT_TRUE(same(mf::reduce(items, mf::sum), expected_sum(items, oracle::binary64)))
        << "array " << a;
  }
}

TYPED_TEST(exact_sum_of, random_bits_to_every_type) {
  inputs::generator random(2);
  std::vector<TypeParam> items;
  for (int a = 0; a < 20000; ++a) {
    inputs::draw_small(random, items);
    ASSERT_NO_FATAL_FAILURE(expect_right(items, "array " + std::to_string(a)));
  }
}

TYPED_TEST(exact_sum_of, lengths_around_vectors_and_blocks) {
  for (const int n : {0,   1,   2,   3,    7,    8,    9,    15,   16,   17,   31,   32,  33,
                      511, 512, 513, 1023, 1024, 1025, 1031, 2047, 2048, 2049, 2053, 4099}) {
    for (const auto& kind : inputs::kinds_of_data) {
      const auto items = inputs::items_of<TypeParam>(kind, n, 7);
      ASSERT_NO_FATAL_FAILURE(expect_right(items, kind));
    }
  }
}

TEST(sum, zeros_have_the_sign_that_all_share) {
  using inputs::same;
  using list = std::vector<double>;
  EXPECT_TRUE(same(mf::reduce(list{}, mf::sum), 0.0));
  EXPECT_TRUE(same(mf::reduce(list{-0.0, -0.0, -0.0}, mf::sum), -0.0));
  EXPECT_TRUE(same(mf::reduce(list(5000, -0.0), mf::sum), -0.0));
  EXPECT_TRUE(same(mf::reduce(list{-0.0, 0.0, -0.0}, mf::sum), 0.0));
  EXPECT_TRUE(same(mf::reduce(list{1.0, -1.0}, mf::sum), 0.0));
  list late(5000, -0.0);
  late.back() = 0.0;
  EXPECT_TRUE(same(mf::reduce(late, mf::sum), 0.0));
}

TEST(sum, what_other_libraries_get_wrong) {
  using inputs::same;
  using list = std::vector<double>;
  const auto sum = [](const list& items) { return mf::reduce(items, mf::sum); };
  EXPECT_TRUE(same(sum(list(1000, 0.0)), 0.0));
  EXPECT_TRUE(same(sum({infinity, 1, 2}), infinity));
  EXPECT_TRUE(same(sum({-infinity, 1}), -infinity));
  EXPECT_TRUE(same(sum(list(10, 1e300)), expected_sum(list(10, 1e300), oracle::binary64)));
  EXPECT_TRUE(same(sum({1.7e308, 1.7e308, -1.7e308}), 1.7e308));
  EXPECT_TRUE(same(sum(list(1000, 1e-310)), expected_sum(list(1000, 1e-310), oracle::binary64)));
  EXPECT_TRUE(same(sum(list(1000, 1e-307)), expected_sum(list(1000, 1e-307), oracle::binary64)));
  EXPECT_NEAR(sum(list(1000000, 1e-300)) / 1e-294, 1.0, 1e-15);
  list cancelling;
  for (int i = 0; i < 10000; ++i) cancelling.insert(cancelling.end(), {1, 1e100, 1, -1e100});
  EXPECT_TRUE(same(sum(cancelling), 20000.0));
  EXPECT_TRUE(same(sum({-0.0, -0.0, -0.0}), -0.0));

  std::vector<float> floats(100004);
  for (std::size_t i = 0; i < floats.size(); ++i) {
    floats[i] = static_cast<float>(inputs::unit_double(i));
  }
  const std::vector<float> moved(floats.begin() + 1, floats.end());
  EXPECT_TRUE(same(mf::reduce(std::span<const float>(floats).subspan(1), mf::sum),
                   mf::reduce(moved, mf::sum)));
  EXPECT_TRUE(same(mf::reduce(moved, mf::sum), expected_sum(moved, oracle::binary64)));
}

TEST(sum, infinities_and_nan) {
  using inputs::same;
  using list = std::vector<double>;
  const auto sum = [](const list& items) { return mf::reduce(items, mf::sum); };
  const double nan = std::bit_cast<double>(std::uint64_t{0x7ff8000000000000});
  EXPECT_TRUE(same(sum({infinity, -infinity}), nan));
  EXPECT_TRUE(same(sum({-not_a_number}), nan));
  EXPECT_TRUE(same(sum({infinity, std::bit_cast<double>(0xfff0000000000123)}), nan));
  EXPECT_TRUE(same(sum({-infinity, largest, largest}), -infinity));
  for (const int at : {0, 1, 500, 4095, 4999}) {
    list items(5000, 0.25);
    items[static_cast<std::size_t>(at)] = -infinity;
    EXPECT_TRUE(same(sum(items), -infinity));
    items[4998] = not_a_number;
    EXPECT_TRUE(same(sum(items), nan));
  }
}

TEST(sum, overflow_is_decided_on_the_exact_value) {
  using inputs::same;
  using list = std::vector<double>;
  const auto sum = [](const list& items) { return mf::reduce(items, mf::sum); };
  list items(1000000, largest);
  items.insert(items.end(), 1000000, -largest);
  EXPECT_TRUE(same(sum(items), 0.0));
  EXPECT_TRUE(same(sum({largest, largest}), infinity));
  const double half_unit = 0x1p970;  // of the last place of the largest
  EXPECT_TRUE(same(sum({largest, half_unit}), infinity));
  EXPECT_TRUE(same(sum({largest, half_unit, -smallest}), largest));
  EXPECT_TRUE(same(sum({-largest, -half_unit}), -infinity));
  EXPECT_TRUE(same(sum({largest, largest, -largest, -half_unit}), 0x1.ffffffffffffep1023));
}

TEST(sum, ties_are_broken_by_the_smallest_subnormal) {
  using inputs::same;
  using list = std::vector<double>;
  const auto sum = [](const list& items) { return mf::reduce(items, mf::sum); };
  EXPECT_TRUE(same(sum({1, 0x1p-53}), 1.0));
  EXPECT_TRUE(same(sum({1, 0x1p-53, smallest}), 1 + 0x1p-52));
  EXPECT_TRUE(same(sum({1 + 0x1p-52, 0x1p-53}), 1 + 0x1p-51));
  EXPECT_TRUE(same(sum({1 + 0x1p-52, 0x1p-53, -smallest}), 1 + 0x1p-52));
  EXPECT_TRUE(same(mf::reduce(list{1, 0x1p-24, smallest}, mf::sum_to<float>), 1.0 + 0x1p-23));
  EXPECT_TRUE(same(mf::reduce(list{1, 0x1p-24}, mf::sum_to<float>), 1.0));
  // Rounding to double first would make a tie of this and then the even neighbour.
  EXPECT_TRUE(same(mf::reduce(list{1, 0x1p-24, 0x1p-78}, mf::sum_to<float>), 1.0 + 0x1p-23));
}

TEST(sum, range_that_grows_by_a_binade_a_tile) {
  std::vector<double> items;
  for (int e = -1070; e < 1020; ++e) {
    for (int i = 0; i < 17; ++i) {
      items.push_back(std::ldexp(inputs::unit_double(static_cast<std::uint64_t>(e * 17 + i)), e));
    }
  }
  ASSERT_NO_FATAL_FAILURE(expect_right(items, "growing"));
  std::reverse(items.begin(), items.end());
  ASSERT_NO_FATAL_FAILURE(expect_right(items, "shrinking"));
}

TEST(sum, residues_at_every_distance) {
  for (int gap = 0; gap < 300; ++gap) {
    for (const int n : {8, 100, 2048}) {
      std::vector<double> items(static_cast<std::size_t>(n), 1.0);
      items[static_cast<std::size_t>(n / 2)] = std::ldexp(1.0 + 0x1p-52, -gap);
      items[0] = -static_cast<double>(n - 2);
      ASSERT_TRUE(inputs::same(mf::reduce(items, mf::sum), expected_sum(items, oracle::binary64)))
          << gap << " " << n;
    }
  }
}

TEST(sum, ill_conditioned) {
  for (const int bits : {27, 53, 100, 300, 1000}) {  // condition 1e8 to 1e300
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      const auto items = inputs::ill_conditioned(2000, bits, seed);
      ASSERT_NO_FATAL_FAILURE(expect_right(items, "condition 2^" + std::to_string(bits)));
    }
  }
}

TEST(mean, is_rounded_once) {
  using inputs::same;
  using list = std::vector<double>;
  EXPECT_TRUE(same(mf::reduce(list(7, largest), mf::mean), largest));
  EXPECT_TRUE(same(mf::reduce(list{smallest, 0.0}, mf::mean), 0.0));
  EXPECT_TRUE(same(mf::reduce(list{smallest, smallest, smallest, 0.0}, mf::mean), smallest));
  EXPECT_TRUE(same(mf::reduce(list{-0.0, -0.0}, mf::mean), -0.0));
  EXPECT_EQ(mf::try_reduce(list{}, mf::mean).code(), mf::status::empty_input);
  inputs::generator random(3);
  list items;
  for (int a = 0; a < 4000; ++a) {
    inputs::draw_small(random, items);
    bool finite = !items.empty();
    oracle::fixed_sum sum;
    for (const double x : items) finite = finite && std::isfinite(x);
    if (!finite) continue;
    for (const double x : items) sum.add(x);
    const oracle::big_integer units = sum.units();
    if (units.is_zero()) continue;
    const auto n = static_cast<std::int64_t>(items.size());
    const double size = oracle::nearest_ratio(units.magnitude(), oracle::big_integer(n),
                                              oracle::fixed_sum::low, oracle::binary64);
    ASSERT_TRUE(same(mf::reduce(items, mf::mean), units.is_negative() ? -size : size)) << a;
  }
}

TEST(norm1, is_the_sum_of_magnitudes) {
  inputs::generator random(4);
  std::vector<double> items;
  for (int a = 0; a < 20000; ++a) {
    inputs::draw_small(random, items);
    std::vector<double> sizes;
    for (const double x : items) sizes.push_back(std::fabs(x));
    ASSERT_TRUE(inputs::same(mf::reduce(items, mf::norm1), expected_sum(sizes, oracle::binary64)));
  }
  EXPECT_TRUE(inputs::same(mf::reduce(std::vector<float>(3000, -0.0f), mf::norm1), 0.0));
  EXPECT_TRUE(inputs::same(mf::reduce(std::vector<float>(3000, -0.5f), mf::norm1), 1500.0));
}

TEST(sum, omits_nan_where_asked) {
  using fold = mf::exact_total_fold<mf::value_term<double>, double, mf::nan_rule::omit>;
  using mean = mf::exact_mean_fold<mf::value_term<double>, double, mf::nan_rule::omit>;
  using inputs::same;
  using list = std::vector<double>;
  EXPECT_TRUE(same(mf::reduce(list{1, not_a_number, 2}, fold{}), 3.0));
  EXPECT_TRUE(same(mf::reduce(list{not_a_number}, fold{}), 0.0));
  EXPECT_TRUE(same(mf::reduce(list{not_a_number, -0.0}, fold{}), -0.0));
  EXPECT_TRUE(same(mf::reduce(list{1, not_a_number, 2}, mean{}), 1.5));
  EXPECT_EQ(mf::try_reduce(list{not_a_number}, mean{}).code(), mf::status::empty_input);
}

}  // namespace
