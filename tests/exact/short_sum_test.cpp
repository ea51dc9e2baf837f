/// fold/exact/short_sum: the sum of a few items has the bits of the long way, and is taken where it can be.

#include "monofold/fold/exact/short_sum.hpp"

#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "monofold/fold/exact.hpp"
#include "monofold/level/core_answer.hpp"
#include "tests/exact/items.hpp"
#include "tests/inputs/hard_numbers.hpp"
#include "tests/inputs/random.hpp"
#include "tests/inputs/same_answers.hpp"

namespace {

namespace mf = monofold;
using inputs::same_answers;

// The long way: one term at a time.
template <class F, class Item>
auto slow_answer(const F& f, const std::vector<Item>& items) {
  auto state = f.identity();
  for (const Item& x : items) f.absorb(state, x, 0);
  return mf::finish_state(f, state);
}

template <class Family, class Item>
void check_family(const Family& family, const std::vector<Item>& items) {
  const auto f = mf::bind_fold<Item>(family);
  using fold = decltype(f);
  static_assert(mf::detail::has_short_sum_v<std::remove_cvref_t<fold>>);
  const auto found = mf::row_answer<std::remove_cvref_t<fold>, Item>::of(
      f, items.data(), static_cast<int>(items.size()), 0);
  ASSERT_TRUE(same_answers(*found, *slow_answer(f, items)));
}

template <class Item>
void check(const std::vector<Item>& items) {
  check_family(mf::sum, items);
  check_family(mf::mean, items);
  check_family(mf::norm1, items);
  check_family(mf::sum_to<float>, items);
}

template <class Item>
void check_random_bits() {
  inputs::generator random(7);
  for (int n = 1; n <= mf::detail::most_short + 1; ++n) {
    for (int round = 0; round < 60; ++round) {
      std::vector<Item> items;
      // From all bits random to a few exponents next to each other.
      const int spread = round % 12;
      for (int i = 0; i < n; ++i) {
        const std::uint64_t bits = random();
        constexpr int width = 8 * sizeof(Item);
        const std::uint64_t field = (std::uint64_t{1} << (round % (width - 1))) + (bits & 0x3f);
        constexpr int fraction = mf::float_format<Item>::fraction_bits;
        const std::uint64_t near = (bits & ((std::uint64_t{1} << fraction) - 1)) |
                                   (field % ((1u << spread) + 1)) << fraction |
                                   (bits >> 63) << (width - 1);
        items.push_back(mf::float_from_bits<Item>(
            static_cast<typename mf::float_format<Item>::bits>(spread > 9 ? bits : near)));
      }
      check(items);
    }
  }
}

TEST(short_sum, random_bits) {
  check_random_bits<double>();
  check_random_bits<float>();
  check_random_bits<mf::float16>();
  check_random_bits<mf::bfloat16>();
}

TEST(short_sum, every_pair_of_kinds) {
  for (const double a : inputs::kinds_of_double()) {
    check(std::vector<double>{a});
    for (const double b : inputs::kinds_of_double()) {
      check(std::vector<double>{a, b});
      check(std::vector<double>{a, b, -a});
    }
  }
}

TEST(short_sum, says_where_it_cannot) {
  const auto takes = [](const std::vector<double>& items) {
    mf::exact_counts counts;
    mf::detail::leading_number sum;
    return mf::detail::sum_few<mf::value_term<double>>(items.data(), static_cast<int>(items.size()),
                                                       counts, sum);
  };
  EXPECT_TRUE(takes({1, 0, -0.0, 0x1p-67}));
  EXPECT_FALSE(takes({1, 0x1p-68}));
  EXPECT_FALSE(takes({1, inputs::infinity}));
  EXPECT_FALSE(takes({inputs::not_a_number}));
  EXPECT_TRUE(takes(std::vector<double>(64, inputs::largest)));
  EXPECT_TRUE(takes(std::vector<double>(64, -inputs::smallest)));
}

}  // namespace
