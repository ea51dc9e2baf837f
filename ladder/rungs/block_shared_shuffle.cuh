#pragma once
/// ladder/rungs/block_shared_shuffle: shared memory down to 32 values, then registers.
///
/// idea     The last warp takes its 32 cells into registers and finishes by shuffles: no memory and
///          no barrier in the last five steps.
///              d = 128  64  32 | 1  2  4  8  16
///              shared memory   | shuffles of the first warp
/// bytes    reads n items, writes n / B results
/// limit    one item a thread: loads are too few to keep memory busy while the tree is built
/// mistake  A full mask in a branch that only some lanes of the warp enter: here the whole warp
///          does.
/// next     gives each thread more than one item.

#include "ladder/rung_call.cuh"
#include "ladder/rungs/warp_shuffle.cuh"

namespace monofold::ladder {

/// The fold of all cells, in thread 0. All threads of the block call it, each having written its
/// own.
template <class F>
MONOFOLD_GPU typename F::state fold_shared(const F& f, typename F::state* cells, int threads) {
  const int t = static_cast<int>(threadIdx.x);
  for (int d = threads / 2; d >= 32; d /= 2) {
    __syncthreads();  // cells written before are read below
    if (t < d) cells[t] = f.combine(cells[t], cells[t + d]);
  }
  auto own = cells[t];  // its own, which it wrote itself
  if (t < 32) own = fold_lanes(f, own);
  return own;
}

template <class F>
__global__ void block_shared_shuffle_kernel(F f, const typename F::item* items, std::int64_t n,
                                            typename F::state* results) {
  __shared__ typename F::state cells[block_threads];
  const int t = static_cast<int>(threadIdx.x);
  cells[t] = lifted_or_identity(f, items, std::int64_t{blockIdx.x} * block_threads + t, n);
  const auto total = fold_shared(f, cells, block_threads);
  if (t == 0) results[blockIdx.x] = total;
}

template <class F>
void block_shared_shuffle(rung_call<F>& call) {
  call.launch(block_shared_shuffle_kernel<F>, call.blocks_for(block_threads), block_threads, 0,
              call.f, call.items, call.n, call.results);
}

}  // namespace monofold::ladder
