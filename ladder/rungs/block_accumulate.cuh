#pragma once
/// ladder/rungs/block_accumulate: one block, any n: first alone, then together.
///
/// idea     Thread t takes items t, t + B, t + 2 B, ... into a register, and only then the block
///          builds its tree, once for all n. The serial part is where the speed comes from.
///              thread  0    1    2   ...  B-1
///                      x0   x1   x2  ...  xB-1
///                    + xB   xB+1 xB+2 ... x2B-1      neighbours read neighbours
///                    + ...                           then the tree of `block_shared`
/// bytes    reads n items, writes 1 result; one launch
/// limit    one multiprocessor of many: what it can have in flight, some tens of GB/s
/// mistake  Accumulating int32 in an int32: n of them overflow it.
/// next     joins the block by warps, which keeps order.

#include "ladder/rung_call.cuh"
#include "ladder/rungs/block_shared.cuh"

namespace monofold::ladder {

template <class F>
__global__ void block_accumulate_kernel(F f, const typename F::item* items, std::int64_t n,
                                        typename F::state* result) {
  __shared__ typename F::state cells[single_block_threads];
  const int t = static_cast<int>(threadIdx.x);
  auto own = f.identity();
  for (std::int64_t i = t; i < n; i += single_block_threads) own = f.combine(own, f.lift(items[i]));
  cells[t] = own;
  halve_shared(f, cells, single_block_threads);
  if (t == 0) *result = cells[0];
}

template <class F>
void block_accumulate(rung_call<F>& call) {
  call.launch(block_accumulate_kernel<F>, 1, single_block_threads, 0, call.f, call.items, call.n,
              call.results);
}

}  // namespace monofold::ladder
