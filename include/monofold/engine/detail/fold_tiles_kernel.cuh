#pragma once
/// engine/detail/fold_tiles_kernel: the kernel that folds a view, and where it leaves the result.

#include <cstdint>
#include <type_traits>

#include "monofold/fold/all.hpp"
#include "monofold/fold/fold.hpp"
#include "monofold/level/block.cuh"
#include "monofold/level/grid.cuh"
#include "monofold/level/load.cuh"
#include "monofold/level/thread.cuh"
#include "monofold/level/warp_fold.cuh"
#include "monofold/plan/launch.hpp"
#include "monofold/plan/tiles.hpp"
#include "monofold/platform/host_device.hpp"

namespace monofold::detail {

/// The bytes of a lane's accumulators.
template <class F, class Item>
struct lane_accumulators {
  static constexpr int bytes =
      slot_shape<F, Item>::chains * static_cast<int>(sizeof(accumulator_t<F>));
};
template <class... Folds, class Item>
struct lane_accumulators<all_fold<Folds...>, Item> {
  static constexpr int largest() {
    int most = 0;
    for (const int own : {lane_accumulators<Folds, Item>::bytes...}) most = own > most ? own : most;
    return most;
  }
  static constexpr int bytes = largest();
};

template <class F, class View>
inline constexpr launch_facts launch_facts_v{static_cast<int>(sizeof(typename F::state)),
                                             lane_accumulators<F, typename View::item_type>::bytes,
                                             is_staged_v<F, View>};

/// Leaves the state where the host or a kernel reads it. A flag, if there is one, follows the state.
template <class State>
struct state_sink {
  State* out;
  std::uint32_t* flag = nullptr;
  std::uint32_t raised = 0;

  template <class F>
  MONOFOLD_DEVICE void operator()(const F&, const State& total) const {
    *out = total;
    if (flag == nullptr) return;
#if defined(__CUDA_ARCH__)
    __threadfence_system();  // a reader of the flag, on the host too, sees the state written above
#endif
    *static_cast<volatile std::uint32_t*>(flag) = raised;
  }
};

/// Leaves the finished answer: a value, or a `result` where the fold's `finish` gives one.
template <class Answer>
struct answer_sink {
  Answer* out;

  template <class F>
  MONOFOLD_DEVICE void operator()(const F& f, const typename F::state& total) const {
    *out = finish_raw(f, total);
  }
};

MONOFOLD_DEVICE bytes16* dynamic_shared() {
  extern __shared__ bytes16 monofold_dynamic_shared[];
  return monofold_dynamic_shared;
}

/// How the host's compiler lays out what it hands to a kernel. Compilers differ over empty members
/// marked [[no_unique_address]] and over what derives from a type with padding at its end.
struct handed_layout {
  int fold_bytes;
  int view_bytes;
  int state_bytes;
  friend constexpr bool operator==(const handed_layout&, const handed_layout&) = default;
};
template <class F, class View>
MONOFOLD_HD_CALL constexpr handed_layout handed_layout_of() {
  return {static_cast<int>(sizeof(F)), static_cast<int>(sizeof(View)),
          static_cast<int>(sizeof(typename F::state))};
}

/// Folds a view: a tile a warp, a node of tiles a block, the nodes by the block that ends last.
///
/// shape      plan: launch_for(tiles of the view); storage: unused where there is one block
/// errors     traps where the host's compiler lays out its arguments otherwise: results would be wrong
/// order      the plan's tree, whatever the launch
template <class F, class View, class Sink>
__global__ void __launch_bounds__(max_block_threads(launch_facts_v<F, View>), min_resident_blocks)
    fold_tiles_kernel(const F f, const View view, const std::int64_t size, const tile_launch plan,
                      const handed_layout layout, const grid_storage<typename F::state> storage,
                      const Sink sink) {
  using state = typename F::state;
  if (layout != handed_layout_of<F, View>()) trap();
  constexpr int tile_items = warp_tile<View>::tile_items;
  const int warps = plan.threads / warp_lanes;
  const int rank = static_cast<int>(threadIdx.x);
  const int warp = rank / warp_lanes;

  // Shared memory: staging of each warp, states of the block's tiles, states of its warps.
  bytes16* const shared = dynamic_shared();
  constexpr int staging = is_staged_v<F, View> ? staging_bytes / int{sizeof(bytes16)} : 0;
  bytes16* const buffer = shared + warp * staging;
  auto* const tile_states = reinterpret_cast<state*>(shared + warps * staging);
  state* const warp_states = tile_states + (1 << plan.block_level);

  const std::int64_t first = std::int64_t{blockIdx.x} << plan.block_level;
  const std::int64_t left = plan.tiles - first;
  const int here = left < (1 << plan.block_level) ? static_cast<int>(left) : 1 << plan.block_level;
  MONOFOLD_ROLL
  for (int tile = warp; tile < here; tile += warps) {
    const std::int64_t at = (first + tile) * tile_items;
    const int count = size - at < tile_items ? static_cast<int>(size - at) : tile_items;
    const state own = fold_warp_tile(f, view, tile_place{at, size, count}, buffer);
    if (rank % warp_lanes == 0) tile_states[tile] = own;
  }
  sync_block();  // states of tiles written above are read below
  state total = tile_states[rank < here ? rank : 0];
  total = combine_block(f, total, here, warp_states);
  if (plan.blocks > 1) {
    sync_block();  // states of warps read above are overwritten below
    if (!combine_grid(f, state(total), storage, warp_states, total)) return;
  }
  if (rank == 0) sink(f, total);
}

/// The result of no items.
template <class F, class Sink>
__global__ void fold_nothing_kernel(const F f, const Sink sink) {
  sink(f, f.identity());
}

}  // namespace monofold::detail
