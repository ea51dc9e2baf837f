#pragma once
/// engine/gpu/tree/fold_few_tiles_kernel: the kernels for up to some MiB, where latency counts.

#include <cstdint>
#include <type_traits>

#include "monofold/engine/gpu/kernel.cuh"
#include "monofold/engine/gpu/mailbox.cuh"
#include "monofold/engine/gpu/tree/fold_tiles_kernel.cuh"
#include "monofold/engine/gpu/tree/warp_fold.cuh"
#include "monofold/engine/gpu/tree/warp_running.cuh"
#include "monofold/engine/gpu/tree/warp_tile.cuh"
#include "monofold/fold/fold.hpp"
#include "monofold/level/block.cuh"
#include "monofold/level/thread.cuh"
#include "monofold/plan/launch.hpp"
#include "monofold/platform/host_device.hpp"

namespace monofold::detail {

/// How many threads a block has that meets others by mail.
inline constexpr int mailed_threads = 256;

/// The state of tile `tile` of a view, in lane 0.
template <class F, class View>
MONOFOLD_GPU typename F::state fold_tile_of(const F& f, const View& view, std::int64_t size,
                                            std::int64_t tile, bytes16* buffer) {
  constexpr int tile_items = warp_tile<View>::tile_items;
  const std::int64_t at = tile * tile_items;
  const int count = size - at < tile_items ? static_cast<int>(size - at) : tile_items;
  warp_tile<View> loaded(view, tile_place{at, size, tile_items});
  if constexpr (is_padded_v<F, View>) {
    if (bytes_past_16(view.data()) != 0) {
      return fold_ragged_tile(f, view, tile_place{at, size, count}, buffer);
    }
    loaded.load_padded(count, f.padding());
  } else {
    if (tile >= warp_tile<View>::aligned_tiles(view, size)) {
      return fold_ragged_tile(f, view, tile_place{at, size, count}, buffer);
    }
    loaded.load_aligned();
  }
  if constexpr (is_running_v<F>) {
    warp_running<F, View> own(f);
    own.add(f, loaded);
    return own.total(f);
  } else {
    if constexpr (is_staged_v<F, View>) loaded.stage(buffer);
    return fold_loaded_tile<true>(f, loaded, buffer);
  }
}

/// The state of every mailed_threads / 32-th tile from `tile` to `end`, in lane 0, where a warp may keep
/// a running one.
template <class F, class View>
MONOFOLD_GPU typename F::state fold_tiles_running(const F& f, const View& view, std::int64_t size,
                                                  std::int64_t tile, std::int64_t end) {
  constexpr int tile_items = warp_tile<View>::tile_items;
  constexpr int warps = mailed_threads / warp_lanes;
  const std::int64_t aligned = warp_tile<View>::aligned_tiles(view, size);
  warp_running<F, View> own(f);
  MONOFOLD_ROLL
  for (; tile < end && tile < aligned; tile += warps) {
    warp_tile<View> loaded(view, tile_place{tile * tile_items, size, tile_items});
    loaded.load_aligned();
    own.add(f, loaded);
  }
  MONOFOLD_ROLL
  for (; tile < end; tile += warps) {
    own.merge(f, fold_tile_of(f, view, size, tile, nullptr));
  }
  return own.total(f);
}

/// A state that fits so many bytes goes by mail.
inline constexpr int max_mailed_bytes = 16;

/// A view with its count, as these kernels get it. Parameters are read through a cache that is cold when
/// a kernel starts, and each 64 bytes cost some 0.1 us: these kernels get less.
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

/// The launch in as few bytes; and handed_layout, cut down.
struct few_launch {
  std::int32_t tiles;
  std::uint16_t blocks;
  std::uint8_t block_level;
  std::uint8_t layout;
};
template <class F, class View>
MONOFOLD_HD_CALL constexpr std::uint8_t few_layout_of() {
  constexpr handed_layout layout = handed_layout_of<F, View>();
  return static_cast<std::uint8_t>(layout.fold_bytes + 3 * layout.view_bytes +
                                   7 * layout.state_bytes);
}
template <class F, class View>
few_launch few_launch_of(const tile_launch& plan) {
  return {static_cast<std::int32_t>(plan.tiles), static_cast<std::uint16_t>(plan.blocks),
          static_cast<std::uint8_t>(plan.block_level), few_layout_of<F, View>()};
}

/// The shared memory of these kernels: staging, and a state a tile and warp.
template <class F, class View>
constexpr int few_tiles_shared_bytes(const tile_launch& plan) {
  const int warps = plan.threads / warp_lanes;
  const int states = warps > 1 << plan.block_level ? warps : 1 << plan.block_level;
  return (is_staged_v<F, View> ? warps * staging_bytes : 0) +
         in_chunks_of_16(states * static_cast<int>(sizeof(typename F::state)));
}

/// One block, a tile a warp.
///
/// shape      tiles: 1 to the number of warps, 2^block_level
/// order      the plan's tree
template <class F, class View, class Sink>
__global__ void __launch_bounds__(max_block_threads(launch_facts_v<F, View>), min_resident_blocks)
    fold_few_tiles_kernel(const few_launch plan, const sized_view<View> range, const Sink sink,
                          const F f) {
  using state = typename F::state;
  let_next_launch_begin();
  if (plan.layout != few_layout_of<F, View>()) trap();  // reads parameters in good time
  wait_for_launches_before();
  const int rank = static_cast<int>(threadIdx.x);
  const int warp = rank / warp_lanes;
  char* const shared = reinterpret_cast<char*>(dynamic_shared());
  constexpr int staging = is_staged_v<F, View> ? staging_bytes : 0;
  auto* const states = reinterpret_cast<state*>(shared + (staging << plan.block_level));

  state total;
  if (warp < plan.tiles) {
    total = fold_tile_of(f, range.view, range.count(), warp,
                         reinterpret_cast<bytes16*>(shared + warp * staging));
  }
  if (plan.tiles > 1) {
    if (rank % warp_lanes == 0 && warp < plan.tiles) states[warp] = total;
    sync_block();  // states of tiles written above are read below
    if (warp != 0) return;
    total = warp::combine(f, states[rank < plan.tiles ? rank : 0], plan.tiles);
  }
  if (rank == 0) sink(f, total);
}

/// Blocks post their states; the last block joins them. Hardware starts blocks in order, so whoever
/// the last one waits for is running or done.
///
/// shape      blocks of mailed_threads and up to 32 tiles, 2^block_level; no more blocks than threads of
///            a block
/// order      the plan's tree
template <class F, class View, class Sink>
__global__ void __launch_bounds__(mailed_threads, min_resident_blocks)
    fold_mailed_kernel(const few_launch plan, const sized_view<View> range, const mail_room room,
                       const Sink sink, const F f) {
  using state = typename F::state;
  let_next_launch_begin();
  if (plan.layout != few_layout_of<F, View>()) trap();  // reads parameters in good time
  wait_for_launches_before();
  // Read early: it takes as long as items do. The last block writes it when all have read it.
  const mailbox<state> mail{room.boxes(), room.read_call()};
  constexpr int warps = mailed_threads / warp_lanes;
  const int rank = static_cast<int>(threadIdx.x);
  const int block = static_cast<int>(blockIdx.x);
  const int warp = rank / warp_lanes;
  char* const shared = reinterpret_cast<char*>(dynamic_shared());
  constexpr int staging = is_staged_v<F, View> ? staging_bytes : 0;
  auto* const buffer = reinterpret_cast<bytes16*>(shared + warp * staging);
  auto* const states = reinterpret_cast<state*>(shared + warps * staging);

  const int first = block << plan.block_level;
  const int here = tiles_here(plan.tiles, first, plan.block_level);
  int parts = here;
  if constexpr (is_running_v<F>) {
    if (parts > warps) parts = warps;
    if (warp < parts) {
      const state own =
          fold_tiles_running(f, range.view, range.count(), first + warp, first + here);
      if (rank % warp_lanes == 0) states[warp] = own;
    }
  } else {
    MONOFOLD_ROLL
    for (int tile = warp; tile < here; tile += warps) {
      const state own = fold_tile_of(f, range.view, range.count(), first + tile, buffer);
      if (rank % warp_lanes == 0) states[tile] = own;
    }
  }
  if (parts > 1) sync_block();  // states written above are read below
  if (warp == 0) {
    sync_warp();
    const state own =
        parts > 1 ? warp::combine(f, states[rank < parts ? rank : 0], parts) : states[0];
    if (rank == 0) mail.post(block, own);
  }
  const int blocks = plan.blocks;
  if (block + 1 != blocks) return;

  sync_block();  // states read above are overwritten below
  state total;
  if (rank < blocks) total = mail.wait(rank);
  total = combine_block(f, total, blocks, states);
  room.end_call(mail.call);
  if (rank != 0) return;
  sink(f, total);
}

}  // namespace monofold::detail
