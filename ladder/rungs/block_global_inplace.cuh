#pragma once
/// ladder/rungs/block_global_inplace: interval halving in global memory, a block for each B values.
///
/// idea     Thread t adds the value B / 2 further to its own, in place, then B / 4, ..., 1; a block
///          barrier ends each step. Thread 0 writes the block's result; n / B blocks do so.
///              t        0      1    ...  B/2-1 | B/2 ... B-1
///              d = B/2  0+B/2  1+B/2 ... B/2-1+B-1     then d = B/4, ..., 1: value 0 has all
/// bytes    reads 2 n and writes n states in all steps together, and n / B results. Destroys its
///          input (here a copy of the items as states, made anew for each call and not timed)
/// limit    global memory: every step goes there, or to the cache, and waits
/// mistake  There is no bounds test: n must be a multiple of B, or the last block reads past n.
/// next     lets the compiler see the number of steps.

#include "ladder/rung_call.cuh"

namespace monofold::ladder {

template <class F>
__global__ void block_global_inplace_kernel(F f, typename F::state* values,
                                            typename F::state* results) {
  const int t = static_cast<int>(threadIdx.x);
  auto* const own = values + std::int64_t{blockIdx.x} * blockDim.x;
  for (int d = static_cast<int>(blockDim.x) / 2; d > 0; d /= 2) {
    if (t < d) own[t] = f.combine(own[t], own[t + d]);
    __syncthreads();  // values written in this step are read in the next
  }
  if (t == 0) results[blockIdx.x] = own[0];
}

template <class F>
void block_global_inplace(rung_call<F>& call) {
  call.launch(block_global_inplace_kernel<F>, call.n / block_threads, block_threads, 0, call.f,
              call.lifted, call.results);
}

}  // namespace monofold::ladder
