#pragma once
/// ladder/rungs/grid_two_launch: a second launch of one block folds the partials.
///
/// idea     The end of a launch is a barrier of the whole grid: what the first has written, the
///          second reads. One block folds the partials and writes the total behind the last of
///          them.
///              launch 1   p0  p1  p2  ...  pG-1   (one a block)
///              launch 2   one block: thread t takes pt, pt+B, ...  then its tree  ->  slot G
/// bytes    reads n items; writes and reads n / B partials
/// limit    one item a thread in the first launch; some microseconds for the second
/// mistake  A second block that takes one partial a thread: right only while n / B fits one block.
///          Here its threads accumulate, so that any number will do (`block_accumulate`).
/// next     has each block add to the total itself.

#include "ladder/rung_call.cuh"
#include "ladder/rungs/block_accumulate.cuh"
#include "ladder/rungs/block_shared.cuh"

namespace monofold::ladder {

template <class F>
void grid_two_launch(rung_call<F>& call) {
  const std::int64_t blocks = call.blocks_for(block_threads);
  call.launch(block_shared_kernel<F>, blocks, block_threads, 0, call.f, call.items, call.n,
              call.partials);
  call.results = call.partials + blocks;  // the extra slot
  call.launch(block_accumulate_kernel<joined<F>>, 1, single_block_threads, 0, joined<F>{call.f},
              call.partials, blocks, call.results);
}

}  // namespace monofold::ladder
