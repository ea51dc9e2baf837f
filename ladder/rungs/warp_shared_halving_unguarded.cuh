#pragma once
/// ladder/rungs/warp_shared_halving_unguarded: the same with one lane test in all.
///
/// idea     Lanes 0 to 15 do every step; from the second on, most of them compute values that
///          nobody reads. That is cheaper than a test a step.
///              d = 8    0+8 1+9 ... 7+15 | 8+16 ... 15+23    right of | nobody reads
///              d = 4    0+4 ... 3+7      | 4+8  ... 15+19
/// bytes    as before; lane 15 reads no further than cell 31. With no test at all lane 31 would
///          read cell 47: then 16 cells of padding must be there
/// limit    latency, as before
/// mistake  One barrier a step. Lane 8 writes cell 8 in the step in which lane 0 reads it: reads
///          and writes of a step need a barrier between them too.
/// next     joins neighbours first, so that operators that are not commutative are right too.

#include "ladder/rung_call.cuh"

namespace monofold::ladder {

template <class F>
__global__ void warp_shared_halving_unguarded_kernel(F f, const typename F::item* items,
                                                     std::int64_t n, typename F::state* result) {
  __shared__ typename F::state cells[32];
  const int lane = static_cast<int>(threadIdx.x);
  cells[lane] = lifted_or_identity(f, items, lane, n);
  __syncwarp();  // cells written above are read by other lanes below
  if (lane < 16) {
    for (int d = 16; d > 0; d /= 2) {
      const auto both = f.combine(cells[lane], cells[lane + d]);
      __syncwarp(0x0000ffffu);  // cells read above are overwritten below
      cells[lane] = both;
      __syncwarp(0x0000ffffu);  // cells written above are read in the next step
    }
  }
  if (lane == 0) *result = cells[0];
}

template <class F>
void warp_shared_halving_unguarded(rung_call<F>& call) {
  call.launch(warp_shared_halving_unguarded_kernel<F>, 1, 32, 0, call.f, call.items, call.n,
              call.results);
}

}  // namespace monofold::ladder
