// Every tile is taken by exactly one ticket, in an order that jumps; positions fit; candidates fit.

#include "monofold/plan/top_launch.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <numeric>
#include <vector>

namespace {

namespace mf = monofold;

TEST(top_launch, every_tile_has_one_ticket) {
  for (const std::int64_t tiles : {0, 1, 2, 15, 16, 17, 31, 33, 1000, 4223, 4225, 32767, 32768,
                                   32769, 50021, 262143, 262144, 262177, 300007}) {
    const auto plan = mf::top_launch_for(tiles, 1024);
    std::vector<int> taken(static_cast<std::size_t>(tiles), 0);
    for (std::uint32_t ticket = 0; ticket < plan.tickets; ++ticket) {
      std::int64_t tile =
          mf::first_top_tile(ticket, plan.chunks, plan.chunk_step, plan.tiles_per_ticket);
      for (int step = 0; step < plan.tiles_per_ticket; ++step, tile += mf::top_warps) {
        if (tile < tiles) ++taken[static_cast<std::size_t>(tile)];
      }
    }
    for (std::int64_t t = 0; t < tiles; ++t) {
      ASSERT_EQ(taken[static_cast<std::size_t>(t)], 1) << tiles << " tiles, tile " << t;
    }
    EXPECT_GE(plan.blocks, 1);
    EXPECT_LE(plan.blocks, mf::max_top_blocks);
    // Without a second block there is no counter of tickets.
    if (plan.blocks == 1) {
      EXPECT_EQ(plan.tickets, static_cast<std::uint32_t>(mf::top_warps));
    }
  }
}

TEST(top_launch, chunks_of_ascending_items_come_shuffled) {
  for (const std::int64_t tiles : {16384, 32768, 65536, 65537, 262144, 1048576, 1000000}) {
    const auto plan = mf::top_launch_for(tiles, 1024);
    // How often a chunk lies above, or below, all before it, behind those that blocks begin with.
    int records = 0;
    std::int64_t most = -1;
    std::int64_t least = tiles * 2;
    const auto begun = static_cast<std::uint32_t>(plan.blocks * mf::top_warps);
    for (std::uint32_t turn = 0; turn < plan.tickets; turn += mf::top_warps) {
      const auto tile =
          mf::first_top_tile(turn, plan.chunks, plan.chunk_step, plan.tiles_per_ticket);
      if (turn >= begun && (tile > most || tile < least)) ++records;
      most = tile > most ? tile : most;
      least = tile < least ? tile : least;
    }
    EXPECT_LT(records, 24) << tiles;
  }
}

TEST(top_launch, steps_have_no_divisor_in_common) {
  for (std::int64_t n = 1; n < 3000; ++n) EXPECT_EQ(std::gcd(mf::golden_step(n), n), 1) << n;
  for (const std::int64_t n : {std::int64_t{1} << 31, (std::int64_t{1} << 31) - 1,
                               std::int64_t{2 * 3 * 5 * 7 * 11 * 13 * 17} * 19}) {
    EXPECT_EQ(std::gcd(mf::golden_step(n), n), 1) << n;
  }
}

TEST(top_launch, positions_fit_in_32_bits) {
  for (const int items : {512, 1024, 2048, 4096}) {
    for (std::int64_t tiles = 1; tiles < std::int64_t{1} << 31; tiles = tiles * 3 + 1) {
      const auto plan = mf::top_launch_for(tiles, items);
      EXPECT_LE((tiles * items - 1) >> plan.index_shift, 0xffffffff);
      if (tiles * items <= std::int64_t{1} << 31) {
        EXPECT_EQ(plan.index_shift, 0);
      }
    }
  }
}

TEST(top_launch, a_row_of_bytes_fits_beside_what_is_left) {
  const int most = mf::top_survivors(static_cast<int>(mf::max_top_items));
  EXPECT_LE(most + 512, 2 * mf::max_top_items);
}

}  // namespace
