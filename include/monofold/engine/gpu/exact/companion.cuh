#pragma once
/// engine/gpu/exact/companion: what blocks fold as the companion of an exact sum, over the tiles that it takes.

#include <cstdint>

#include "monofold/engine/gpu/exact/warp_extrema.cuh"
#include "monofold/engine/gpu/exact/warp_rows.cuh"
#include "monofold/engine/gpu/load.cuh"
#include "monofold/level/grid.cuh"
#include "monofold/level/shuffle.cuh"
#include "monofold/level/thread.cuh"
#include "monofold/level/warp.cuh"
#include "monofold/plan/exact_launch.hpp"
#include "monofold/platform/host_device.hpp"

namespace monofold::detail {

/// A sink that takes what a companion folded, too.
template <class Sink, class State>
struct companion_sink {
  const Sink& sink;
  const State& companion;
};

/// The extremes `F`, an `all` of one or two folds.
///
/// shape      rows: of the tiles of the sum; shared: shared_bytes. `add` by all lanes of a warp, of tiles in
///            ascending order; then `store`, and when the blocks have met `collect` in the last one, by
///            all threads
template <class F, class Item, int rows>
class extrema_companion {
  using extrema = warp_extrema<decltype(F::members), Item, rows>;

 public:
  using state = typename F::state;
  static constexpr bool is_any = true;
  /// Whether `may_change` tells of most tiles that they need not be added; else all are.
  static constexpr bool is_coarse = extrema::is_coarse;
  static constexpr int total_at = exact_warps * static_cast<int>(sizeof(state));
  static constexpr int shared_bytes = total_at + static_cast<int>(sizeof(state));
  static constexpr std::int64_t workspace_bytes =
      grid_states(max_exact_blocks) * static_cast<std::int64_t>(sizeof(state));

  MONOFOLD_GPU explicit extrema_companion(char* shared) : shared_(shared) {}

  MONOFOLD_GPU bool may_change(const bytes16 (&raw)[rows]) const {
    return extrema_.may_change(warp_rows<Item, rows>(raw, 0));
  }
  MONOFOLD_GPU void add(const bytes16 (&raw)[rows], int tile) {
    extrema_.add(warp_rows<Item, rows>(raw, 0), tile);
  }

  /// What the block has, with tiles in place of indices: to `states`, or as the total where the block is the
  /// only one.
  ///
  /// sync       all threads of the block; no barrier behind the last write
  MONOFOLD_GPU void store(void* states) {
    const state own = extrema_.total();
    if (lane_rank() == 0) warp_states()[warp_rank()] = own;
    sync_block();  // states of warps written above are read below
    if (threadIdx.x >= warp_lanes) return;
    const int lane = lane_rank();
    const state all = warp::combine(F{}, warp_states()[lane < exact_warps ? lane : 0], exact_warps);
    if (lane != 0) return;
    *(gridDim.x > 1 ? static_cast<state*>(states) + blockIdx.x : total()) = all;
  }

  /// The total of all blocks, with indices.
  ///
  /// sync       as above; behind a barrier, and what blocks have was left before they met
  MONOFOLD_GPU void collect(const aligned_range<Item>& range, void* states) {
    if (gridDim.x > 1) {
      auto* const all = static_cast<state*>(states);
      const state own = combine_stored(F{}, all, gridDim.x, all + gridDim.x, warp_states());
      if (threadIdx.x == 0) *total() = own;
      sync_block();  // the total written above is read below
    }
    extrema::find(*total(), range, warp_rank());
  }

  template <class Sink>
  MONOFOLD_GPU companion_sink<Sink, state> sink_for(const Sink& sink) const {
    return {sink, *total()};
  }

 private:
  MONOFOLD_GPU state* warp_states() const { return reinterpret_cast<state*>(shared_); }
  MONOFOLD_GPU state* total() const { return reinterpret_cast<state*>(shared_ + total_at); }

  char* shared_;
  extrema extrema_;
};

}  // namespace monofold::detail
