/// fold/logical: any, all and how many are not zero.

#include "monofold/fold/logical.hpp"

#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "monofold/reduce.hpp"
#include "tests/inputs/hard_numbers.hpp"
#include "tests/oracle/one_by_one.hpp"

namespace {

namespace mf = monofold;

template <class Item>
void check(const std::vector<Item>& items, std::int64_t nonzero) {
  const auto n = static_cast<std::int64_t>(items.size());
  EXPECT_EQ(mf::reduce(mf::cpu(1), items, mf::nonzero), nonzero);
  EXPECT_EQ(mf::reduce(mf::cpu(1), items, mf::any_of), nonzero > 0);
  EXPECT_EQ(mf::reduce(mf::cpu(1), items, mf::all_of), nonzero == n);
  if (n == 0) return;
  const mf::nonzero_fold<Item> fold;
  EXPECT_EQ(oracle::one_by_one(fold, items).nonzero, nonzero);
  EXPECT_EQ(oracle::one_by_one(fold, items).count, n);
}

TEST(logical, of_doubles) {
  check<double>({}, 0);
  check<double>({0.0, -0.0}, 0);
  check<double>({inputs::smallest, -0.0, inputs::not_a_number, inputs::infinity}, 3);
  for (const std::size_t n : {1U, 513U, 5000U, 40000U}) {
    std::vector<double> items(n, -0.0);
    check(items, 0);
    items[n - 1] = 1;
    check(items, 1);
    items.assign(n, -2.0);
    check(items, static_cast<std::int64_t>(n));
    items[n / 2] = 0;
    check(items, static_cast<std::int64_t>(n) - 1);
  }
}

TEST(logical, of_small_integers) {
  std::vector<std::uint8_t> items(70000, 0);
  for (std::size_t i = 0; i < items.size(); i += 7) items[i] = 128;
  check(items, 10000);
}

TEST(logical, of_halves) {
  check<mf::float16>({mf::float16(0x8000), mf::float16(0), mf::float16(1), mf::float16(0xffff)}, 2);
  check<mf::bfloat16>(
      {mf::bfloat16(0x8000), mf::bfloat16(0), mf::bfloat16(1), mf::bfloat16(0x8001)}, 2);
}

TEST(logical, omitted_nan_are_as_if_absent) {
  using fold = mf::nonzero_fold<double, mf::nan_rule::omit>;
  std::vector<double> items(5000, inputs::not_a_number);
  items[4000] = 1;
  items[4001] = 0;
  mf::nonzero_state s = fold{}.identity();
  fold{}.absorb_run(s, items.data(), 5000, 0);
  EXPECT_EQ(s.nonzero, 1);
  EXPECT_EQ(s.count, 2);
  EXPECT_EQ(oracle::one_by_one(fold{}, items).count, 2);
  EXPECT_EQ(oracle::one_by_one(fold{}, items).nonzero, 1);
}

}  // namespace
