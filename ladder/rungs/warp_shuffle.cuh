#pragma once
/// ladder/rungs/warp_shuffle: registers only; lanes exchange values by shuffles.
///
/// idea     shuffle-down by d gives lane l the value of lane l + d; d = 1, 2, 4, 8, 16 keeps order.
///          Lane 0 has the result and broadcasts it.
///              lane    0    1    2    3   ...  31
///              d = 1   01 <-1    23 <-3        31 (nobody above: its own again)
///              d = 2   0123 <--- 23 ...
/// bytes    reads 32 items, writes 1 state; no shared memory; 5 shuffles a 32-bit word
/// limit    latency of a shuffle, some 25 cycles a step
/// mistake  The intrinsics without a mask, which are gone: which lanes take part must be said. A
///          mask that names lanes that are not there hangs, or worse.
/// next     one instruction does all five steps, for some operators and types.

#include "ladder/rung_call.cuh"

namespace monofold::ladder {

/// Lane 0 gets the fold of all 32 lanes in order. All of them call it.
template <class F>
MONOFOLD_GPU typename F::state fold_lanes(const F& f, typename F::state own) {
  MONOFOLD_UNROLL
  for (int d = 1; d < 32; d *= 2) {
    // A lane with nobody d above gets its own value and counts it twice. Nobody reads that: in this
    // step lane 0 needs lane d, whose own d lanes are all there.
    own = f.combine(own, shuffle_down(own, d));
  }
  return own;
}

template <class F>
__global__ void warp_shuffle_kernel(F f, const typename F::item* items, std::int64_t n,
                                    typename F::state* result) {
  const int lane = static_cast<int>(threadIdx.x);
  const auto own = fold_lanes(f, lifted_or_identity(f, items, lane, n));
  const auto everywhere = shuffle_from(own, 0);
  if (lane == 31) *result = everywhere;  // any lane could
}

template <class F>
void warp_shuffle(rung_call<F>& call) {
  call.launch(warp_shuffle_kernel<F>, 1, 32, 0, call.f, call.items, call.n, call.results);
}

}  // namespace monofold::ladder
