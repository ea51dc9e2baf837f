#pragma once
/// traced/block_mistakes: the mistakes that the pages of block rungs and selections warn of, to be played.

#include "ladder/rung_call.cuh"
#include "ladder/rungs/block_global_constant_bounds.cuh"
#include "ladder/rungs/block_global_inplace.cuh"
#include "ladder/rungs/block_ordered_stream.cuh"
#include "ladder/rungs/warp_shuffle.cuh"
#include "monofold/level/block_shared.cuh"

namespace monofold::ladder::mistakes {

template <class F>
void block_global_inplace(rung_call<F>& call) {
  // One block more for the rest, whose threads read past n.
  call.launch(block_global_inplace_kernel<F>, call.blocks_for(block_threads), block_threads, 0,
              call.f, call.lifted, call.results);
}

template <class F>
void block_global_constant_bounds(rung_call<F>& call) {
  // A quarter of the threads that the template knows of.
  call.launch(block_global_constant_bounds_kernel<block_threads, F>, call.n / block_threads,
              block_threads / 4, 0, call.f, call.lifted, call.results);
}

template <class F>
__global__ void barrier_in_branch_kernel(F f, const typename F::item* items, std::int64_t n,
                                         typename F::state* results) {
  __shared__ typename F::state cells[block_threads];
  const int t = static_cast<int>(threadIdx.x);
  const auto own = lifted_or_identity(f, items, std::int64_t{blockIdx.x} * block_threads + t, n);
  cells[t] = own;
  __syncthreads();
  for (int d = block_threads / 2; d > 0; d /= 2) {
    if (t < d) {
      cells[t] = f.combine(cells[t], cells[t + d]);
      __syncthreads();  // threads from d on never come here
    }
  }
  if (t == 0) results[blockIdx.x] = cells[0];
}
template <class F>
void block_shared(rung_call<F>& call) {
  call.launch(barrier_in_branch_kernel<F>, call.blocks_for(block_threads), block_threads, 0, call.f,
              call.items, call.n, call.results);
}

template <class F>
__global__ void two_arrays_of_one_name_kernel(F f, const typename F::item* items, std::int64_t n,
                                              typename F::state* results) {
  auto* const cells = static_cast<typename F::state*>(dynamic_shared());
  auto* const is_item = static_cast<int*>(dynamic_shared());  // the same bytes
  const int t = static_cast<int>(threadIdx.x);
  cells[t] = lifted_or_identity(f, items, std::int64_t{blockIdx.x} * block_threads + t, n);
  is_item[t] = t < n ? 1 : 0;
  for (int d = block_threads / 2; d > 0; d /= 2) {
    __syncthreads();
    if (t < d && is_item[t + d] != 0) cells[t] = f.combine(cells[t], cells[t + d]);
  }
  if (t == 0) results[blockIdx.x] = cells[0];
}
template <class F>
void block_shared_dynamic(rung_call<F>& call) {
  call.launch(two_arrays_of_one_name_kernel<F>, call.blocks_for(block_threads), block_threads,
              block_threads * sizeof(typename F::state), call.f, call.items, call.n, call.results);
}

template <class F>
__global__ void no_barrier_below_32_kernel(F f, const typename F::item* items, std::int64_t n,
                                           typename F::state* results) {
  __shared__ typename F::state cells[block_threads];
  const int t = static_cast<int>(threadIdx.x);
  cells[t] = lifted_or_identity(f, items, std::int64_t{blockIdx.x} * block_threads + t, n);
  for (int d = block_threads / 2; d > 0; d /= 2) {
    if (d >= 32) __syncthreads();  // and nothing for the last warp
    if (t < d) cells[t] = f.combine(cells[t], cells[t + d]);
  }
  if (t == 0) results[blockIdx.x] = cells[0];
}
template <class F>
void block_shared_warp_sync(rung_call<F>& call) {
  call.launch(no_barrier_below_32_kernel<F>, call.blocks_for(block_threads), block_threads, 0,
              call.f, call.items, call.n, call.results);
}

template <class F>
__global__ void full_mask_in_branch_kernel(F f, const typename F::item* items, std::int64_t n,
                                           typename F::state* results) {
  __shared__ typename F::state cells[block_threads];
  const int t = static_cast<int>(threadIdx.x);
  cells[t] = lifted_or_identity(f, items, std::int64_t{blockIdx.x} * block_threads + t, n);
  for (int d = block_threads / 2; d >= 16; d /= 2) {
    __syncthreads();
    if (t < d) cells[t] = f.combine(cells[t], cells[t + d]);
  }
  auto own = cells[t];
  if (t < 16) own = fold_lanes(f, own);  // 16 lanes, and a mask of 32
  if (t == 0) results[blockIdx.x] = own;
}
template <class F>
void block_shared_shuffle(rung_call<F>& call) {
  call.launch(full_mask_in_branch_kernel<F>, call.blocks_for(block_threads), block_threads, 0,
              call.f, call.items, call.n, call.results);
}

template <class F>
__global__ void sum_in_ints_kernel(const typename F::item* items, std::int64_t n,
                                   typename F::state* result) {
  __shared__ typename F::state cells[block_threads];
  const int t = static_cast<int>(threadIdx.x);
  unsigned own = 0;  // 32 bits for the sum of many large numbers
  for (std::int64_t i = t; i < n; i += block_threads) own += static_cast<unsigned>(items[i]);
  cells[t] = static_cast<int>(own);
  halve_shared(F{}, cells, block_threads);
  if (t == 0) *result = cells[0];
}
template <class F>
void block_accumulate(rung_call<F>& call) {
  call.launch(sum_in_ints_kernel<F>, 1, block_threads, 0, call.items, call.n, call.results);
}

template <class F>
__global__ void partials_over_values_kernel(F f, const typename F::item* items, std::int64_t n,
                                            typename F::state* results) {
  __shared__ typename F::state cells[block_threads];
  const int t = static_cast<int>(threadIdx.x);
  const int warp = t / 32;
  cells[t] = lifted_or_identity(f, items, std::int64_t{blockIdx.x} * block_threads + t, n);
  __syncthreads();
  const auto own = fold_lanes(f, cells[t]);
  if (t % 32 == 0) cells[warp] = own;  // warp 1 writes a cell that warp 0 reads
  __syncthreads();
  if (t == 0) results[blockIdx.x] = f.combine(cells[0], cells[1]);
}
template <class F>
void block_warps(rung_call<F>& call) {
  call.launch(partials_over_values_kernel<F>, call.blocks_for(block_threads), block_threads, 0,
              call.f, call.items, call.n, call.results);
}

/// The operator with zeros where the identity belongs.
template <class F>
struct padded_with_zeros : F {
  MONOFOLD_HD typename F::state identity() const { return {}; }
};

template <class F>
void block_ordered_stream(rung_call<F>& call) {
  call.launch(block_ordered_stream_kernel<padded_with_zeros<F>>, 1, stream_threads, 0,
              padded_with_zeros<F>{}, call.items, call.n, call.results);
}

template <class F>
void top2_two_phase(rung_call<F>& call) {
  call.launch(barrier_in_branch_kernel<F>, 1, block_threads, 0, call.f, call.items, call.n,
              call.results);
}

template <class F>
__global__ void one_step_too_many_kernel(F f, const typename F::item* items, std::int64_t n,
                                         typename F::state* result) {
  const int lane = static_cast<int>(threadIdx.x);
  auto own = lifted_or_identity(f, items, lane, n);
  for (int d = 1; d <= 32; d *= 2) {
    // In the last step lane 0 meets itself: the largest counts twice.
    own = f.combine(own, shuffle_from(own, (lane + d) % 32));
  }
  if (lane == 0) *result = own;
}
template <class F>
void top2_shuffle(rung_call<F>& call) {
  call.launch(one_step_too_many_kernel<F>, 1, 32, 0, call.f, call.items, call.n, call.results);
}

}  // namespace monofold::ladder::mistakes
