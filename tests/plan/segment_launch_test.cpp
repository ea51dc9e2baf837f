// The units of segments have room, however the items are cut.

#include "monofold/plan/segment_launch.hpp"

#include <gtest/gtest.h>

#include <cstdint>

#include "monofold/plan/top_rows_launch.hpp"

namespace {

namespace mf = monofold;

/// Some segments of like lengths, and what is left: a longer one.
std::int64_t units_of(const mf::segment_launch& plan, std::int64_t items, std::int64_t tile_items,
                      std::int64_t segments, std::int64_t each) {
  const auto units = [&](std::int64_t length) {
    return plan.nodes_of((length + tile_items - 1) / tile_items);
  };
  return (segments - 1) * units(each) + units(items - (segments - 1) * each);
}

TEST(segment_launch, few_segments_of_any_lengths_have_room_for_their_units) {
  constexpr std::int64_t tile_items = 1024;
  for (std::int64_t tiles = 1; tiles <= std::int64_t{1} << 34; tiles = tiles * 9 / 8 + 1) {
    for (std::int64_t segments = 1; segments <= mf::max_few_segments;
         segments += segments / 32 + 1) {
      for (const bool any_order : {false, true}) {
        const bool may_overlap = segments <= mf::max_few_overlapping && segments % 2 == 0;
        const mf::segment_facts facts{segments, tiles * tile_items, tile_items,
                                      -1,       may_overlap,        any_order};
        const auto plan = mf::segment_launch_for(facts, 132);
        const std::int64_t room = mf::unit_capacity_of(plan, facts);
        // Parts of the view are enough, too: items behind the last segment belong to none.
        for (int sixteenths = 1; sixteenths <= 16; ++sixteenths) {
          const std::int64_t items = facts.items / 16 * sixteenths;
          for (const std::int64_t each :
               {std::int64_t{0}, items / segments / 2, items / segments}) {
            ASSERT_LE(units_of(plan, items, tile_items, segments, each), room)
                << tiles << " tiles, " << segments << " segments, " << items << " items";
          }
        }
      }
    }
  }
}

TEST(segment_launch, rows_that_fill_the_last_tile_have_room_for_their_units) {
  constexpr std::int64_t tile_items = 4096;
  for (std::int64_t tiles = 1 << 16; tiles <= std::int64_t{1} << 34; tiles *= 2) {
    const std::int64_t length = (tiles - 1) * tile_items;
    const mf::segment_facts facts{1, length, tile_items, length, false, true};
    const auto plan = mf::segment_launch_for(facts, 132);
    ASSERT_LE(plan.nodes_of(tiles - 1), mf::unit_capacity_of(plan, facts)) << tiles;
  }
}

TEST(segment_launch, rows_of_several_tiles_have_a_team_each_and_room) {
  constexpr std::int64_t tile_items = 1024;
  for (std::int64_t tiles = 2; tiles <= std::int64_t{1} << 24; tiles = tiles * 9 / 8 + 1) {
    for (const std::int64_t rows : {1, 2, 7, 64, 65, 300, 4096, 4097, 100000}) {
      for (const int block_warps : {1, 2, 4, 8}) {
        for (const bool any_order : {false, true}) {
          const std::int64_t length = tiles * tile_items - 5;
          const mf::segment_facts facts{rows, rows * length, tile_items, length, false, any_order};
          const auto plan = mf::long_rows_launch_for(mf::segment_launch_for(facts, 132), facts,
                                                     block_warps, 16, 132);
          ASSERT_EQ(plan.row_tiles, tiles);
          ASSERT_EQ(plan.warps, 0);
          const std::int64_t nodes = plan.nodes_of_row();
          const std::int64_t team = std::int64_t{1} << plan.team_level;
          ASSERT_GE(nodes, 1);
          ASSERT_LE(nodes, plan.max_nodes);
          ASSERT_LE(team, block_warps);
          // Rows that are cut have whole blocks, and counters.
          if (nodes > 1) {
            ASSERT_EQ(team, block_warps);
            ASSERT_LE(rows, mf::max_cut_rows);
            ASSERT_LE(rows * nodes, mf::unit_capacity_of(plan, facts));
          }
          if (!any_order) {
            ASSERT_GE(nodes << plan.node_level_of(tiles), tiles);
          }
          // A warp alone may go from row to row.
          const std::int64_t units = any_order && nodes * team == 1 ? 1 : rows * nodes * team;
          ASSERT_GE(std::int64_t{plan.long_blocks} * block_warps, units);
        }
      }
    }
  }
}

TEST(segment_launch, rows_in_any_order_fill_the_places_that_there_are) {
  constexpr std::int64_t tile_items = 1024;
  const auto plan_of = [](std::int64_t rows, std::int64_t tiles) {
    const std::int64_t length = tiles * tile_items;
    const mf::segment_facts facts{rows, rows * length, tile_items, length, false, true};
    return mf::long_rows_launch_for(mf::segment_launch_for(facts, 132), facts, 8, 16, 132);
  };
  // Places for 264 blocks: one row takes all; 100 rows of 8 nodes each would fill a fourth wave by 8 blocks alone.
  EXPECT_EQ(plan_of(1, 1 << 12).nodes_of_row(), 264);
  EXPECT_EQ(plan_of(100, 1 << 12).nodes_of_row(), 10);
  EXPECT_EQ(plan_of(256, 512).nodes_of_row(), 1);
  EXPECT_EQ(plan_of(256, 1024).nodes_of_row(), 2);
  EXPECT_EQ(plan_of(0, 1000).long_blocks, 0);
  // No more nodes than there are tiles for their warps, nor than can be joined.
  EXPECT_EQ(plan_of(1, 40).nodes_of_row(), 5);
  EXPECT_EQ(plan_of(1, 1 << 24).nodes_of_row(), mf::most_joined_sums);
}

TEST(segment_launch, few_segments_start_no_more_blocks_than_run_at_once) {
  const auto blocks = [](std::int64_t items) {
    const mf::segment_facts facts{3, items, 1024, -1, false, true};
    return mf::segment_launch_for(facts, 132).long_blocks;
  };
  EXPECT_EQ(blocks(std::int64_t{1} << 28), 264);
  EXPECT_LE(blocks(100000), 16);
  EXPECT_GE(blocks(0), 1);
}

TEST(top_rows_launch, rows_of_one_length_have_room_without_a_list_that_may_overlap) {
  constexpr std::int64_t tile_items = 1024;
  for (std::int64_t tiles = 1; tiles <= std::int64_t{1} << 24; tiles = tiles * 9 / 8 + 1) {
    for (const std::int64_t rows : {1, 2, 3, 5, 9, 64, 1000, 100000}) {
      for (const int more : {-1, 0, 1}) {
        const std::int64_t length = tiles * tile_items + more;
        const mf::segment_facts facts{rows, rows * length, tile_items, length, false, true};
        const auto plan = mf::top_rows_launch_for(facts, 10, true, 132);
        const std::int64_t own = (length + tile_items - 1) / tile_items;
        if (length <= plan.short_tiles * tile_items) continue;
        if (own > plan.list.medium_tiles) {
          ASSERT_LE(rows * plan.list.nodes_of(own), mf::unit_capacity_of(plan.list, facts))
              << rows << " rows of " << length;
        } else {
          ASSERT_LE(rows, mf::medium_capacity_of(plan.list, facts))
              << rows << " rows of " << length;
        }
      }
    }
  }
}

}  // namespace
