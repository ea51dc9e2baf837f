/// plan/tiles: every item lies in exactly one tile and one slot, in the order that is promised.

#include "monofold/plan/tiles.hpp"

#include <cstdint>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "tests/inputs/probe_folds.hpp"
#include "tests/oracle/plan_tree.hpp"

namespace {

namespace mf = monofold;

/// A fold of which only the tags and the size of the accumulator matter.
template <int bytes, bool may_swap>
struct shaped_fold {
  struct state {
    std::uint8_t byte[bytes];
  };
  static constexpr bool commutative = may_swap;
};

template <std::size_t item_bytes, int state_bytes, bool may_swap>
void check_slots() {
  using item = inputs::sized_item<item_bytes>;
  using fold = shaped_fold<state_bytes, may_swap>;
  using shape = mf::slot_shape<fold, item>;
  using rules = oracle::tile_rules<fold, item>;
  constexpr int tile = mf::tile_items_v<item>;
  SCOPED_TRACE(testing::Message() << item_bytes << " " << state_bytes << " " << may_swap);
  ASSERT_EQ(tile, rules::tile_items);
  ASSERT_EQ(shape::num_slots, rules::num_slots);
  ASSERT_EQ(tile % shape::num_slots, 0);
  std::vector<int> taken(static_cast<std::size_t>(shape::num_slots), 0);
  int highest = -1;
  for (int i = 0; i < tile; ++i) {
    const int slot = shape::slot_of(i);
    ASSERT_EQ(slot, rules::slot_of(i)) << i;
    ASSERT_GE(slot, 0);
    ASSERT_LT(slot, shape::num_slots);
    ++taken[static_cast<std::size_t>(slot)];
    // Slots fill from the lowest up: a slot is opened only when all below it are.
    ASSERT_LE(slot, highest + 1) << i;
    highest = slot > highest ? slot : highest;
    if (!may_swap && i > 0) {
      ASSERT_GE(slot, shape::slot_of(i - 1)) << i;
    }
    if (may_swap && shape::chains == shape::items_per_lane) {
      ASSERT_EQ(slot, i % shape::num_slots);
    }
  }
  for (const int items : taken) ASSERT_EQ(items, shape::run_items);
}

template <std::size_t item_bytes>
void check_item() {
  check_slots<item_bytes, 1, true>();
  check_slots<item_bytes, 8, true>();
  check_slots<item_bytes, 16, true>();
  check_slots<item_bytes, 24, true>();
  check_slots<item_bytes, 128, true>();
  check_slots<item_bytes, 1000, true>();
  check_slots<item_bytes, 8, false>();
  check_slots<item_bytes, 200, false>();
}

TEST(slot_shape, every_item_has_one_slot_for_all_sizes) {
  check_item<1>();
  check_item<2>();
  check_item<3>();
  check_item<4>();
  check_item<5>();
  check_item<6>();
  check_item<8>();
  check_item<12>();
  check_item<16>();
  check_item<24>();
  check_item<40>();
}

TEST(tile_shape, a_tile_is_eight_rows_of_32_lanes_of_at_most_16_bytes) {
  static_assert(mf::tile_lanes == 32 && mf::tile_rows == 8);
  static_assert(mf::tile_items_v<std::uint8_t> == 4096);
  static_assert(mf::tile_items_v<std::uint16_t> == 2048);
  static_assert(mf::tile_items_v<inputs::sized_item<3>> == 1024);
  static_assert(mf::tile_items_v<float> == 1024);
  static_assert(mf::tile_items_v<inputs::sized_item<6>> == 512);
  static_assert(mf::tile_items_v<double> == 512);
  static_assert(mf::tile_items_v<inputs::sized_item<12>> == 256);
  static_assert(mf::tile_items_v<inputs::sized_item<16>> == 256);
  static_assert(mf::tile_items_v<inputs::sized_item<40>> == 256);
}

TEST(tile_count, every_item_is_in_a_tile_and_no_tile_is_empty) {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  constexpr std::int64_t tile = mf::tile_items_v<double>;
  for (const std::int64_t n :
       {std::int64_t{0}, std::int64_t{1}, tile - 1, tile, tile + 1, 2 * tile, std::int64_t{1} << 32,
        (std::int64_t{1} << 62) + 1, most - 1, most}) {
    const std::int64_t tiles = mf::tile_count<double>(n);
    EXPECT_EQ(tiles == 0, n == 0) << n;
    if (n == 0) continue;
    EXPECT_LT((tiles - 1) * tile, n) << n;  // the last tile starts before the end
    EXPECT_GE(tiles, n / tile) << n;        // and nothing lies behind it
    EXPECT_EQ(tiles - n / tile, n % tile != 0) << n;
  }
  EXPECT_EQ(mf::tile_count<std::uint8_t>(most), (std::int64_t{1} << 51));
}

}  // namespace
