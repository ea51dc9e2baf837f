#pragma once
/// ladder/rungs/grid_last_block: one launch; the block that ends last finishes.
///
/// idea     Each block publishes its partial and draws a ticket, atomically. Who draws the last one
///          knows that all partials are there, and folds them.
///              block    2    0    5   ...   3        in the order in which they end
///              ticket   0    1    2   ...   G-1  ->  block 3 folds p0 .. pG-1
/// bytes    reads n items; writes and reads G partials; G atomics on one word
/// limit    memory, nearly; no second launch, which matters where n is small
/// mistake  A counter that is good for one call: the next call's tickets begin at G. atomicInc with
///          the bound G - 1 goes back to 0 by itself. And a partial without a fence between it and
///          the ticket: the ticket may be seen before the partial is.
/// next     keeps order: each block a contiguous part instead of a stride.

#include "ladder/rung_call.cuh"
#include "ladder/rungs/block_shared_shuffle.cuh"
#include "ladder/rungs/grid_stride_two_launch.cuh"

namespace monofold::ladder {

/// Whether this block is the last of the grid to call it, for all of its threads. What thread 0 of
/// each block wrote before is then seen by all of them.
MONOFOLD_GPU bool draw_last_ticket(std::uint32_t* ticket) {
  __shared__ bool is_last;
  if (threadIdx.x == 0) {
    __threadfence();  // the partial written before is seen by whoever sees the ticket drawn below
    is_last = atomicInc(ticket, gridDim.x - 1) == gridDim.x - 1;
    __threadfence();  // partials of those who drew before are read behind the barrier
  }
  __syncthreads();  // `is_last` written above is read below
  return is_last;
}

/// The last block folds the partials of all; `cells` are those that it has folded before.
template <class F>
MONOFOLD_GPU void fold_partials(const F& f, const typename F::state* partials,
                                typename F::state* cells, typename F::state* result) {
  auto own = f.identity();
  for (unsigned b = threadIdx.x; b < gridDim.x; b += block_threads) {
    own = f.combine(own, partials[b]);
  }
  cells[threadIdx.x] = own;  // behind the barrier of the ticket nobody reads the old ones
  const auto total = fold_shared(f, cells, block_threads);
  if (threadIdx.x == 0) *result = total;
}

template <class F>
__global__ void grid_last_block_kernel(F f, const typename F::item* items, std::int64_t n,
                                       typename F::state* partials, std::uint32_t* ticket,
                                       typename F::state* result) {
  __shared__ typename F::state cells[block_threads];
  const auto own = accumulate_by_stride(f, items, n);
  cells[threadIdx.x] = own;
  const auto total = fold_shared(f, cells, block_threads);
  if (threadIdx.x == 0) partials[blockIdx.x] = total;
  if (draw_last_ticket(ticket)) fold_partials(f, partials, cells, result);
}

template <class F>
void grid_last_block(rung_call<F>& call) {
  call.launch(grid_last_block_kernel<F>, call.resident_blocks(block_threads), block_threads, 0,
              call.f, call.items, call.n, call.partials, call.ticket, call.results);
}

}  // namespace monofold::ladder
