// Exact sums and means of few float32 on the device, and how many of them there may be.

#include <algorithm>
#include <cstddef>

#include "monofold/plan/few_launch.hpp"
#include "tests/gpu/exact_few_tests.cuh"

namespace gpu_tests {

INSTANTIATE_TYPED_TEST_SUITE_P(float, gpu_exact_few, float);

TEST(few_launch, has_a_warp_for_each_tile_and_a_thread_for_each_sender) {
  for (const std::size_t bytes : {2, 4, 8}) {
    const int most = mf::few_tiles_for(
        std::max(mf::most_few_bytes(bytes, false), mf::most_few_bytes(bytes, true)));
    for (int tiles = 1; tiles <= most; ++tiles) {
      for (const bool with_extrema : {false, true}) {
        const int blocks = mf::few_blocks_for(tiles, with_extrema);
        ASSERT_LE(tiles, blocks * mf::few_warps);
        ASSERT_LE(blocks, mf::few_threads);
      }
    }
  }
  EXPECT_EQ(mf::few_tiles_for(1), 1);
  EXPECT_EQ(mf::few_tiles_for(mf::few_tile_bytes + 1), 2);
}

}  // namespace gpu_tests
