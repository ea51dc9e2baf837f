// The units of segments have room, however the items are cut.

#include "monofold/plan/segment_launch.hpp"

#include <gtest/gtest.h>

#include <cstdint>

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
    for (std::int64_t segments = 1; segments <= mf::max_few_segments; ++segments) {
      for (const bool any_order : {false, true}) {
        const mf::segment_facts facts{segments, tiles * tile_items, tile_items, -1,
                                      true,     any_order};
        const auto plan = mf::segment_launch_for(facts, 132);
        const std::int64_t room = mf::unit_capacity_of(plan, facts);
        // Of parts of the view, too: what lies behind the last segment belongs to none.
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

}  // namespace
