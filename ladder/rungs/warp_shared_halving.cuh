#pragma once
/// ladder/rungs/warp_shared_halving: 32 values in shared memory, folded by interval halving.
///
/// idea     The lower half of the lanes adds what the upper half has, then half of those, until
///          lane 0 has everything. Each step has a lane test of its own.
///              lane     0   1  ...  15  16  17 ... 31
///              d = 16   0+16    ...  15+31
///              d = 8    0+8   ...  7+15                  d = 4, 2, 1: lane 0 has all
/// bytes    reads 32 items, writes 1 state; 256 B to 1 KiB of shared memory, 5 steps
/// limit    latency: five round trips to shared memory with a barrier each
/// mistake  `volatile` and no barrier, trusting the warp to run in lockstep. Since Volta lanes may
///          diverge: a lane may read a cell before its neighbour has written it. The cure is a
///          __syncwarp between the writes of a step and the reads of the next.
/// next     does without the lane tests, which cost a comparison and a predicate a step.

#include "ladder/rung_call.cuh"

namespace monofold::ladder {

template <class F>
__global__ void warp_shared_halving_kernel(F f, const typename F::item* items, std::int64_t n,
                                           typename F::state* result) {
  __shared__ typename F::state cells[32];
  const int lane = static_cast<int>(threadIdx.x);
  cells[lane] = lifted_or_identity(f, items, lane, n);
  __syncwarp();  // cells written above are read by other lanes below
  for (int d = 16; d > 0; d /= 2) {
    if (lane < d) cells[lane] = f.combine(cells[lane], cells[lane + d]);
    __syncwarp();  // cells written in this step are read in the next
  }
  if (lane == 0) *result = cells[0];
}

template <class F>
void warp_shared_halving(rung_call<F>& call) {
  call.launch(warp_shared_halving_kernel<F>, 1, 32, 0, call.f, call.items, call.n, call.results);
}

}  // namespace monofold::ladder
