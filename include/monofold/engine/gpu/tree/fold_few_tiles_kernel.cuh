#pragma once
/// engine/gpu/tree/fold_few_tiles_kernel: the kernel for up to a few MiB, where latency counts.

#include <cstdint>
#include <type_traits>

#include "monofold/engine/gpu/kernel.cuh"
#include "monofold/engine/gpu/lane_best.cuh"
#include "monofold/engine/gpu/load.cuh"
#include "monofold/engine/gpu/mailbox.cuh"
#include "monofold/engine/gpu/tree/block_fold.cuh"
#include "monofold/engine/gpu/tree/fold_few_members.cuh"
#include "monofold/engine/gpu/tree/fold_members.cuh"
#include "monofold/engine/gpu/tree/fold_tiles_kernel.cuh"
#include "monofold/engine/gpu/tree/locate.cuh"
#include "monofold/engine/gpu/tree/warp_fold.cuh"
#include "monofold/engine/gpu/tree/warp_running.cuh"
#include "monofold/engine/gpu/tree/warp_tile.cuh"
#include "monofold/fold/fold.hpp"
#include "monofold/level/block.cuh"
#include "monofold/level/block_shared.cuh"
#include "monofold/level/lanes.cuh"
#include "monofold/level/thread.cuh"
#include "monofold/plan/launch.hpp"
#include "monofold/platform/host_device.hpp"

namespace monofold::detail {

/// How many of `here` tiles from tile `first` on are loaded by inlined code: those that are whole and aligned, or may
/// be filled up. The others are ragged, and take a function that is called.
template <class F, class View>
MONOFOLD_GPU int quick_tiles(const View& view, std::int64_t size, int first, int here) {
  if constexpr (is_padded_v<F, View>) {
    return bytes_past_16(view.data()) == 0 ? here : 0;
  } else {
    const int quick = static_cast<int>(warp_tile<View>::aligned_tiles(view, size)) - first;
    return quick < here ? quick : here;
  }
}

template <class F, class View>
MONOFOLD_GPU warp_tile<View> load_quick_tile(const View& view, std::int64_t size, int tile) {
  const tile_place place = place_of_tile<View>(size, tile);
  warp_tile<View> loaded(view, place);
  if constexpr (is_padded_v<F, View>) {
    load_filled<F>(loaded, place.count);
  } else {
    loaded.load_aligned();
  }
  return loaded;
}

/// Whether the index of an extremum is found while its tile is in registers. This takes less time for few tiles than to
/// load the tile once more in the end.
template <class F, class View>
inline constexpr bool finds_at_once_v = finds_extrema_v<F>&& warp_tile<View>::held;

/// Folds every `step`-th of `here` tiles from tile `first` on, beginning with number `tile` of them, by a running
/// state of the warp. The state is in lane 0; of extrema it has the index, if `finds_at_once_v`.
template <class F, class View>
MONOFOLD_GPU typename F::state fold_tiles_running(const F& f, const View& view, std::int64_t size,
                                                  int first, int here, int tile, int step) {
  const int quick = quick_tiles<F>(view, size, first, here);
  const auto ragged = [&] {
    return fold_ragged_tile(f, view, place_of_tile<View>(size, first + tile), nullptr);
  };
  if constexpr (finds_at_once_v<F, View>) {
    auto own = f.identity();
    MONOFOLD_ROLL
    for (; tile < quick; tile += step) {
      own = f.combine(own, extrema_of_tile<F, true>(load_quick_tile<F>(view, size, first + tile)));
    }
    MONOFOLD_ROLL
    for (; tile < here; tile += step) own = f.combine(own, ragged());
    return own;
  } else if constexpr (is_extreme_key_fold_v<F>) {
    // A look at each item of few tiles takes less than to tell first whether one may be better.
    auto own = f.identity();
    MONOFOLD_ROLL
    for (; tile < quick; tile += step) {
      own = f.combine(own, quick_best_in_lane<typename F::extremum>(
                               load_quick_tile<F>(view, size, first + tile)));
    }
    MONOFOLD_ROLL
    for (; tile < here; tile += step) own = f.combine(own, ragged());
    return extreme_of_lanes<F::extremum::picks_smallest>(own);
  } else {
    warp_running<F, View> own(f);
    MONOFOLD_ROLL
    for (; tile < quick; tile += step) {
      own.add(f, load_quick_tile<F>(view, size, first + tile));
    }
    MONOFOLD_ROLL
    for (; tile < here; tile += step) own.merge(f, ragged());
    return own.total(f);
  }
}

/// A view and its count, in as few bytes as possible. Parameters are read through a cache that is cold when a kernel
/// starts, and each 64 bytes of them take some 0.1 us.
template <class View>
struct sized_view {
  View view;
  std::int64_t size;
  MONOFOLD_GPU std::int64_t count() const { return size; }
};
template <class Item>
struct sized_view<contiguous_view<Item>> {
  contiguous_view<Item> view;
  MONOFOLD_GPU std::int64_t count() const { return view.size(); }
};
template <class View>
sized_view<View> sized(const View& view) {
  if constexpr (sizeof(sized_view<View>) == sizeof(View)) {
    return {view};
  } else {
    return {view, static_cast<std::int64_t>(view.size())};
  }
}

/// What the kernel needs of the launch, and handed_layout, in as few bytes as possible.
struct few_launch {
  std::int32_t tiles;
  std::uint32_t layout_and_level;  // whose low byte is the level of a block

  MONOFOLD_HD constexpr std::uint32_t layout() const { return layout_and_level & ~0xffu; }
  MONOFOLD_HD constexpr int block_level() const {
    return static_cast<int>(layout_and_level & 0xff);
  }
};

/// The sizes of fold, view and state in 24 bits. Different sizes have the same bits only where compilers differ by 512
/// bytes or more over a fold or a state, or by 64 or more over a view: each size has a field, from its lowest bit to
/// that of the next one.
template <class F, class View>
MONOFOLD_HD_CALL constexpr std::uint32_t few_layout_of() {
  constexpr handed_layout layout = handed_layout_of<F, View>();
  return (static_cast<std::uint32_t>(layout.fold_bytes) << 8) +
         (static_cast<std::uint32_t>(layout.view_bytes) << 17) +
         (static_cast<std::uint32_t>(layout.state_bytes) << 23);
}
template <class F, class View>
few_launch few_launch_of(const tile_launch& plan) {
  return {static_cast<std::int32_t>(plan.tiles),
          few_layout_of<F, View>() | static_cast<std::uint32_t>(plan.block_level)};
}

/// The shared memory of the kernel: staging of each warp, and a state for each tile or warp; later, in the same place,
/// what the last block receives by mail.
template <class F, class View>
constexpr int few_tiles_shared_bytes(const tile_launch& plan) {
  const int warps = plan.threads / warp_lanes;
  if constexpr (is_all_fold<F>::value) {
    const int own = few_places<F, View>::shared_bytes(warps, 1 << plan.block_level);
    const int met = plan.is_mailed ? mailed_members<F>::shared_bytes(plan.blocks) : 0;
    return own > met ? own : met;
  }
  constexpr auto each = static_cast<int>(sizeof(typename F::state));
  const int states = warps > 1 << plan.block_level ? warps : 1 << plan.block_level;
  const int own =
      (is_staged_v<F, View> ? warps * staging_bytes : 0) + in_chunks_of_16(states * each);
  const int heard = plan.is_mailed ? (static_cast<int>(plan.blocks) + warps) * each : 0;
  return own > heard ? own : in_chunks_of_16(heard);
}

/// The total of a block's tiles, in thread 0; and shared memory for states of its warps.
template <class State>
struct block_state {
  State total;
  State* states;
};
template <class F, class View>
MONOFOLD_GPU block_state<typename F::state> fold_few_tiles(const F& f, const View& view,
                                                           std::int64_t size, int first, int here) {
  using state = typename F::state;
  const auto rank = static_cast<int>(threadIdx.x);
  const int warps = block_warps();
  const int warp = block_warp();
  char* const shared = reinterpret_cast<char*>(dynamic_shared());
  constexpr int staging = is_staged_v<F, View> ? staging_bytes : 0;
  auto* const buffer = reinterpret_cast<bytes16*>(shared + warp * staging);
  auto* const states = reinterpret_cast<state*>(shared + warps * staging);
  const int parts = is_running_v<F> && here > warps ? warps : here;
  state own;
  if constexpr (is_running_v<F>) {
    if (warp < parts) {
      own = fold_tiles_running(f, view, size, first, here, warp, warps);
      if (parts > 1 && rank % warp_lanes == 0) states[warp] = own;
    }
  } else {
    const int quick = quick_tiles<F>(view, size, first, here);
    int tile = warp;
    MONOFOLD_ROLL
    for (; tile < quick; tile += warps) {
      auto loaded = load_quick_tile<F>(view, size, first + tile);
      if constexpr (is_staged_v<F, View>) loaded.stage(buffer);
      own = fold_loaded_tile<true>(f, loaded, buffer);
      if (parts > 1 && rank % warp_lanes == 0) states[tile] = own;
    }
    // Calls take registers that loads in flight need: a loop of its own.
    MONOFOLD_ROLL
    for (; tile < here; tile += warps) {
      own = fold_ragged_tile(f, view, place_of_tile<View>(size, first + tile), buffer);
      if (parts > 1 && rank % warp_lanes == 0) states[tile] = own;
    }
  }
  if (parts > 1) {
    sync_block();  // states written above are read below
    if (warp == 0) own = warp::combine(f, states[rank < parts ? rank : 0], parts);
  }
  return {own, states};
}

/// Posts the state of this block's tiles; the last block waits for those of all blocks, joins them and calls
/// then(total), with the total in thread 0.
///
/// order      the plan's tree
/// sync       all threads of the block
template <class F, class View, class MailStorage, class Then>
MONOFOLD_GPU void fold_mailed_tiles(const F& f, const View& view, std::int64_t size,
                                    const few_launch& plan, const MailStorage& mail_storage,
                                    const Then& then) {
  using state = typename F::state;
  const mailbox<state> mail{mail_storage.boxes(), mail_storage.read_call()};
  const auto rank = static_cast<int>(threadIdx.x);
  const auto blocks = static_cast<int>(gridDim.x);
  const auto block = static_cast<int>(blockIdx.x);
  const int first = block << plan.block_level();
  const int here = tiles_here(plan.tiles, first, plan.block_level());
  const auto own = fold_few_tiles(f, view, size, first, here);
  if (rank < warp_lanes) mail.post(block, own.total, own.states);
  if (block + 1 != blocks) return;
  sync_block();  // states read above are overwritten below
  state total;
  auto* spare = reinterpret_cast<state*>(dynamic_shared());
  if constexpr (mailbox<state>::words > 4) {
    mail.wait_all(0, blocks, spare);
    sync_block();  // states written above are read below
    if (rank < blocks) total = spare[rank];
    spare += blocks;
  } else {
    total = mail.wait(rank, rank < blocks);
  }
  total = combine_block(f, total, blocks, spare, rank);
  mail_storage.end_call(mail.call);
  then(total);
}

/// How many threads a block of this kernel has at most, and how many blocks must fit a multiprocessor. That leaves 128
/// registers a thread, so that none are spilled around the call for ragged tiles.
template <class F, class View>
inline constexpr int most_few_threads = max_few_threads(launch_facts_v<F, View>);
template <class F, class View>
inline constexpr int few_resident_blocks = most_few_threads<F, View> > 256 ? 1 : 2;

/// One block folds all tiles; or, with a `mailbox_storage`, blocks post their states and the last block joins them.
/// Hardware starts blocks in order, so whoever the last one waits for is running or done.
///
/// shape      blocks of up to 32 tiles, 2^block_level; no more blocks than threads of a block
/// order      the plan's tree
template <class F, class View, class MailStorage, class Sink>
__global__ void __launch_bounds__(most_few_threads<F, View>, few_resident_blocks<F, View>)
    fold_few_tiles_kernel(const few_launch plan, const sized_view<View> range,
                          const MailStorage mail_storage, const Sink sink, const F f) {
  using state = typename F::state;
  let_next_launch_begin();
  if (plan.layout() != few_layout_of<F, View>()) trap();  // reads parameters in good time
  wait_for_launches_before();
  const std::int64_t size = range.count();
  const auto rank = static_cast<int>(threadIdx.x);
  const auto finally = [&](const state& total) {
    if constexpr (finds_at_once_v<F, View>) {
      if (rank == 0) sink(f, total);
    } else {
      if (rank < warp_lanes) store_total(f, range.view, size, total, sink);
    }
  };
  if constexpr (is_all_fold<F>::value) {
    if constexpr (std::is_same_v<MailStorage, no_mailbox_storage>) {
      const auto* const whole =
          fold_few_members(f, range.view, size, plan.tiles, plan.block_level());
      if (rank == 0) sink(f, *whole);
    } else {
      // Read early: it takes as long as items do. The last block writes it when all have read it.
      const mailbox<state> mail{mail_storage.boxes(), mail_storage.read_call()};
      const auto* const own = fold_few_members(f, range.view, size, plan.tiles, plan.block_level());
      store_mailed_total(f, own, static_cast<int>(gridDim.x), mail, mail_storage, member_as_it_is{},
                         sink);
    }
  } else if constexpr (std::is_same_v<MailStorage, no_mailbox_storage>) {
    finally(fold_few_tiles(f, range.view, size, 0, plan.tiles).total);
  } else {
    fold_mailed_tiles(f, range.view, size, plan, mail_storage, finally);
  }
}

}  // namespace monofold::detail
