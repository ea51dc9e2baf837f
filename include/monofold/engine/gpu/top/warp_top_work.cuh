#pragma once
/// engine/gpu/top/warp_top_work: which tiles a warp takes in a search for the k best.

#include <cstdint>

#include "monofold/engine/gpu/top/warp_candidates.cuh"
#include "monofold/level/shuffle.cuh"
#include "monofold/level/thread.cuh"
#include "monofold/plan/top_launch.hpp"
#include "monofold/platform/host_device.hpp"

namespace monofold::detail {

/// Goes through the tiles of a warp.
class top_work {
 public:
  MONOFOLD_GPU explicit top_work(const top_launch& plan) : plan_(plan) {}

  MONOFOLD_GPU bool is_left() const { return turn() < plan_.chunks; }
  MONOFOLD_GPU bool has_tile() const { return tile() < plan_.tiles; }
  MONOFOLD_GPU std::int64_t tile() const {
    return top_tile_at(plan_, turn(), rank_in_block() / warp_lanes);
  }
  MONOFOLD_GPU std::uint32_t round() const { return round_; }

  MONOFOLD_GPU void advance() { ++round_; }

 private:
  MONOFOLD_GPU std::uint32_t turn() const {
    return worked_out_again(round_) * static_cast<std::uint32_t>(plan_.blocks) + blockIdx.x;
  }

  const top_launch& plan_;
  std::uint32_t round_ = 0;
};

}  // namespace monofold::detail
