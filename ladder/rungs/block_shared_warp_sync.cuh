#pragma once
/// ladder/rungs/block_shared_warp_sync: block barriers down to 32 values, then warp barriers.
///
/// idea     Once 32 values are left, one warp does the rest: lanes of a warp wait for each other by
///          __syncwarp, which costs a fraction of a barrier of the whole block.
///              d = 128  64  32 | 16  8  4  2  1
///              __syncthreads   | __syncwarp, first warp alone
/// bytes    reads n items, writes n / B results
/// limit    barriers: four of eight are cheap now
/// mistake  Leaving the barriers out below 32, as codes from before Volta do.
/// next     lets the last warp finish in registers.

#include "ladder/rung_call.cuh"

namespace monofold::ladder {

/// Cell 0 gets the fold of all cells, in thread 0. All threads call it, each having written its
/// own.
template <class F>
MONOFOLD_GPU void halve_shared_by_warps(const F& f, typename F::state* cells, int threads) {
  const int t = static_cast<int>(threadIdx.x);
  for (int d = threads / 2; d >= 32; d /= 2) {
    __syncthreads();  // cells written before are read below
    if (t < d) cells[t] = f.combine(cells[t], cells[t + d]);
  }
  if (t >= 32) return;
  for (int d = 16; d > 0; d /= 2) {
    __syncwarp();  // cells written before, by lanes of this warp, are read below
    if (t < d) cells[t] = f.combine(cells[t], cells[t + d]);
  }
}

template <class F>
__global__ void block_shared_warp_sync_kernel(F f, const typename F::item* items, std::int64_t n,
                                              typename F::state* results) {
  __shared__ typename F::state cells[block_threads];
  const int t = static_cast<int>(threadIdx.x);
  cells[t] = lifted_or_identity(f, items, std::int64_t{blockIdx.x} * block_threads + t, n);
  halve_shared_by_warps(f, cells, block_threads);
  if (t == 0) results[blockIdx.x] = cells[0];
}

template <class F>
void block_shared_warp_sync(rung_call<F>& call) {
  call.launch(block_shared_warp_sync_kernel<F>, call.blocks_for(block_threads), block_threads, 0,
              call.f, call.items, call.n, call.results);
}

}  // namespace monofold::ladder
