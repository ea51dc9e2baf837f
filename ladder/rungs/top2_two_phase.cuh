#pragma once
/// ladder/rungs/top2_two_phase: the two largest, by pairs that merge in shared memory.
///
/// idea     Each thread keeps the two largest it saw, in order. Pairs (a >= b) and (c >= d) merge
///          to (max(a, c), min(max(a, d), max(b, c))); one pair a block, a second launch for those.
///              thread  0      1      2      3      (7,3)+(9,1) = (9, min(max(7,1), max(3,9)))
///                      (7,3)  (9,1)  (4,4)  (8,2)     d = 2: 0 with 2, 1 with 3;  d = 1: 0 with 1
/// bytes    reads n items; writes and reads G pairs
/// limit    memory, nearly; three comparisons an item
/// mistake  A block barrier inside `if (t < d)`, where the merge is: only some threads reach it.
///          And max(b, d) for the second: it forgets the smaller of the firsts.
/// next     merges in registers.

#include "ladder/rung_call.cuh"
#include "ladder/rungs/block_shared.cuh"
#include "ladder/rungs/grid_stride_two_launch.cuh"

namespace monofold::ladder {

template <class F>
__global__ void top2_two_phase_kernel(F f, const typename F::item* items, std::int64_t n,
                                      typename F::state* pairs) {
  __shared__ typename F::state cells[block_threads];
  const auto own = accumulate_by_stride(f, items, n);
  cells[threadIdx.x] = own;
  halve_shared(f, cells, block_threads);
  if (threadIdx.x == 0) pairs[blockIdx.x] = cells[0];
}

template <class F>
void top2_two_phase(rung_call<F>& call) {
  const std::int64_t blocks = call.resident_blocks(block_threads);
  call.launch(top2_two_phase_kernel<F>, blocks, block_threads, 0, call.f, call.items, call.n,
              call.partials);
  call.launch(top2_two_phase_kernel<joined<F>>, 1, block_threads, 0, joined<F>{call.f},
              call.partials, blocks, call.results);
}

}  // namespace monofold::ladder
