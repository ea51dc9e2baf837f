#pragma once
/// engine/gpu/segment/warp_team: the warps of a block that share a segment, and the blocks that do.

#include <cstdint>

#include "monofold/level/block.cuh"
#include "monofold/level/grid.cuh"
#include "monofold/level/thread.cuh"
#include "monofold/platform/host_device.hpp"

namespace monofold::detail {

/// So many neighbours, 2^level, among the 2^all_warps warps of a block.
struct warp_team {
  int level;
  int all_warps;

  MONOFOLD_GPU int warps() const { return 1 << level; }
  MONOFOLD_GPU int rank() const { return warp_rank() & (warps() - 1); }
  MONOFOLD_GPU int first_warp() const { return warp_rank() - rank(); }
  MONOFOLD_GPU bool is_all() const { return level == all_warps; }
};

/// Draws a ticket: true in the last of `nodes` blocks to come here. What thread 0 of each block has written before, or
/// seen behind a barrier, is seen there. Then the ticket is 0 again.
///
/// sync       all threads of the block
MONOFOLD_GPU bool is_last_block_of(int nodes, std::uint32_t* ticket) {
  bool is_last = false;
  if (thread_rank() == 0) {
    is_last = take_ticket(ticket) == static_cast<std::uint32_t>(nodes - 1);
    if (is_last) *ticket = 0;
  }
  // What thread 0 of the last block acquired is behind this barrier seen by all its threads.
  return sync_block_any(is_last);
}

}  // namespace monofold::detail
