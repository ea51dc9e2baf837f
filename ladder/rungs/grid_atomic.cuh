#pragma once
/// ladder/rungs/grid_atomic: each block adds its result to one word, atomically.
///
/// idea     Thread 0 of each block combines the block's result with the total by an atomic
///          operation, in whatever order blocks end. There are no partials and no second pass over
///          them.
///              block   0   7   1   3  ...        in the order in which they end
///              word    0 + p0 + p7 + p1 + p3 ...
/// bytes    reads n items; n / B atomic operations on one word, which the identity must be written
///          to before each call: a launch more
/// limit    atomics on one word take turns in the second-level cache: n / B of them
/// mistake  Expecting the same bits twice: floating-point addition is not associative, so a float
///          sum varies from run to run with the order of blocks.
/// next     ends the block with warp barriers.

#include "ladder/atomics.cuh"
#include "ladder/rung_call.cuh"
#include "ladder/rungs/block_shared.cuh"

namespace monofold::ladder {

template <class F>
__global__ void write_identity_kernel(F f, typename F::state* word) {
  *word = f.identity();
}

template <class F>
__global__ void grid_atomic_kernel(F f, const typename F::item* items, std::int64_t n,
                                   typename F::state* word) {
  __shared__ typename F::state cells[block_threads];
  const int t = static_cast<int>(threadIdx.x);
  cells[t] = lifted_or_identity(f, items, std::int64_t{blockIdx.x} * block_threads + t, n);
  halve_shared(f, cells, block_threads);
  if (t == 0) combine_atomically(f, word, cells[0]);
}

template <class F>
void grid_atomic(rung_call<F>& call) {
  call.launch(write_identity_kernel<F>, 1, 1, 0, call.f, call.results);
  call.launch(grid_atomic_kernel<F>, call.blocks_for(block_threads), block_threads, 0, call.f,
              call.items, call.n, call.results);
}

}  // namespace monofold::ladder
