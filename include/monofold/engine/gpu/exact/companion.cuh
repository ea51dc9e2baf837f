#pragma once
/// engine/gpu/exact/companion: what blocks fold as the companion of an exact sum, over the tiles that it takes.

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

/// A sink that takes what a companion folded, too.
template <class Sink, class State>
struct companion_sink {
  const Sink& sink;
  const State& companion;
};

/// The extremes `F`, an `all` of one or two folds.
///
/// shape      rows: of the tiles of the sum; shared: shared_bytes. `add` by all lanes of a warp, of tiles in
///            ascending order. Then warps `leave` what they have, blocks `store` or `post` it, or each warp does,
///            and the last block takes it up by `collect` or `hear`, and calls `find`
template <class F, class Item, int rows>
class extrema_companion {
  using extrema = warp_extrema<decltype(F::members), Item, rows>;

 public:
  using state = typename F::state;
  using mail_type = mailbox<state>;
  static constexpr bool is_any = true;
  /// Whether `may_change` tells of most tiles that they need not be added; else all are.
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

  /// What each warp has, with tiles in place of indices, for `find` or for the block.
  ///
  /// sync       all threads of the block; a barrier must follow
  MONOFOLD_GPU void leave() const { leave(extrema_.total()); }
  /// What the block has, to memory or by mail.
  ///
  /// sync       behind that barrier: all threads of the block, all lanes of warp 0
  MONOFOLD_GPU void store(void* states) const {
    if (threadIdx.x >= warp_lanes) return;
    const state all = block_total();
    if (lane_rank() == 0) static_cast<state*>(states)[blockIdx.x] = all;
  }
  MONOFOLD_GPU void post(const mail_type& mail, int sender) const {
    mail.post(sender, block_total(), total());
  }
  /// What the warp has, by mail.
  ///
  /// sync       all lanes of the warp
  MONOFOLD_GPU void post_warp(const mail_type& mail, int sender) const {
    mail.post(sender, extrema_.total(), warp_states() + warp_rank());
  }

  /// What blocks have stored, or senders, a thread each, have posted or are sure to.
  ///
  /// sync       all threads of the last block, behind a barrier; one must follow
  MONOFOLD_GPU void collect(const void* states) const {
    const auto* const all = static_cast<const state*>(states);
    state own = F{}.identity();
    MONOFOLD_ROLL
    for (auto block = threadIdx.x; block < gridDim.x; block += exact_threads) {
      own = combine_states(F{}, own, all[block]);
    }
    leave(warp::combine(F{}, own));
  }
  MONOFOLD_GPU void hear(const mail_type& mail, int senders) const {
    // Of up to 128 senders other warps read the sums.
    const auto rank = static_cast<int>(threadIdx.x ^ (exact_threads / 2));
    state own = F{}.identity();
    if (rank - lane_rank() < senders) {
      own = mail.wait(rank, rank < senders);
      const int here = senders - rank + lane_rank();
      own = warp::combine(F{}, own, here < warp_lanes ? here : warp_lanes);
    }
    leave(own);
  }

  /// Makes one of what warps have left, with indices.
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

  MONOFOLD_GPU void leave(const state& own) const {
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
