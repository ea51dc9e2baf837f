#pragma once
/// level/block: folds one item or state of each thread of a block.

#include <cstdint>
#include <type_traits>

#include "monofold/fold/fold.hpp"
#include "monofold/level/thread.cuh"
#include "monofold/level/thread_calls.cuh"
#include "monofold/level/warp.cuh"

namespace monofold {

/// Shared memory for folding a block: declare one `__shared__ mf::block_storage<F, Item>` a kernel.
///
/// shape      the states of up to 32 warps
template <class State>
struct block_states {
  static_assert(std::is_trivially_copyable_v<State>, "states in shared memory are copied as bytes");
  alignas(State) unsigned char bytes[warp_lanes * sizeof(State)];

  MONOFOLD_GPU State* states() { return reinterpret_cast<State*>(bytes); }
};

template <class F, class Item = typename F::state>
using block_storage = block_states<typename bound_fold_t<F, Item>::state>;

namespace detail {

/// The fold of what threads 0 .. count - 1 hold, in thread 0. `warp_states` has room for a state of
/// each warp. No barrier behind the last read of it. `rank`: of this thread, for less where a kernel knows
/// that blocks have one dimension.
template <class F>
MONOFOLD_GPU typename F::state combine_block(const F& f, typename F::state own, int count,
                                             typename F::state* warp_states,
                                             int rank = thread_rank()) {
  const int warp = rank / warp_lanes;
  const int first = warp * warp_lanes;
  if (first < count) {
    const int mine = count - first < warp_lanes ? count - first : warp_lanes;
    own = warp::combine(f, own, mine);
  }
  if (count <= warp_lanes) return own;
  if (lane_rank() == 0 && first < count) warp_states[warp] = own;
  sync_block();  // states of warps written above are read below
  if (warp == 0) {
    const int warps = (count + warp_lanes - 1) / warp_lanes;
    if (lane_rank() < warps) own = warp_states[lane_rank()];
    own = warp::combine(f, own, warps);
  }
  return own;
}

}  // namespace detail

namespace block {

/// Folds the states that threads 0 .. count - 1 of a block hold, in the order of their ranks.
///
/// shape      blocks of 1 to 1024 threads in one, two or three dimensions (x is fastest), whose last
///            warp may be partial; count: 1 to the number of threads. A kernel for more than 256 threads
///            says so by `__launch_bounds__(1024)`: else nvcc may give a thread more registers than a
///            block has for so many, and the launch fails
/// order      the plan's tree over thread ranks: neighbours first, left operand lower. Ordered folds
///            keep order
/// sync       all threads of the block call it with the same count; two block barriers (four where
///            every thread asks for the result), the last of which lets `storage` be used again.
///            Result in thread 0, or in every thread on request; others get unspecified values
/// cost       count - 1 useful combines, depth 10. Idle threads combine too, states that stand side by
///            side elsewhere: a `combine` must bear any two states of the fold, and counts of its calls
///            mean nothing; one state of shared memory a warp
/// tested by  tests/gpu/level_test.cu
template <result_in where = result_in::first_thread, class F>
MONOFOLD_GPU typename F::state combine(const F& f, const typename F::state& own,
                                       block_states<typename F::state>& storage, int count) {
  auto* const states = storage.states();
  auto total = detail::combine_block(f, own, count, states);
  if constexpr (where == result_in::every_thread) {
    sync_block();  // states of warps read above are overwritten below
    if (thread_rank() == 0) states[0] = total;
    sync_block();  // the total written above is read below
    total = states[0];
  }
  sync_block();  // what was read above may be overwritten by the next call
  return total;
}

/// The same of all threads of the block.
template <result_in where = result_in::first_thread, class F>
MONOFOLD_GPU typename F::state combine(const F& f, const typename F::state& own,
                                       block_states<typename F::state>& storage) {
  return combine<where>(f, own, storage, threads_in_block());
}

/// Folds one item of each thread to a state; `index` is that of the thread's item, its rank in the block
/// where the kernel does not say.
template <result_in where = result_in::first_thread, class F, class Item>
requires fold_on<F, Item> MONOFOLD_GPU auto reduce(const F& f, const Item& item,
                                                   block_storage<F, Item>& storage,
                                                   std::int64_t index) {
  const auto bound = detail::bind_on_device<Item>(f);
  return combine<where>(bound, detail::lift_on_device(bound, item, index), storage);
}

template <result_in where = result_in::first_thread, class F, class Item>
requires fold_on<F, Item> MONOFOLD_GPU auto reduce(const F& f, const Item& item,
                                                   block_storage<F, Item>& storage) {
  return reduce<where>(f, item, storage, thread_rank());
}

/// The same, finished: the answer where the result is, in other threads none.
template <result_in where = result_in::first_thread, class F, class Item>
requires fold_on<F, Item> MONOFOLD_GPU auto answer(const F& f, const Item& item,
                                                   block_storage<F, Item>& storage,
                                                   std::int64_t index = thread_rank()) {
  const auto bound = detail::bind_on_device<Item>(f);
  const auto total = combine<where>(bound, detail::lift_on_device(bound, item, index), storage);
  return detail::answer_here(bound, total, where == result_in::every_thread || thread_rank() == 0);
}

}  // namespace block

}  // namespace monofold
