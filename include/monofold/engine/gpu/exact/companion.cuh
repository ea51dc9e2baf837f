#pragma once
/// engine/gpu/exact/companion: extrema of the tiles of an exact sum, found in the same pass.

#include <cstdint>

#include "monofold/engine/gpu/exact/warp_extrema.cuh"
#include "monofold/engine/gpu/exact/warp_rows.cuh"
#include "monofold/engine/gpu/load.cuh"
#include "monofold/engine/gpu/mailbox.cuh"
#include "monofold/level/shuffle.cuh"
#include "monofold/level/thread.cuh"
#include "monofold/level/warp.cuh"
#include "monofold/plan/exact_launch.hpp"
#include "monofold/platform/host_device.hpp"

namespace monofold::detail {

/// The sink of a sum, and what its companion folded.
template <class Sink, class State>
struct companion_sink {
  const Sink& sink;
  const State& companion;
};

/// Extrema that are found while the kernel of an exact sum goes over its tiles. `F` is an `all` of one or two folds for
/// extrema.
///
/// Each warp calls `add` for its tiles. Then there are two ways to the last block. Either each warp calls `store_warp`
/// and each block `store` or `post`; or each warp calls `post_warp`. The last block calls `collect` after `store`, or
/// `hear` after either post, and then `find`.
///
/// shape      rows: how many rows of 32 chunks a tile of the sum has; shared: shared_bytes of shared memory. All lanes
///            of a warp `add`, tiles in ascending order
template <class F, class Item, int rows>
class extrema_companion {
  using extrema = warp_extrema<decltype(F::members), Item, rows>;

 public:
  using state = typename F::state;
  using mail_type = mailbox<state>;
  static constexpr bool is_any = true;
  /// Whether `may_change` is false for most tiles, which then need not be added; if not, all tiles are added.
  static constexpr bool is_coarse = extrema::is_coarse;
  static constexpr int total_at = exact_warps * static_cast<int>(sizeof(state));
  static constexpr int shared_bytes = total_at + static_cast<int>(sizeof(state));
  static constexpr std::int64_t workspace_bytes =
      max_exact_blocks * static_cast<std::int64_t>(sizeof(state));

  MONOFOLD_GPU explicit extrema_companion(char* shared) : shared_(shared) {}

  MONOFOLD_GPU bool may_change(const bytes16 (&raw)[rows]) const {
    return extrema_.may_change(warp_rows<Item, rows>(raw, 0));
  }
  MONOFOLD_GPU void add(const bytes16 (&raw)[rows], int tile) {
    extrema_.add(warp_rows<Item, rows>(raw, 0), tile);
  }

  /// Stores the state of this warp in shared memory, for `store`, `post` or `find`. Its indices are those of tiles.
  ///
  /// sync       all threads of the block; a barrier must follow
  MONOFOLD_GPU void store_warp() const { store_warp(extrema_.total()); }
  /// Joins the states of the block's warps, to global memory by `store` or by mail by `post`.
  ///
  /// sync       behind that barrier: `store` all threads of the block, `post` all lanes of warp 0
  MONOFOLD_GPU void store(void* states) const {
    if (threadIdx.x >= warp_lanes) return;
    const state all = block_total();
    if (lane_rank() == 0) static_cast<state*>(states)[blockIdx.x] = all;
  }
  MONOFOLD_GPU void post(const mail_type& mail, int sender) const {
    mail.post(sender, block_total(), total());
  }
  /// Posts the state of this warp.
  ///
  /// sync       all lanes of the warp
  MONOFOLD_GPU void post_warp(const mail_type& mail, int sender) const {
    mail.post(sender, extrema_.total(), warp_states() + warp_rank());
  }

  /// Joins what blocks have stored (`collect`), or what senders have posted or are sure to post, a thread for each
  /// (`hear`), to one state for each warp.
  ///
  /// sync       all threads of the last block, behind a barrier; one must follow
  MONOFOLD_GPU void collect(const void* states) const {
    const auto* const all = static_cast<const state*>(states);
    state own = F{}.identity();
    MONOFOLD_ROLL
    for (auto block = threadIdx.x; block < gridDim.x; block += exact_threads) {
      own = combine_states(F{}, own, all[block]);
    }
    store_warp(warp::combine(F{}, own));
  }
  MONOFOLD_GPU void hear(const mail_type& mail, int senders) const {
    // Other warps read the sums where there are up to 128 senders.
    const auto rank = static_cast<int>(threadIdx.x ^ (exact_threads / 2));
    state own = F{}.identity();
    if (rank - lane_rank() < senders) {
      own = mail.wait(rank, rank < senders);
      const int here = senders - rank + lane_rank();
      own = warp::combine(F{}, own, here < warp_lanes ? here : warp_lanes);
    }
    store_warp(own);
  }

  /// Joins the states of the warps to the total, and finds the indices of its items in their tiles.
  ///
  /// sync       all threads of the block, behind a barrier; no barrier behind the last write
  MONOFOLD_GPU void find(const aligned_range<Item>& range) const {
    const int lane = lane_rank();
    // The first warps finish the sums meanwhile.
    extrema::find(warp_states()[lane < exact_warps ? lane : 0], exact_warps, *total(), range,
                  warp_rank() ^ (exact_warps / 2));
  }

  template <class Sink>
  MONOFOLD_GPU companion_sink<Sink, state> sink_for(const Sink& sink) const {
    return {sink, *total()};
  }

 private:
  MONOFOLD_GPU state* warp_states() const { return reinterpret_cast<state*>(shared_); }
  MONOFOLD_GPU state* total() const { return reinterpret_cast<state*>(shared_ + total_at); }

  MONOFOLD_GPU void store_warp(const state& own) const {
    if (lane_rank() == 0) warp_states()[warp_rank()] = own;
  }
  MONOFOLD_GPU state block_total() const {
    const int lane = lane_rank();
    return warp::combine(F{}, warp_states()[lane < exact_warps ? lane : 0], exact_warps);
  }

  char* shared_;
  extrema extrema_;
};

}  // namespace monofold::detail
