#pragma once
/// ladder/rungs/warp_shared_adjacent_padded: the same with no lane test at all.
///
/// idea     Every lane joins its cell with the one d further, and cells 32 to 47 hold the identity,
///          so that lane 31 has something to read. Lane l then holds the run of 2 d items from l
///          on.
///              cell    0   1   2   3  ...  30   31  | 32 .. 47
///              d = 1   01  12  23  34 ...  30,31 31 | identity
///              d = 2   0123 1234 2345 ...
/// bytes    reads 32 items, writes 1 state; 48 cells of shared memory, 5 steps
/// limit    latency; only the result of lane 0 means anything
/// mistake  Padding with 0. For the product of matrices it is the identity matrix, for the maximum
///          minus infinity: what changes nothing.
/// next     leaves shared memory: lanes read each other's registers.

#include "ladder/rung_call.cuh"

namespace monofold::ladder {

template <class F>
__global__ void warp_shared_adjacent_padded_kernel(F f, const typename F::item* items,
                                                   std::int64_t n, typename F::state* result) {
  __shared__ typename F::state cells[48];
  const int lane = static_cast<int>(threadIdx.x);
  const auto own = lifted_or_identity(f, items, lane, n);
  cells[lane] = own;
  if (lane < 16) cells[32 + lane] = f.identity();
  __syncwarp();  // cells written above are read by other lanes below
  for (int d = 1; d < 32; d *= 2) {
    const auto both = f.combine(cells[lane], cells[lane + d]);
    __syncwarp();  // cells read above are overwritten below
    cells[lane] = both;
    __syncwarp();  // cells written above are read in the next step
  }
  if (lane == 0) *result = cells[0];
}

template <class F>
void warp_shared_adjacent_padded(rung_call<F>& call) {
  call.launch(warp_shared_adjacent_padded_kernel<F>, 1, 32, 0, call.f, call.items, call.n,
              call.results);
}

}  // namespace monofold::ladder
