#pragma once
/// ladder/rungs/grid_stride_two_launch: a fixed grid, whose threads stride by all of it.
///
/// idea     A few blocks stay on each multiprocessor; thread t of T takes items t, t + T, t + 2 T,
///          ... into a register. The tree is built once a block, and a second launch has few
///          partials.
///              thread  0   1   2  ...  T-1       neighbours read neighbours, in every turn
///              turn 0  x0  x1  x2 ...  xT-1
///              turn 1  xT  xT+1   ...  x2T-1     then one tree a block, then launch 2
/// bytes    reads n items; G partials, 8 blocks a multiprocessor
/// limit    memory, nearly: each thread has one load of 4 bytes on its way at a time
/// mistake  Partials written over the input (`items[blockIdx.x] = ...`): another block may not have
///          read those items yet. They have memory of their own.
/// next     does the second part in the same launch.

#include "ladder/rung_call.cuh"
#include "ladder/rungs/block_shared_shuffle.cuh"

namespace monofold::ladder {

template <class F>
MONOFOLD_GPU typename F::state accumulate_by_stride(const F& f, const typename F::item* items,
                                                    std::int64_t n) {
  const std::int64_t threads = std::int64_t{gridDim.x} * blockDim.x;
  auto own = f.identity();
  for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += threads) {
    own = f.combine(own, f.lift(items[i]));
  }
  return own;
}

template <class F>
__global__ void grid_stride_kernel(F f, const typename F::item* items, std::int64_t n,
                                   typename F::state* results) {
  __shared__ typename F::state cells[block_threads];
  const auto own = accumulate_by_stride(f, items, n);
  cells[threadIdx.x] = own;
  const auto total = fold_shared(f, cells, block_threads);
  if (threadIdx.x == 0) results[blockIdx.x] = total;
}

template <class F>
void grid_stride_two_launch(rung_call<F>& call) {
  const std::int64_t blocks = call.resident_blocks(block_threads);
  call.launch(grid_stride_kernel<F>, blocks, block_threads, 0, call.f, call.items, call.n,
              call.partials);
  call.launch(grid_stride_kernel<joined<F>>, 1, block_threads, 0, joined<F>{call.f}, call.partials,
              blocks, call.results);
}

}  // namespace monofold::ladder
