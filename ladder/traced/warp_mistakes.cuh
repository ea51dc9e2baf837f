#pragma once
/// traced/warp_mistakes: the mistakes that the pages of the warp rungs warn of, to be played.

#include "ladder/rung_call.cuh"
#include "ladder/rungs/warp_shuffle.cuh"

namespace monofold::ladder::mistakes {

template <class F>
__global__ void trusting_lockstep_kernel(F f, const typename F::item* items, std::int64_t n,
                                         typename F::state* result) {
  __shared__ typename F::state cells[32];
  const int lane = static_cast<int>(threadIdx.x);
  cells[lane] = lifted_or_identity(f, items, lane, n);
  for (int d = 16; d > 0; d /= 2) {
    // No barrier: lane 0 reads what lane 16 may not have written.
    if (lane < d) cells[lane] = f.combine(cells[lane], cells[lane + d]);
  }
  if (lane == 0) *result = cells[0];
}
template <class F>
void warp_shared_halving(rung_call<F>& call) {
  call.launch(trusting_lockstep_kernel<F>, 1, 32, 0, call.f, call.items, call.n, call.results);
}

template <class F>
__global__ void one_barrier_a_step_kernel(F f, const typename F::item* items, std::int64_t n,
                                          typename F::state* result) {
  __shared__ typename F::state cells[32];
  const int lane = static_cast<int>(threadIdx.x);
  cells[lane] = lifted_or_identity(f, items, lane, n);
  __syncwarp();
  if (lane < 16) {
    for (int d = 16; d > 0; d /= 2) {
      // Lane 8 writes its cell in the step in which lane 0 reads it.
      cells[lane] = f.combine(cells[lane], cells[lane + d]);
      __syncwarp(0x0000ffffu);
    }
  }
  if (lane == 0) *result = cells[0];
}
template <class F>
void warp_shared_halving_unguarded(rung_call<F>& call) {
  call.launch(one_barrier_a_step_kernel<F>, 1, 32, 0, call.f, call.items, call.n, call.results);
}

template <class F>
__global__ void right_on_the_left_kernel(F f, const typename F::item* items, std::int64_t n,
                                         typename F::state* result) {
  __shared__ typename F::state cells[32];
  const int lane = static_cast<int>(threadIdx.x);
  cells[lane] = lifted_or_identity(f, items, lane, n);
  __syncwarp();
  for (int d = 1; d < 32; d *= 2) {
    // The cell d further is the right operand, and stands on the left.
    if (lane % (2 * d) == 0) cells[lane] = f.combine(cells[lane + d], cells[lane]);
    __syncwarp();
  }
  if (lane == 0) *result = cells[0];
}
template <class F>
void warp_shared_adjacent(rung_call<F>& call) {
  call.launch(right_on_the_left_kernel<F>, 1, 32, 0, call.f, call.items, call.n, call.results);
}

template <class F>
__global__ void padded_with_zeros_kernel(F f, const typename F::item* items, std::int64_t n,
                                         typename F::state* result) {
  __shared__ typename F::state cells[48];
  const int lane = static_cast<int>(threadIdx.x);
  cells[lane] = lane < n ? f.lift(items[lane]) : typename F::state{};
  if (lane < 16) cells[32 + lane] = {};  // 0 is above all items that are below 0
  __syncwarp();
  for (int d = 1; d < 32; d *= 2) {
    const auto both = f.combine(cells[lane], cells[lane + d]);
    __syncwarp();
    cells[lane] = both;
    __syncwarp();
  }
  if (lane == 0) *result = cells[0];
}
template <class F>
void warp_shared_adjacent_padded(rung_call<F>& call) {
  call.launch(padded_with_zeros_kernel<F>, 1, 32, 0, call.f, call.items, call.n, call.results);
}

template <class F>
__global__ void full_mask_kernel(F f, const typename F::item* items, std::int64_t n,
                                 typename F::state* result) {
  const int lane = static_cast<int>(threadIdx.x);
  const auto own = fold_lanes(f, lifted_or_identity(f, items, lane, n));
  if (lane == 0) *result = own;
}
template <class F>
void warp_shuffle(rung_call<F>& call) {
  // A warp of as many lanes as there are items; the mask of the shuffles names 32.
  call.launch(full_mask_kernel<F>, 1, static_cast<int>(call.n), 0, call.f, call.items, call.n,
              call.results);
}

template <class F>
__global__ void sum_in_an_int_kernel(const typename F::item* items, typename F::state* result) {
  const int lane = static_cast<int>(threadIdx.x);
  // 32 bits for the sum of 32 large numbers.
  const int own = __reduce_add_sync(all_lanes, items[lane]);
  if (lane == 0) *result = own;
}
template <class F>
void warp_redux(rung_call<F>& call) {
  call.launch(sum_in_an_int_kernel<F>, 1, 32, 0, call.items, call.results);
}

}  // namespace monofold::ladder::mistakes
