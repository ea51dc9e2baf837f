#pragma once
/// ladder/rungs/grid_ordered_last_block: the same in one launch.
///
/// idea     Blocks end in any order, but partials lie in the order of their parts. The block with
///          the last ticket streams them, as it did its items.
///              block    2    0    3    1         in the order in which they end
///              ticket   0    1    2    3   ->    block 1 folds p0 p1 p2 p3, in this order
/// bytes    reads n items; writes and reads G partials; G atomics on one word
/// limit    two block barriers for one item a thread
/// mistake  Folding partials in the order of tickets: order is lost.
/// next     gives up order for 16 bytes a load.

#include "ladder/rung_call.cuh"
#include "ladder/rungs/grid_last_block.cuh"
#include "ladder/rungs/grid_ordered_two_launch.cuh"

namespace monofold::ladder {

template <class F>
__global__ void grid_ordered_last_block_kernel(F f, const typename F::item* items, std::int64_t n,
                                               typename F::state* partials, std::uint32_t* ticket,
                                               typename F::state* result) {
  __shared__ typename F::state cells[2 * stream_threads];
  auto total = fold_part(f, items, n, cells);
  if (threadIdx.x == 0) partials[blockIdx.x] = total;
  if (!draw_last_ticket(ticket)) return;
  total = fold_stream(joined<F>{f}, partials, 0, gridDim.x, cells);
  if (threadIdx.x == 0) *result = total;
}

template <class F>
void grid_ordered_last_block(rung_call<F>& call) {
  call.launch(grid_ordered_last_block_kernel<F>, call.resident_blocks(stream_threads),
              stream_threads, 0, call.f, call.items, call.n, call.partials, call.ticket,
              call.results);
}

}  // namespace monofold::ladder
