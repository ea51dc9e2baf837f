/// fold/custom: operators as folds; ordered ones see their operands strictly in index order.

#include "monofold/fold/custom.hpp"

#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "monofold/reduce.hpp"
#include "tests/inputs/random.hpp"
#include "tests/inputs/same_bits.hpp"
#include "tests/oracle/plan_tree.hpp"

namespace {

namespace mf = monofold;

constexpr std::size_t custom_sizes[] = {1, 2, 31, 33, 511, 512, 513, 1025, 32768, 32769, 100003};

TEST(ordered, is_the_plan_tree_bit_for_bit) {
  const auto op = [](double l, double r) { return l * 0.75 + r; };  // shows grouping and order
  const auto plain = mf::bind_fold<double>(mf::ordered(op));
  const auto with_identity = mf::bind_fold<double>(mf::ordered(op, 0.0));
  static_assert(!mf::is_commutative_v<decltype(plain)> && !mf::is_exact_v<decltype(plain)>);
  static_assert(!mf::has_identity_v<decltype(plain)> &&
                mf::has_identity_v<decltype(with_identity)>);
  for (const std::size_t n : custom_sizes) {
    const auto items = inputs::spread_doubles(n, 10, n);
    const double expected = oracle::plan_state(plain, items);
    EXPECT_TRUE(inputs::same_bits(mf::reduce(mf::cpu(3), items, plain), expected)) << n;
    EXPECT_TRUE(inputs::same_bits(mf::reduce(mf::cpu(3), items, with_identity), expected)) << n;
  }
}

TEST(commutative, is_the_plan_tree_bit_for_bit) {
  const auto op = [](float l, float r) { return l + r * 1.0000001F; };
  const auto fold = mf::bind_fold<float>(mf::commutative(op));
  static_assert(mf::is_commutative_v<decltype(fold)>);
  for (const std::size_t n : custom_sizes) {
    std::vector<float> items;
    for (std::size_t i = 0; i < n; ++i) {
      items.push_back(static_cast<float>(inputs::spread_double(i, 10)));
    }
    const float expected = oracle::plan_state(fold, items);
    EXPECT_TRUE(inputs::same_bits(mf::reduce(mf::cpu(3), items, mf::commutative(op)), expected));
    EXPECT_TRUE(
        inputs::same_bits(mf::reduce(mf::cpu(3), items, mf::commutative(op, 0.0F)), expected));
  }
}

TEST(ordered, without_an_identity_nothing_has_no_result) {
  const auto op = [](int l, int r) { return l * r; };
  const std::vector<int> none;
  EXPECT_EQ(mf::try_reduce(none, mf::ordered(op)).code(), mf::status::empty_input);
  EXPECT_EQ(mf::try_reduce(none, mf::commutative(op)).code(), mf::status::empty_input);
  EXPECT_EQ(mf::reduce(none, mf::ordered(op, 1)), 1);
  EXPECT_EQ(mf::reduce(none, mf::commutative(op, 1)), 1);
}

/// A segment of the index line: joining is only allowed where one ends and the next begins.
struct segment {
  std::int64_t begin;
  std::int64_t end;
};

TEST(ordered, operands_are_always_neighbours_lower_first) {
  const auto join = [](segment l, segment r) -> segment {
    return l.end == r.begin ? segment{l.begin, r.end} : segment{-1, -2};
  };
  for (const std::size_t n : custom_sizes) {
    const auto view = mf::generate(static_cast<std::int64_t>(n), [](std::int64_t i) {
      return segment{i, i + 1};
    });
    const segment whole = mf::reduce(mf::cpu(4), view, mf::ordered(join));
    EXPECT_EQ(whole.begin, 0);
    EXPECT_EQ(whole.end, static_cast<std::int64_t>(n));
  }
}

}  // namespace
