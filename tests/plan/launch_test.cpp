// Every launch fits: shared memory, threads, mail; and its blocks cover the tiles.

#include "monofold/plan/launch.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace {

namespace mf = monofold;

std::vector<std::int64_t> some_tiles() {
  std::vector<std::int64_t> out;
  for (std::int64_t tiles = 1; tiles <= std::int64_t{1} << 34; tiles *= 2) {
    for (const int more : {-1, 0, 1}) {
      if (tiles + more > 0) out.push_back(tiles + more);
    }
  }
  for (std::int64_t tiles = 3; tiles < 70000; tiles = tiles * 5 / 4 + 1) out.push_back(tiles);
  return out;
}

/// Folds of states of 1 byte to 8 KiB; of an `all` some part is kept for each tile, the rest for each
/// warp.
std::vector<mf::launch_facts> some_facts() {
  std::vector<mf::launch_facts> out;
  for (const int state : {1, 4, 8, 16, 24, 48, 96, 104, 192, 288, 384, 512, 513, 1024, 8192}) {
    for (const int tile_state : {0, state / 6, state / 2, state}) {
      for (const int accumulators : {4, 32, 33, 128}) {
        for (const bool staged : {false, true}) {
          for (const int members : {1, 3, 8}) {
            out.push_back(
                {state, tile_state, 2 * state - tile_state, accumulators, staged, members});
          }
        }
      }
    }
  }
  return out;
}

TEST(launch_for, covers_the_tiles_and_fits_a_multiprocessor) {
  for (const auto& facts : some_facts()) {
    for (const std::int64_t tiles : some_tiles()) {
      const auto plan = mf::launch_for(tiles, facts);
      const std::int64_t each = std::int64_t{1} << plan.block_level;
      const int warps = plan.threads / mf::tile_lanes;
      ASSERT_EQ(plan.tiles, tiles);
      ASSERT_EQ(plan.blocks, (tiles + each - 1) / each);
      ASSERT_LE(plan.threads, mf::max_block_threads(facts));
      ASSERT_EQ(plan.threads % mf::tile_lanes, 0);
      // Where each tile has a state, each has a thread that reads it.
      if (facts.tile_state_bytes > 0) {
        ASSERT_LE(each, plan.threads);
      }
      const std::int64_t staging =
          facts.is_staged ? warps * mf::tile_rows * mf::tile_lanes * mf::lane_bytes : 0;
      ASSERT_LE(staging + each * facts.tile_state_bytes + warps * facts.warp_state_bytes, 47 * 1024)
          << facts.state_bytes << " " << facts.tile_state_bytes << " " << tiles;
      if (plan.is_mailed) {
        // A thread of the last block waits for four others at most, for one where latency counts.
        ASSERT_LE(plan.blocks, (plan.is_few ? 1 : 4) * plan.threads);
        ASSERT_LE(plan.blocks * ((facts.state_bytes + 3) / 4), mf::max_mail_words);
        ASSERT_TRUE(mf::goes_by_mail(static_cast<std::size_t>(facts.state_bytes)));
      }
      if (plan.is_few && plan.is_mailed) {
        ASSERT_LE(each, mf::tile_lanes);
      }
      if (plan.is_few && facts.members > 1 && plan.is_mailed) {
        ASSERT_LE(each, warps);
      }
      ASSERT_EQ(warps & (warps - 1), 0) << "members are shared out by bits";
    }
  }
}

TEST(launch_for, few_tiles_take_one_block) {
  for (const std::int64_t tiles : {1, 2, 7, 8}) {
    const auto plan = mf::launch_for(tiles, {8, 8, 8, 32, false});
    EXPECT_EQ(plan.blocks, 1);
    EXPECT_LE(tiles, plan.threads / mf::tile_lanes);
  }
}

TEST(launch_for, members_of_few_tiles_spread_over_blocks) {
  const auto blocks_of = [](std::int64_t tiles, int members, int state_bytes) {
    const auto plan = mf::launch_for(tiles, {state_bytes, state_bytes, 0, 16, false, members});
    EXPECT_EQ(plan.is_mailed, plan.blocks > 1 && state_bytes <= mf::max_mailed_bytes);
    return plan.blocks;
  };
  EXPECT_EQ(blocks_of(4, 6, 120), 1);
  EXPECT_EQ(blocks_of(5, 6, 120), 5);
  EXPECT_EQ(blocks_of(8, 6, 120), 8);
  EXPECT_EQ(blocks_of(8, 2, 120), 1);
  EXPECT_EQ(blocks_of(8, 6, 160), 1) << "a state that does not go by mail";
}

TEST(widened, blocks_have_a_multiprocessor_each) {
  int wider = 0;
  for (const auto& facts : some_facts()) {
    for (const std::int64_t tiles : some_tiles()) {
      const auto plan = mf::launch_for(tiles, facts);
      const auto wide = mf::widened(plan, facts);
      ASSERT_EQ(wide.tiles, plan.tiles);
      ASSERT_EQ(wide.blocks, plan.blocks);
      ASSERT_EQ(wide.block_level, plan.block_level);
      ASSERT_LE(wide.threads, mf::max_few_threads(facts));
      if (wide.threads == plan.threads) continue;
      ++wider;
      ASSERT_EQ(wide.threads, 2 * plan.threads);
      ASSERT_TRUE(plan.is_few && plan.is_mailed && facts.members > 1 && !facts.is_staged);
      ASSERT_LE(plan.blocks, 128);
      ASSERT_TRUE(mf::fits_in_shared(facts, wide.threads / mf::tile_lanes, 1 << wide.block_level));
    }
  }
  EXPECT_GT(wider, 0);
}

TEST(widened, members_of_many_blocks_have_more_warps) {
  const auto threads_of = [](std::int64_t tiles, int members) {
    const mf::launch_facts facts{104, 64, 40, 128, false, members};
    return mf::widened(mf::launch_for(tiles, facts), facts).threads;
  };
  EXPECT_EQ(threads_of(64, 5), 256);
  EXPECT_EQ(threads_of(65, 5), 512);
  EXPECT_EQ(threads_of(1024, 5), 512);
  EXPECT_EQ(threads_of(1025, 5), 256) << "256 blocks";
  EXPECT_EQ(threads_of(128, 1), 256);
}

}  // namespace
