#pragma once
/// engine/gpu/exact/late_tile: a tile that one warp would be slow with, kept for all warps of the block together.

#include <cstdint>

#include "monofold/engine/gpu/kernel.cuh"
#include "monofold/level/shuffle.cuh"
#include "monofold/level/thread.cuh"
#include "monofold/platform/host_device.hpp"

namespace monofold::detail {

/// The shared memory of a block.
template <class Term>
struct exact_shared;

/// One tile a block: where others need the wide way too, each warp is sooner done with its own. It is in shared
/// memory, since the narrow way needs every register.
///
/// sync       all lanes of the warp, unless it says otherwise
/// source     of 16 MiB of uniform float32 one item in millions is so small that bins do not hold its square. Its
///            warp took 20 000 cycles for that tile by the wide way, alone, where others take 8 000 for all of theirs
template <class Term>
class late_tile {
 public:
  /// Comes first. `are_alone`: no warp meets others of its block, so that none keeps a tile.
  ///
  /// sync       all threads of the block
  MONOFOLD_GPU static void start(bool are_alone) {
    if (threadIdx.x == 0) *kept() = are_alone ? no_room : none;
    sync_block();  // written above, taken below
  }

  /// Keeps a tile; false where the block has one already, or none.
  MONOFOLD_GPU static bool keep(int tile) {
    int before = none;
    if (lane_rank() == 0) before = atomicCAS(kept(), none, tile);
    return shuffle_from(before, 0) == none;
  }

  /// Calls use(tile) for it, behind a barrier of the block.
  template <class Use>
  MONOFOLD_GPU static void with(const Use& use) {
    const int tile = *kept();
    if (tile >= 0) use(tile);
  }

 private:
  static constexpr int none = -1;
  static constexpr int no_room = -2;

  MONOFOLD_GPU static int* kept() {
    return reinterpret_cast<int*>(reinterpret_cast<char*>(dynamic_shared()) +
                                  exact_shared<Term>::late_at);
  }
};

}  // namespace monofold::detail
