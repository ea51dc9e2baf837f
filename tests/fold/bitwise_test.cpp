/// fold/bitwise: and, or, xor against a plain loop, bool and no items included.

#include "monofold/fold/bitwise.hpp"

#include <cstdint>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "monofold/reduce.hpp"
#include "tests/inputs/random.hpp"

namespace {

namespace mf = monofold;

template <class Item>
void check() {
  for (const std::size_t n : {1U, 33U, 4097U, 30001U}) {
    auto items = inputs::integers<Item>(n, n);
    // Most bits set in all for `and`, few set in any for `or`.
    for (Item& x : items) x = static_cast<Item>(x | 0x55);
    Item conjunction = items[0];
    Item disjunction = 0;
    Item parity = 0;
    for (const Item x : items) {
      conjunction = static_cast<Item>(conjunction & x);
      disjunction = static_cast<Item>(disjunction | (x & 0x33));
      parity = static_cast<Item>(parity ^ x);
    }
    EXPECT_EQ(mf::reduce(items, mf::bit_and), conjunction);
    EXPECT_EQ(mf::reduce(items, mf::bit_xor), parity);
    for (Item& x : items) x = static_cast<Item>(x & 0x33);
    EXPECT_EQ(mf::reduce(items, mf::bit_or), disjunction);
  }
  EXPECT_EQ(mf::reduce(std::vector<Item>{}, mf::bit_and), static_cast<Item>(~Item{0}));
  EXPECT_EQ(mf::reduce(std::vector<Item>{}, mf::bit_or), Item{0});
  EXPECT_EQ(mf::reduce(std::vector<Item>{}, mf::bit_xor), Item{0});
}

TEST(bitwise, of_int8) { check<std::int8_t>(); }
TEST(bitwise, of_uint64) { check<std::uint64_t>(); }

// The states of nodes are bool as well, and several threads write them.
TEST(bitwise, of_bool_on_many_threads) {
  constexpr std::int64_t n = 64 * 64 * 4096 + 12345;
  const std::unique_ptr<bool[]> items(new bool[n]);
  bool parity = false;
  for (std::int64_t i = 0; i < n; ++i) {
    items[static_cast<std::size_t>(i)] = (inputs::mixed(static_cast<std::uint64_t>(i)) & 1) != 0;
    parity = parity != items[static_cast<std::size_t>(i)];
  }
  const mf::contiguous_view<bool> view(items.get(), n);
  for (int round = 0; round < 20; ++round) {
    ASSERT_EQ(mf::reduce(mf::cpu(2 + round % 7), view, mf::bit_xor), parity);
    ASSERT_TRUE(mf::reduce(mf::cpu(8), view, mf::bit_or));
    ASSERT_FALSE(mf::reduce(mf::cpu(8), view, mf::bit_and));
  }
  EXPECT_TRUE(mf::reduce(mf::contiguous_view<bool>(items.get(), 0), mf::bit_and));
}

}  // namespace
