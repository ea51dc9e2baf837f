#pragma once
/// engine/gpu/exact/late_tiles: tiles that one warp would be slow with, kept for all warps of the block together.

#include <cstdint>

#include "monofold/engine/gpu/kernel.cuh"
#include "monofold/level/lanes.cuh"
#include "monofold/level/shuffle.cuh"
#include "monofold/level/thread.cuh"
#include "monofold/plan/exact_launch.hpp"
#include "monofold/platform/host_device.hpp"

namespace monofold::detail {

/// The shared memory of a block.
template <class Term>
struct exact_shared;

/// One tile a warp. It is in shared memory, since the narrow way needs every register.
///
/// sync       all lanes of the warp
/// source     of 16 MiB of uniform float32 one item in millions is so small that bins do not hold its square. Its
///            warp took 20 000 cycles for that tile by the wide way, alone, where others take 8 000 for all of theirs
template <class Term>
class late_tiles {
 public:
  /// Comes first.
  MONOFOLD_GPU static void start() {
    if (lane_rank() == 0) tiles()[warp()] = none;
    sync_warp();  // written above, read by other lanes below
  }

  /// Keeps a tile; false where the warp has one already.
  MONOFOLD_GPU static bool keep(int tile) {
    if (has_own()) return false;
    sync_warp();  // read above, written below
    if (lane_rank() == 0) tiles()[warp()] = tile;
    sync_warp();  // written above, read by other lanes later
    return true;
  }

  MONOFOLD_GPU static bool has_own() { return tiles()[warp()] != none; }

  /// Calls use(tile) for that of this warp, or, behind a barrier, for those of all.
  template <class Use>
  MONOFOLD_GPU static void each(bool is_alone, const Use& use) {
    const int lane = lane_rank();
    int here = none;
    if (is_alone ? lane == warp() : lane < exact_warps) here = tiles()[lane];
    MONOFOLD_ROLL
    for (std::uint32_t left = lanes_with(here != none); left != 0; left &= left - 1) {
      use(shuffle_from(here, lowest_lane(left)));
    }
  }

  static constexpr int none = -1;

 private:
  MONOFOLD_GPU static int warp() { return static_cast<int>(threadIdx.x) / warp_lanes; }
  MONOFOLD_GPU static std::int32_t* tiles() {
    return reinterpret_cast<std::int32_t*>(reinterpret_cast<char*>(dynamic_shared()) +
                                           exact_shared<Term>::late_at);
  }
};

}  // namespace monofold::detail
