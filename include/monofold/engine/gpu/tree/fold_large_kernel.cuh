#pragma once
/// engine/gpu/tree/fold_large_kernel: the kernel for folds whose states or items are too large for registers.

#include <cstdint>

#include "monofold/engine/gpu/kernel.cuh"
#include "monofold/engine/gpu/tree/block_fold.cuh"
#include "monofold/engine/gpu/tree/fold_tiles_kernel.cuh"
#include "monofold/engine/gpu/tree/joined_members.cuh"
#include "monofold/engine/gpu/tree/warp_fold.cuh"
#include "monofold/engine/gpu/tree/warp_running.cuh"
#include "monofold/engine/gpu/tree/warp_tile.cuh"
#include "monofold/fold/fold.hpp"
#include "monofold/level/block_shared.cuh"
#include "monofold/level/grid.cuh"
#include "monofold/level/thread.cuh"
#include "monofold/level/warp.cuh"
#include "monofold/plan/launch.hpp"
#include "monofold/platform/host_device.hpp"

namespace monofold::detail {

// States stay in memory and are passed by reference: a compiler copies a value word by word, and takes
// minutes over kilobytes. What a user wrote is compiled once, in functions that are called.

/// Whether this kernel folds a view.
template <class F, class View>
inline constexpr bool is_large_fold_v =
    is_large_v<F, typename View::item_type> && !is_all_fold<F>::value && !may_repeat_v<F>;

template <class F, class Item>
MONOFOLD_GPU_CALL void flush_large(const F& f, const accumulator_t<F>& own, std::int64_t count,
                                   typename F::state& out) {
  out = fold_access<F, Item>::flush(f, own, count);
}

/// Copies a state, each thread a byte at a time.
///
/// sync       all threads of the block; no barrier
template <class State>
MONOFOLD_GPU void copy_by_block(State* to, const State* from) {
  auto* const bytes_to = reinterpret_cast<unsigned char*>(to);
  const auto* const bytes_from = reinterpret_cast<const unsigned char*>(from);
  MONOFOLD_ROLL
  for (int i = thread_rank(); i < static_cast<int>(sizeof(State)); i += threads_in_block()) {
    bytes_to[i] = bytes_from[i];
  }
}

/// Joins states in memory by the tree. Afterwards the first one is the total.
///
/// sync       all threads of the block, behind a barrier, and with one behind it
template <class F>
MONOFOLD_GPU void combine_in_memory(const F& f, typename F::state* states, std::int64_t count) {
  MONOFOLD_ROLL
  for (std::int64_t step = 1; step < count; step *= 2) {
    const std::int64_t stride = std::int64_t{threads_in_block()} * 2 * step;
    MONOFOLD_ROLL
    for (std::int64_t i = std::int64_t{thread_rank()} * 2 * step; i + step < count; i += stride) {
      combine_by_call(f, states[i], states[i + step], states[i]);
    }
    sync_block();  // nodes written above are read below
  }
}

/// Folds a tile and stores its state in `out`.
///
/// sync       all lanes of the warp
template <class F, class View>
MONOFOLD_GPU void fold_large_tile(const F& f, const View& view, const tile_place& place,
                                  typename F::state& out) {
  using item = typename View::item_type;
  const warp_tile<View> tile(view, place);
  constexpr int each =
      slot_shape<F, item>::striped ? warp_tile<View>::chunk_items : warp_tile<View>::run_items;
  const int used = (place.count + each - 1) / each;
  accumulator_t<F> own;
  fold_large_lane(f, tile, own);
  join_large_lanes(accumulator_joiner<F, item>{f}, own, used < warp_lanes ? used : warp_lanes,
                   warp_lanes);
  if (lane_rank() == 0) flush_large<F, item>(f, own, place.count, out);
}

/// Folds tiles `first`, `first` + `step`, .. before `end` by an exact fold, of which each lane keeps a state, and
/// stores their state in `out`.
///
/// sync       all lanes of the warp
template <class F, class View>
MONOFOLD_GPU void fold_large_running(const F& f, const View& view, std::int64_t size,
                                     std::int64_t first, std::int64_t end, int step,
                                     typename F::state& out) {
  using item = typename View::item_type;
  typename F::state own = f.identity();
  MONOFOLD_ROLL
  for (std::int64_t t = first; t < end; t += step) {
    const warp_tile<View> tile(view, place_of_tile<View>(size, t));
    accumulator_t<F> part;
    const int taken = fold_large_lane(f, tile, part);
    if (taken == 0) continue;
    typename F::state part_state;
    flush_large<F, item>(f, part, taken, part_state);
    combine_by_call(f, own, part_state, own);
  }
  join_large_lanes(state_joiner<F>{f}, own, warp_lanes, warp_lanes);
  if (lane_rank() == 0) out = own;
}

/// The same as fold_tiles_kernel, for large states or items.
template <class F, class View, class Sink>
__global__ void __launch_bounds__(max_block_threads(launch_facts_v<F, View>), min_resident_blocks)
    fold_large_kernel(const F f, const View view, const std::int64_t size, const tile_launch plan,
                      const handed_layout layout, const grid_storage<typename F::state> storage,
                      const Sink sink) {
  using state = typename F::state;
  let_next_launch_begin();
  if (layout != handed_layout_of<F, View>()) trap();
  wait_for_launches_before();
  const int warps = plan.threads / warp_lanes;
  const int warp = warp_rank();
  auto* const states = reinterpret_cast<state*>(dynamic_shared());
  const std::int64_t first = std::int64_t{blockIdx.x} << plan.block_level;
  const int here = tiles_here(plan.tiles, first, plan.block_level);
  int parts = here;
  if (plan.blocks > 1) {
    clear_state(states);  // what lies between members is copied, too
    sync_block();         // members written below are not cleared
  }
  if constexpr (is_running_v<F>) {
    parts = here < warps ? here : warps;
    if (warp < parts) {
      fold_large_running(f, view, size, first + warp, first + here, warps, states[warp]);
    }
  } else {
    MONOFOLD_ROLL
    for (int tile = warp; tile < here; tile += warps) {
      fold_large_tile(f, view, place_of_tile<View>(size, first + tile), states[tile]);
    }
  }
  sync_block();  // states written above are read below
  combine_in_memory(f, states, parts);
  if (plan.blocks == 1) {
    if (thread_rank() == 0) sink(f, states[0]);
    return;
  }
  copy_by_block(storage.states + blockIdx.x, states);
  sync_block();  // what is copied above is seen by whoever sees the ticket
  bool last = false;
  if (thread_rank() == 0) {
    last = take_ticket(storage.ticket) == static_cast<std::uint32_t>(plan.blocks - 1);
  }
  // What thread 0 of the last block acquired is behind this barrier seen by all its threads.
  if (!sync_block_any(last)) return;
  combine_in_memory(f, storage.states, plan.blocks);
  if (thread_rank() != 0) return;
  *storage.ticket = 0;
  sink(f, storage.states[0]);
}

}  // namespace monofold::detail
