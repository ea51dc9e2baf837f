// Every tile is taken in exactly one turn, first those at both ends; positions fit; candidates fit.

#include "monofold/plan/top_launch.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace {

namespace mf = monofold;

TEST(top_launch, every_tile_has_one_turn) {
  for (const std::int64_t tiles :
       {0, 1, 2, 15, 16, 17, 31, 33, 513, 1000, 2048, 2049, 4223, 4225, 8448, 50021}) {
    for (const int most_blocks : {2, 8, 216, mf::max_top_blocks}) {
      const auto plan = mf::top_launch_for(tiles, 1024, tiles % 3 == 0 ? 10 : 200, most_blocks);
      std::vector<int> taken(static_cast<std::size_t>(tiles), 0);
      for (std::uint32_t turn = 0; turn < plan.chunks; ++turn) {
        for (int warp = 0; warp < mf::top_warps; ++warp) {
          const std::int64_t tile = mf::top_tile_at(plan, turn, warp);
          if (tile < tiles) ++taken[static_cast<std::size_t>(tile)];
        }
      }
      for (std::int64_t t = 0; t < tiles; ++t) {
        ASSERT_EQ(taken[static_cast<std::size_t>(t)], 1) << tiles << " tiles, tile " << t;
      }
      EXPECT_GE(plan.blocks, 1);
      EXPECT_LE(plan.blocks, most_blocks);
    }
  }
}

TEST(top_launch, ends_come_first) {
  for (const std::int64_t tiles : {4225, 16384, 32768, 65536, 65537, 1000000}) {
    const auto plan = mf::top_launch_for(tiles, 1024, 10);
    ASSERT_TRUE(plan.has_rounds());
    EXPECT_EQ(mf::top_chunk_at(plan, 0), 0u);
    EXPECT_EQ(mf::top_chunk_at(plan, static_cast<unsigned>(plan.blocks) - 1), plan.chunks - 1);
    // The others ascend.
    for (auto turn = static_cast<unsigned>(plan.blocks) + 1; turn < plan.chunks; ++turn) {
      EXPECT_GT(mf::top_chunk_at(plan, turn), mf::top_chunk_at(plan, turn - 1)) << tiles;
    }
  }
}

TEST(top_launch, positions_fit_in_32_bits) {
  for (const int items : {512, 1024, 2048, 4096}) {
    for (std::int64_t tiles = 1; tiles < std::int64_t{1} << 31; tiles = tiles * 3 + 1) {
      const auto plan = mf::top_launch_for(tiles, items, 10);
      EXPECT_LE((tiles * items - 1) >> plan.index_shift, 0xffffffff);
      if (tiles * items <= std::int64_t{1} << 31) {
        EXPECT_EQ(plan.index_shift, 0);
      }
    }
  }
}

/// Every block has tiles, a lane for each of the k best, and mail where it may be read.
TEST(top_launch, few_tiles_are_spread) {
  for (std::int64_t tiles = 1; tiles < 10000; tiles += 1 + tiles / 40) {
    for (const std::int64_t k : {1, 10, 32, 33, 1000}) {
      const auto plan = mf::top_launch_for(tiles, 1024, k);
      EXPECT_GE(plan.chunk_warps * 32, k < 512 ? k : 512) << tiles << ' ' << k;
      EXPECT_GE(std::int64_t{plan.chunks} * plan.chunk_warps, tiles);
      EXPECT_LT(std::int64_t{plan.chunks - 1} * plan.chunk_warps, tiles);
      EXPECT_EQ(plan.is_mailed, plan.blocks > 1 && k <= 32) << tiles << ' ' << k;
    }
  }
}

TEST(top_launch, a_row_of_bytes_fits_beside_what_is_left) {
  const int most = mf::top_survivors(static_cast<int>(mf::max_top_items));
  EXPECT_LE(most + 512, 2 * mf::max_top_items);
}

}  // namespace
