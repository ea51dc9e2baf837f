#pragma once
/// ladder/rungs/block_shared: interval halving in shared memory.
///
/// idea     Each thread copies one item to shared memory, the identity past n; the tree is built
///          there. Active threads are the first ones, so whole warps fall idle.
///              global   x0  x1  ... xB-1             read once, neighbours by neighbours
///              shared   c0  c1  ... cB-1             c[t] = c[t] + c[t + d], d = B/2 ... 1
/// bytes    reads n items, writes n / B results; input untouched, any n
/// limit    barriers: eight of them for one item a thread, and most threads only wait
/// mistake  `if (t < d) { ...; __syncthreads(); }`: threads that are not in the branch never reach
///          the barrier. It stands outside, for all threads.
/// next     leaves the size of the block to the launch.

#include "ladder/rung_call.cuh"

namespace monofold::ladder {

/// Cell 0 gets the fold of all cells, in thread 0; other threads must not read it before a barrier.
/// All threads of the block call it, each having written its own cell.
template <class F>
MONOFOLD_GPU void halve_shared(const F& f, typename F::state* cells, int threads) {
  const int t = static_cast<int>(threadIdx.x);
  for (int d = threads / 2; d > 0; d /= 2) {
    __syncthreads();  // cells written before are read below
    if (t < d) cells[t] = f.combine(cells[t], cells[t + d]);
  }
}

template <class F>
__global__ void block_shared_kernel(F f, const typename F::item* items, std::int64_t n,
                                    typename F::state* results) {
  __shared__ typename F::state cells[block_threads];
  const int t = static_cast<int>(threadIdx.x);
  cells[t] = lifted_or_identity(f, items, std::int64_t{blockIdx.x} * block_threads + t, n);
  halve_shared(f, cells, block_threads);
  if (t == 0) results[blockIdx.x] = cells[0];
}

template <class F>
void block_shared(rung_call<F>& call) {
  call.launch(block_shared_kernel<F>, call.blocks_for(block_threads), block_threads, 0, call.f,
              call.items, call.n, call.results);
}

}  // namespace monofold::ladder
