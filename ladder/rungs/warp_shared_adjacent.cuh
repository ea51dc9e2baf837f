#pragma once
/// ladder/rungs/warp_shared_adjacent: neighbours first, so that order is kept.
///
/// idea     Lane l joins its cell with the one d further, d = 1, 2, 4, 8, 16; active are the
///          multiples of 2 d. The left operand is always the lower index, and every cell is a run
///          of neighbours.
///              cell    0   1   2   3   4   5   6   7
///              d = 1   01      23      45      67
///              d = 2   0123            4567
///              d = 4   01234567
/// bytes    reads 32 items, writes 1 state; 256 B to 1 KiB of shared memory, 5 steps
/// limit    latency, as before; active lanes are far apart, so banks of shared memory are shared
/// mistake  Joining the cell d further on the left, or halving here: right for sums, and wrong as
///          soon as order matters.
/// next     drops the lane tests, as the second rung did for halving.

#include "ladder/rung_call.cuh"

namespace monofold::ladder {

template <class F>
__global__ void warp_shared_adjacent_kernel(F f, const typename F::item* items, std::int64_t n,
                                            typename F::state* result) {
  __shared__ typename F::state cells[32];
  const int lane = static_cast<int>(threadIdx.x);
  const auto own = lifted_or_identity(f, items, lane, n);
  cells[lane] = own;
  __syncwarp();  // cells written above are read by other lanes below
  for (int d = 1; d < 32; d *= 2) {
    if (lane % (2 * d) == 0) cells[lane] = f.combine(cells[lane], cells[lane + d]);
    __syncwarp();  // cells written in this step are read in the next
  }
  if (lane == 0) *result = cells[0];
}

template <class F>
void warp_shared_adjacent(rung_call<F>& call) {
  call.launch(warp_shared_adjacent_kernel<F>, 1, 32, 0, call.f, call.items, call.n, call.results);
}

}  // namespace monofold::ladder
