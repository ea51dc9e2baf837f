#pragma once
/// ladder/rungs/warp_redux: the warp reduction of hardware.
///
/// idea     From compute capability 8.0 on one instruction folds a 32-bit integer of every lane
///          (sum, min, max, and, or, xor). A sum of 32 int32 needs 37 bits: two of them, by halves.
///              low     65535 at most a lane:  the sum fits 32 bits without a sign
///              high    +-32768 at most:       the sum fits 32 bits;   total = high * 65536 + low
/// bytes    reads 32 items, writes 1 state; no shared memory
/// limit    latency of one or two instructions
/// mistake  Summing as int32: 32 large values overflow it.
/// next     a block has more values than a warp has lanes; begin again from the plainest code.

#include "ladder/rung_call.cuh"
#include "ladder/rungs/warp_shuffle.cuh"

namespace monofold::ladder {

/// Elsewhere: shuffles.
template <class F>
MONOFOLD_GPU typename F::state redux_lanes(const F& f, typename F::state own) {
#if !defined(MONOFOLD_EMULATED) && (!defined(__CUDA_ARCH__) || __CUDA_ARCH__ < 800)
  return fold_lanes(f, own);
#else
  static_cast<void>(f);
  if constexpr (std::is_same_v<F, sum_of<std::int32_t>>) {
    const auto low = __reduce_add_sync(all_lanes, static_cast<unsigned>(own) & 0xffffu);
    const auto high = __reduce_add_sync(all_lanes, static_cast<int>(own >> 16));
    return std::int64_t{high} * 65536 + low;
  } else if constexpr (std::is_same_v<F, max_of<std::int32_t>>) {
    return __reduce_max_sync(all_lanes, own);
  } else {
    return __reduce_min_sync(all_lanes, own);
  }
#endif
}

template <class F>
__global__ void warp_redux_kernel(F f, const typename F::item* items, std::int64_t n,
                                  typename F::state* result) {
  const int lane = static_cast<int>(threadIdx.x);
  const auto own = redux_lanes(f, lifted_or_identity(f, items, lane, n));
  if (lane == 0) *result = own;
}

template <class F>
void warp_redux(rung_call<F>& call) {
  call.launch(warp_redux_kernel<F>, 1, 32, 0, call.f, call.items, call.n, call.results);
}

}  // namespace monofold::ladder
