#pragma once
/// ladder/rungs/block_ordered_stream: one block, any n, order kept.
///
/// idea     A buffer of 2 B states: the lower half holds the past, the next B items go to the upper
///          half, and adjacent pairs of the whole join into the lower half. Every element enters
///          once, every state is a run of neighbours; at the end a tree with doubling distance.
///              lower: past        upper: B new items
///              p0 p1 p2 ... pB-1  x0 x1 x2 ... xB-1
///              p0p1  p2p3   ...   x0x1  x2x3   ...      -> the lower half, in the same order
/// bytes    reads n items, writes 1 result
/// limit    two block barriers for one item a thread, and one multiprocessor
/// mistake  Padding the last refill with zeros; the identity belongs there.
/// next     puts many blocks to work, and leaves their partials to the host.

#include "ladder/rung_call.cuh"

namespace monofold::ladder {

/// Thread 0 gets the fold of items begin .. end - 1, in order. All threads of the block call it;
/// `cells` has room for two states a thread and may be used again behind a block barrier.
template <class F>
MONOFOLD_GPU typename F::state fold_stream(const F& f, const typename F::item* items,
                                           std::int64_t begin, std::int64_t end,
                                           typename F::state* cells) {
  const int t = static_cast<int>(threadIdx.x);
  const auto first = lifted_or_identity(f, items, begin + t, end);
  cells[t] = first;
  for (std::int64_t tile = begin + stream_threads; tile < end; tile += stream_threads) {
    const auto next = lifted_or_identity(f, items, tile + t, end);
    cells[stream_threads + t] = next;
    __syncthreads();  // cells written above and in the last turn are read below
    const auto both = f.combine(cells[2 * t], cells[2 * t + 1]);
    __syncthreads();  // cells read above are overwritten below
    cells[t] = both;
  }
  for (int d = 1; d < stream_threads; d *= 2) {
    __syncthreads();  // cells written before are read below
    if (t % (2 * d) == 0) cells[t] = f.combine(cells[t], cells[t + d]);
  }
  return cells[t];
}

template <class F>
__global__ void block_ordered_stream_kernel(F f, const typename F::item* items, std::int64_t n,
                                            typename F::state* result) {
  __shared__ typename F::state cells[2 * stream_threads];
  const auto total = fold_stream(f, items, 0, n, cells);
  if (threadIdx.x == 0) *result = total;
}

template <class F>
void block_ordered_stream(rung_call<F>& call) {
  call.launch(block_ordered_stream_kernel<F>, 1, stream_threads, 0, call.f, call.items, call.n,
              call.results);
}

}  // namespace monofold::ladder
