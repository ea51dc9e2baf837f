#pragma once
/// engine/gpu/top/warp_top_work: which tiles a warp takes in a search for the k best.

#include <cstdint>

#include "monofold/level/shuffle.cuh"
#include "monofold/level/thread.cuh"
#include "monofold/plan/top_launch.hpp"
#include "monofold/platform/host_device.hpp"

namespace monofold::detail {

/// The tiles of a warp, one after the other. Its first ticket is given by its rank in the grid; further
/// ones are taken from a counter, the next one while the tiles of the last are read.
///
/// sync       all lanes of the warp make each call together
class top_work {
 public:
  MONOFOLD_GPU top_work(const top_launch& plan, std::uint32_t rank_in_grid, std::uint32_t* tickets)
      : plan_(plan), counter_(tickets), ticket_(rank_in_grid) {
    begin();
    skip();
  }

  MONOFOLD_GPU bool is_left() const { return ticket_ < plan_.tickets; }
  MONOFOLD_GPU std::int64_t tile() const { return tile_; }

  MONOFOLD_GPU void advance() {
    tile_ += top_warps;
    ++step_;
    skip();
  }

 private:
  /// Goes on to a tile that there is.
  MONOFOLD_GPU void skip() {
    while (is_left() && (step_ == plan_.tiles_per_ticket || tile_ >= plan_.tiles)) {
      ticket_ = shuffle_from(next_, 0);
      begin();
    }
  }
  MONOFOLD_GPU void begin() {
    if (!is_left()) return;
    step_ = 0;
    tile_ = first_top_tile(ticket_, plan_.chunks, plan_.chunk_step, plan_.tiles_per_ticket);
    const auto given = static_cast<std::uint32_t>(plan_.blocks) * top_warps;
    next_ = plan_.tickets;
    // Lane 0 alone waits for the number, and only when it is needed.
    if (given < plan_.tickets && lane_rank() == 0) next_ = given + atomicAdd(counter_, 1u);
  }

  const top_launch& plan_;
  std::uint32_t* counter_;
  std::uint32_t ticket_;
  std::uint32_t next_ = 0;
  std::int64_t tile_ = 0;
  int step_ = 0;
};

}  // namespace monofold::detail
