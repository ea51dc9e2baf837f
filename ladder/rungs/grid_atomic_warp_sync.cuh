#pragma once
/// ladder/rungs/grid_atomic_warp_sync: the same, on top of `block_shared_warp_sync`.
///
/// idea     The block ends with warp barriers instead of block barriers; then thread 0 adds its
///          result to the total.
///              d = 128 64 32 | 16 8 4 2 1 | atomic
///              block barrier | warp       | one thread
/// bytes    reads n items; n / B atomic operations on one word
/// limit    n / B atomics on one word; one item a thread
/// mistake  As before: float sums vary from run to run.
/// next     ends the block in registers.

#include "ladder/atomics.cuh"
#include "ladder/rung_call.cuh"
#include "ladder/rungs/block_shared_warp_sync.cuh"
#include "ladder/rungs/grid_atomic.cuh"

namespace monofold::ladder {

template <class F>
__global__ void grid_atomic_warp_sync_kernel(F f, const typename F::item* items, std::int64_t n,
                                             typename F::state* word) {
  __shared__ typename F::state cells[block_threads];
  const int t = static_cast<int>(threadIdx.x);
  cells[t] = lifted_or_identity(f, items, std::int64_t{blockIdx.x} * block_threads + t, n);
  halve_shared_by_warps(f, cells, block_threads);
  if (t == 0) combine_atomically(f, word, cells[0]);
}

template <class F>
void grid_atomic_warp_sync(rung_call<F>& call) {
  call.launch(write_identity_kernel<F>, 1, 1, 0, call.f, call.results);
  call.launch(grid_atomic_warp_sync_kernel<F>, call.blocks_for(block_threads), block_threads, 0,
              call.f, call.items, call.n, call.results);
}

}  // namespace monofold::ladder
