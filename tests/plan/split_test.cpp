// plan/split: parts cover an array in order, are cut at tiles, and differ by a tile at most.

#include "monofold/plan/split.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>

namespace mf = monofold;

namespace {

TEST(split, parts_are_cut_at_tiles_and_as_even_as_that_allows) {
  for (const std::int64_t tile : {1, 512, 2048}) {
    for (const std::int64_t n : {0, 1, 511, 512, 513, 5000, 2048 * 7, 1000003}) {
      for (const std::int64_t parts : {1, 2, 3, 4, 7, 1000}) {
        std::int64_t end = 0;
        std::int64_t least = std::numeric_limits<std::int64_t>::max();
        std::int64_t most = 0;
        for (std::int64_t part = 0; part < parts; ++part) {
          const mf::item_range own = mf::tile_split(n, parts, part, tile);
          ASSERT_EQ(own.first, end);
          ASSERT_GE(own.count, 0);
          ASSERT_TRUE(own.first % tile == 0 || own.first == n);
          end += own.count;
          const std::int64_t tiles = (own.count + tile - 1) / tile;
          least = std::min(least, tiles);
          most = std::max(most, tiles);
        }
        ASSERT_EQ(end, n);
        ASSERT_LE(most - least, 1);
      }
    }
  }
}

TEST(split, large_counts_do_not_overflow) {
  constexpr std::int64_t n = std::numeric_limits<std::int64_t>::max();
  std::int64_t end = 0;
  for (std::int64_t part = 0; part < 10007; ++part) {
    const mf::item_range own = mf::tile_split<std::uint8_t>(n, 10007, part);
    ASSERT_EQ(own.first, end);
    ASSERT_GT(own.count, n / 10007 - 2 * mf::tile_items_v<std::uint8_t>);
    end += own.count;
  }
  EXPECT_EQ(end, n);
}

}  // namespace
