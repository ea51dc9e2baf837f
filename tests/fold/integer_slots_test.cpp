/// fold/moments, norm, dot: what a lane adds the integers of a tile in, against their states.

#include <cstdint>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "monofold/fold/dot.hpp"
#include "monofold/fold/moments.hpp"
#include "monofold/fold/norm.hpp"
#include "tests/inputs/random.hpp"

namespace {

namespace mf = monofold;

constexpr std::size_t most_items = 4096;  // of a lane

bool same(const mf::uint256& a, const mf::uint256& b) { return a == b; }
bool same(const mf::integer_moments_state& a, const mf::integer_moments_state& b) {
  return a.count == b.count && a.sum == b.sum && a.squares == b.squares;
}

/// Two accumulators of all items, joined, are the states of the items combined.
template <class F, class Item>
void expect_sums(const F& f, const std::vector<Item>& items) {
  auto state = f.lift(items[0], 0);
  for (std::size_t i = 1; i < items.size(); ++i) state = f.combine(state, f.lift(items[i], 0));
  const std::size_t half = items.size() / 2;
  auto left = f.open(items[0], 0);
  auto right = f.open(items[half], 0);
  for (std::size_t i = 1; i < half; ++i) f.absorb(left, items[i], 0);
  for (std::size_t i = half + 1; i < items.size(); ++i) f.absorb(right, items[i], 0);
  const auto both = f.flush(f.join(left, right), static_cast<std::int64_t>(items.size()));
  EXPECT_TRUE(same(both, state));
}

/// All ends, and any items.
template <class T>
std::vector<std::vector<T>> hard_items() {
  constexpr T least = std::numeric_limits<T>::min(), most = std::numeric_limits<T>::max();
  std::vector<std::vector<T>> out{std::vector<T>(most_items, least),
                                  std::vector<T>(most_items, most),
                                  std::vector<T>(most_items, static_cast<T>(-1))};
  std::vector<T> ends, any;
  for (std::uint64_t i = 0; i < most_items; ++i) {
    ends.push_back(i % 3 == 0 ? least : most);
    any.push_back(static_cast<T>(inputs::mixed(i)));
  }
  out.push_back(ends);
  out.push_back(any);
  return out;
}

template <class T>
class integer_slots : public testing::Test {};
using types = testing::Types<std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, std::int32_t,
                             std::uint32_t, std::int64_t, std::uint64_t>;
TYPED_TEST_SUITE(integer_slots, types, );

TYPED_TEST(integer_slots, moments_and_norms) {
  for (const auto& items : hard_items<TypeParam>()) {
    expect_sums(mf::integer_moments_fold<TypeParam>{}, items);
    expect_sums(mf::integer_norm2_fold<TypeParam>{}, items);
  }
}

template <class Left, class Right>
void expect_products() {
  using pair = mf::item_pair<Left, Right>;
  for (const auto& left : hard_items<Left>()) {
    for (const auto& right : hard_items<Right>()) {
      std::vector<pair> items;
      for (std::size_t i = 0; i < left.size(); ++i) items.push_back({left[i], right[i]});
      expect_sums(mf::integer_dot_fold<Left, Right>{}, items);
    }
  }
}

TYPED_TEST(integer_slots, products) {
  expect_products<TypeParam, TypeParam>();
  expect_products<TypeParam, std::int8_t>();
  expect_products<std::int64_t, TypeParam>();
  expect_products<TypeParam, std::uint64_t>();
  expect_products<std::int32_t, TypeParam>();
}

/// Squares of 64 bits carry out of 128: a sum of 4096 has 140.
TEST(wide_sums, carry) {
  constexpr std::uint64_t most = ~std::uint64_t{0};
  EXPECT_TRUE(mf::square_of(most) == mf::uint128{most} * most);
  EXPECT_TRUE(mf::square_of(0x123456789abcdef0) ==
              mf::uint128{0x123456789abcdef0} * 0x123456789abcdef0);
  mf::uint128 own = ~mf::uint128{0};
  std::uint32_t carries = 7;
  mf::add_carrying(own, 1, carries);
  EXPECT_TRUE(own == 0);
  EXPECT_EQ(carries, 8u);
  mf::add_carrying(own, ~mf::uint128{0}, carries);
  EXPECT_EQ(carries, 8u);
}

}  // namespace
