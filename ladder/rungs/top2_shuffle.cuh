#pragma once
/// ladder/rungs/top2_shuffle: the same merge by shuffles.
///
/// idea     A lane gets the pair of the lane d further, both numbers, and merges it with its own;
///          shared memory is for one pair a warp alone.
///              lane   0             1      2             3
///              d = 1  (7,3)+(9,1)          (4,4)+(8,2)
///              d = 2  (9,7)+(8,4) = (9,8)
/// bytes    reads n items; writes and reads G pairs; one block barrier in all
/// limit    memory, nearly; three comparisons an item
/// mistake  A butterfly that folds a pair twice: the maximum does not mind, the second largest
///          does.
/// next     takes any k.

#include "ladder/rung_call.cuh"
#include "ladder/rungs/block_warps.cuh"
#include "ladder/rungs/grid_stride_two_launch.cuh"

namespace monofold::ladder {

template <class F>
__global__ void top2_shuffle_kernel(F f, const typename F::item* items, std::int64_t n,
                                    typename F::state* pairs) {
  __shared__ typename F::state cells[block_threads / 32];
  const auto own = accumulate_by_stride(f, items, n);
  const auto best = fold_warps<block_threads>(f, own, cells);
  if (threadIdx.x == 0) pairs[blockIdx.x] = best;
}

template <class F>
void top2_shuffle(rung_call<F>& call) {
  const std::int64_t blocks = call.resident_blocks(block_threads);
  call.launch(top2_shuffle_kernel<F>, blocks, block_threads, 0, call.f, call.items, call.n,
              call.partials);
  call.launch(top2_shuffle_kernel<joined<F>>, 1, block_threads, 0, joined<F>{call.f}, call.partials,
              blocks, call.results);
}

}  // namespace monofold::ladder
