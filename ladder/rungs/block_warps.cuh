#pragma once
/// ladder/rungs/block_warps: each warp its 32 values, the first warp the partials of all.
///
/// idea     Warps work without each other; one partial a warp goes to shared memory, and behind the
///          only barrier the first warp folds these. Warps and lanes ascend, so order is kept.
///              warp 0      warp 1      ...  warp 7
///              0 .. 31     32 .. 63         224 .. 255     shuffles
///              p0          p1          ...  p7             one barrier, then shuffles of warp 0
/// bytes    reads n items, writes n / B results; B / 32 cells of shared memory
/// limit    one item a thread, as before; but one barrier instead of eight
/// mistake  Partials that overwrite values which other lanes still read: they have cells of their
///          own.
/// next     keeps order and takes any n with one block.

#include "ladder/rung_call.cuh"
#include "ladder/rungs/warp_shuffle.cuh"

namespace monofold::ladder {

/// The fold of all threads in order, in thread 0. All threads of the block call it; `cells` has
/// room for one state a warp, which nobody else uses until the next block barrier.
template <int threads, class F>
MONOFOLD_GPU typename F::state fold_warps(const F& f, typename F::state own,
                                          typename F::state* cells) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int warp = static_cast<int>(threadIdx.x) / 32;
  own = fold_lanes(f, own);
  if (lane == 0) cells[warp] = own;
  __syncthreads();  // partials written above are read below
  if (warp != 0) return own;
  return fold_lanes(f, lane < threads / 32 ? cells[lane] : f.identity());
}

template <class F>
__global__ void block_warps_kernel(F f, const typename F::item* items, std::int64_t n,
                                   typename F::state* results) {
  __shared__ typename F::state cells[block_threads / 32];
  const int t = static_cast<int>(threadIdx.x);
  const std::int64_t i = std::int64_t{blockIdx.x} * block_threads + t;
  const auto total = fold_warps<block_threads>(f, lifted_or_identity(f, items, i, n), cells);
  if (t == 0) results[blockIdx.x] = total;
}

template <class F>
void block_warps(rung_call<F>& call) {
  call.launch(block_warps_kernel<F>, call.blocks_for(block_threads), block_threads, 0, call.f,
              call.items, call.n, call.results);
}

}  // namespace monofold::ladder
