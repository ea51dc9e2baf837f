#pragma once
/// ladder/rungs/block_global_constant_bounds: the same with a block size that the compiler knows.
///
/// idea     The number of threads is a template argument, so the loop has a known number of steps
///          and is unrolled; the distance is halved by a shift.
///              d = 128, 64, 32, 16, 8, 4, 2, 1        eight steps, no loop counter
/// bytes    as before, its input destroyed likewise
/// limit    global memory, as before: there was little to gain
/// mistake  A launch with another number of threads than the template's.
/// next     copies the values to shared memory first.

#include "ladder/rung_call.cuh"

namespace monofold::ladder {

template <int threads, class F>
__global__ void block_global_constant_bounds_kernel(F f, typename F::state* values,
                                                    typename F::state* results) {
  const int t = static_cast<int>(threadIdx.x);
  auto* const own = values + std::int64_t{blockIdx.x} * threads;
  MONOFOLD_UNROLL
  for (int d = threads >> 1; d > 0; d >>= 1) {
    if (t < d) own[t] = f.combine(own[t], own[t + d]);
    __syncthreads();  // values written in this step are read in the next
  }
  if (t == 0) results[blockIdx.x] = own[0];
}

template <class F>
void block_global_constant_bounds(rung_call<F>& call) {
  call.launch(block_global_constant_bounds_kernel<block_threads, F>, call.n / block_threads,
              block_threads, 0, call.f, call.lifted, call.results);
}

}  // namespace monofold::ladder
