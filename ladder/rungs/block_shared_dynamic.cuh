#pragma once
/// ladder/rungs/block_shared_dynamic: shared memory sized at the launch.
///
/// idea     The third launch parameter says how many bytes of shared memory a block has, so one
///          kernel serves any block size that is a power of two, and states of any size.
///              launch   blocks, B threads, B * sizeof(state) bytes  ->  c0 c1 ... cB-1
/// bytes    reads n items, writes n / B results
/// limit    barriers, as before: the memory is the same, only its size is settled later
/// mistake  Two `extern __shared__` arrays of different types under one name: they are one array.
/// next     uses cheaper barriers where only one warp is left.

#include "ladder/rung_call.cuh"
#include "ladder/rungs/block_shared.cuh"
#include "monofold/level/block_shared.cuh"

namespace monofold::ladder {

template <class F>
__global__ void block_shared_dynamic_kernel(F f, const typename F::item* items, std::int64_t n,
                                            typename F::state* results) {
  auto* const cells = static_cast<typename F::state*>(dynamic_shared());
  const int t = static_cast<int>(threadIdx.x);
  const int threads = static_cast<int>(blockDim.x);
  cells[t] = lifted_or_identity(f, items, std::int64_t{blockIdx.x} * threads + t, n);
  halve_shared(f, cells, threads);
  if (t == 0) results[blockIdx.x] = cells[0];
}

template <class F>
void block_shared_dynamic(rung_call<F>& call) {
  call.launch(block_shared_dynamic_kernel<F>, call.blocks_for(block_threads), block_threads,
              block_threads * sizeof(typename F::state), call.f, call.items, call.n, call.results);
}

}  // namespace monofold::ladder
