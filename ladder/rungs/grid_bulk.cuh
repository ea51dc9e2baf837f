#pragma once
/// ladder/rungs/grid_bulk: bulk copies into a ring of shared-memory stages, order kept.
///
/// idea     Each warp owns a contiguous part and a ring of four stages of 2 KiB. The copy engine
///          fills stages ahead while the warp folds the oldest: a lane 16 bytes of neighbours, then
///          shuffles.
///              ring     | full: folded now | on its way | on its way | on its way |
///              row      lane 0: x0..x3   lane 1: x4..x7  ...  lane 31: x124..x127     (int32)
/// bytes    reads n items, each through shared memory once; G partials; 32 KiB on their way a block
/// limit    memory; with small items the shuffles, five for each 16 bytes of a lane
/// mistake  Refilling a stage that lanes still read: a warp barrier stands between. Before compute
///          capability 9.0 the lanes copy themselves.
/// next     is the library, which chooses for you.

#include "ladder/bulk_copy.cuh"
#include "ladder/rung_call.cuh"
#include "ladder/rungs/grid_last_block.cuh"
#include "ladder/rungs/grid_vector.cuh"
#include "ladder/rungs/warp_shuffle.cuh"

namespace monofold::ladder {

inline constexpr int bulk_warps = bulk_threads / 32;
inline constexpr int bulk_blocks = 6;  // a multiprocessor; 6 x 32 KiB of its 228 KiB

template <class Item>
inline constexpr int stage_items = stage_bytes / static_cast<int>(sizeof(Item));
template <class Item>
using stage = bulk_stage<Item, stage_items<Item>>;

/// Lane 0 gets `before`, then items begin .. end - 1 in order. All lanes call it.
template <class F>
MONOFOLD_GPU typename F::state fold_run(const F& f, typename F::state before,
                                        const typename F::item* items, std::int64_t begin,
                                        std::int64_t end, int lane) {
  for (; begin < end; begin += 32) {
    before = f.combine(before, fold_lanes(f, lifted_or_identity(f, items, begin + lane, end)));
  }
  return before;
}

/// The same of a full stage.
template <class F>
MONOFOLD_GPU typename F::state fold_stage(const F& f, typename F::state before,
                                          const stage<typename F::item>& full, int lane) {
  constexpr int each =
      sizeof(typename F::item) >= 16 ? 1 : 16 / static_cast<int>(sizeof(typename F::item));
  MONOFOLD_UNROLL
  for (int row = 0; row < stage_items<typename F::item>; row += 32 * each) {
    const auto* const own = full.items + row + lane * each;
    auto run = f.lift(own[0]);
    MONOFOLD_UNROLL
    for (int i = 1; i < each; ++i) run = f.combine(run, f.lift(own[i]));
    before = f.combine(before, fold_lanes(f, run));
  }
  return before;
}

/// Stages first .. last - 1 of `items`, which are aligned to 16 bytes, through the ring.
template <class F>
MONOFOLD_GPU typename F::state fold_stages(const F& f, typename F::state before,
                                           const typename F::item* items, std::int64_t first,
                                           std::int64_t last, stage<typename F::item>* ring,
                                           std::uint64_t* arrivals, int lane) {
  constexpr int each = stage_items<typename F::item>;
  for (int s = 0; s < bulk_stages && first + s < last; ++s) {
    start_copy(ring[s], items + (first + s) * each, arrivals + s, lane);
  }
  for (std::int64_t at = first; at < last; ++at) {
    const auto turn = at - first;
    const auto s = static_cast<int>(turn % bulk_stages);
    await_copy(arrivals + s, turn / bulk_stages);
    before = fold_stage(f, before, ring[s], lane);
    __syncwarp();  // items read above are overwritten below
    if (at + bulk_stages < last) {
      start_copy(ring[s], items + (at + bulk_stages) * each, arrivals + s, lane);
    }
  }
  return before;
}

template <class F>
__global__ void __launch_bounds__(bulk_threads)
    grid_bulk_kernel(F f, const typename F::item* items, std::int64_t n,
                     typename F::state* partials, std::uint32_t* ticket,
                     typename F::state* result) {
  __shared__ stage<typename F::item> rings[bulk_warps][bulk_stages];
  __shared__ std::uint64_t arrivals[bulk_warps][bulk_stages];
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int warp = static_cast<int>(threadIdx.x) / 32;
  if (lane == 0) {
    for (auto& arrival : arrivals[warp]) open_arrival(&arrival);
  }
  __syncwarp();  // barrier objects made above are used below
  const std::int64_t parts = std::int64_t{gridDim.x} * bulk_warps;
  const std::int64_t part = std::int64_t{blockIdx.x} * bulk_warps + warp;
  const std::int64_t head = items_to_boundary(items, n);
  const std::int64_t stages = (n - head) / stage_items<typename F::item>;
  auto own = f.identity();
  if (part == 0) own = fold_run(f, own, items, 0, head, lane);
  own = fold_stages(f, own, items + head, stages * part / parts, stages * (part + 1) / parts,
                    rings[warp], arrivals[warp], lane);
  if (part == parts - 1) {
    own = fold_run(f, own, items, head + stages * stage_items<typename F::item>, n, lane);
  }
  if (lane == 0) partials[part] = own;
  __syncthreads();  // the partials of all warps lie before the ticket of thread 0
  if (!draw_last_ticket(ticket) || warp != 0) return;
  own = fold_run(joined<F>{f}, f.identity(), partials, 0, parts, lane);
  if (lane == 0) *result = own;
}

template <class F>
void grid_bulk(rung_call<F>& call) {
  const std::int64_t wanted = call.blocks_for(bulk_warps * stage_items<typename F::item>);
  const std::int64_t most = std::int64_t{bulk_blocks} * call.multiprocessors;
  call.launch(grid_bulk_kernel<F>, wanted < most ? wanted : most, bulk_threads, 0, call.f,
              call.items, call.n, call.partials, call.ticket, call.results);
}

}  // namespace monofold::ladder
