#pragma once
/// level/cluster: folds one item or state of each thread of the blocks of a cluster.

#include <cstdint>

#include "monofold/fold/fold.hpp"
#include "monofold/level/block.cuh"
#include "monofold/level/slot_array.hpp"
#include "monofold/level/thread.cuh"
#include "monofold/level/thread_calls.cuh"
#include "monofold/level/warp.cuh"

namespace monofold {

namespace detail {

inline constexpr int max_cluster_blocks = 16;  // the largest (non-portable) size of sm_90

// Before compute capability 9.0 a cluster is one block.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
MONOFOLD_GPU int cluster_block_rank() {
  std::uint32_t rank;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return static_cast<int>(rank);
}
MONOFOLD_GPU int blocks_in_cluster() {
  std::uint32_t count;
  asm volatile("mov.u32 %0, %%cluster_nctarank;" : "=r"(count));
  return static_cast<int>(count);
}
/// All threads of the cluster reach it before one goes on; their writes are then seen.
MONOFOLD_GPU void sync_cluster() {
  asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
  asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
}
/// Where block `rank` of the cluster has what `own`, in shared memory, is in this one.
template <class T>
MONOFOLD_GPU const T* in_block_of_cluster(const T* own, int rank) {
  std::uint64_t mapped;
  asm volatile("mapa.u64 %0, %1, %2;"
               : "=l"(mapped)
               : "l"(reinterpret_cast<std::uint64_t>(own)), "r"(rank));
  return reinterpret_cast<const T*>(mapped);
}
#elif defined(MONOFOLD_EMULATED)
MONOFOLD_GPU int cluster_block_rank() { return static_cast<int>(__clusterRelativeBlockRank()); }
MONOFOLD_GPU int blocks_in_cluster() { return static_cast<int>(__clusterSizeInBlocks()); }
MONOFOLD_GPU void sync_cluster() {
  __cluster_barrier_arrive();
  __cluster_barrier_wait();
}
template <class T>
MONOFOLD_GPU const T* in_block_of_cluster(const T* own, int rank) {
  return static_cast<const T*>(__cluster_map_shared_rank(own, static_cast<unsigned>(rank)));
}
#else
MONOFOLD_GPU int cluster_block_rank() { return 0; }
MONOFOLD_GPU int blocks_in_cluster() { return 1; }
MONOFOLD_GPU void sync_cluster() { sync_block(); }
template <class T>
MONOFOLD_GPU const T* in_block_of_cluster(const T* own, int) {
  return own;
}
#endif

/// Combines the totals of a cluster's blocks, in thread 0 of this block.
template <class F>
MONOFOLD_GPU typename F::state combine_cluster_totals(const F& f, const typename F::state* own) {
  using state = typename F::state;
  const int blocks = blocks_in_cluster();
  if (threads_in_block() >= warp_lanes) {
    state total = *own;
    if (warp_rank() == 0) {
      if (lane_rank() < blocks) total = *in_block_of_cluster(own, lane_rank());
      total = warp::combine(f, total, blocks);
    }
    return total;
  }
  // Fewer threads than blocks, perhaps: thread 0 reads them all. The same tree.
  slot_array<state, max_cluster_blocks> totals;
  for (int i = 0; i < blocks; ++i) totals[i] = *in_block_of_cluster(own, i);
  for (int m = blocks; m > 1; m = (m + 1) / 2) {
    for (int i = 0; i < m / 2; ++i) totals[i] = f.combine(totals[2 * i], totals[2 * i + 1]);
    if (m % 2 != 0) totals[m / 2] = totals[m - 1];
  }
  return totals[0];
}

}  // namespace detail

namespace cluster {

/// Folds the states of all threads of a cluster of blocks, by block rank, then thread rank.
///
/// shape      clusters of up to 16 blocks of any size; a kernel launched without clusters, or for a
///            device below compute capability 9.0, has clusters of one block. A kernel of more than 256
///            threads a block says `__launch_bounds__(1024)`, as for block::combine
/// order      the plan's tree inside each block, and the same tree over the blocks' totals; where
///            blocks have a power of two of threads that is the tree over all threads
/// sync       all threads of the cluster call it; two cluster barriers, so that `storage` may be used
///            again and blocks may end. Result in thread 0 of block 0 of the cluster, or in every
///            thread of the cluster on request
/// cost       one state a block through distributed shared memory
/// tested by  tests/gpu/level_test.cu
template <result_in where = result_in::first_thread, class F>
MONOFOLD_GPU typename F::state combine(const F& f, const typename F::state& own,
                                       block_states<typename F::state>& storage) {
  auto* const states = storage.states();
  auto total = block::combine(f, own, storage);
  if (thread_rank() == 0) states[0] = total;
  detail::sync_cluster();  // totals written above are read below, by other blocks
  if (where == result_in::every_thread || detail::cluster_block_rank() == 0) {
    total = detail::combine_cluster_totals(f, states);
  }
  detail::sync_cluster();  // totals read above may be overwritten, or their block may end
  if constexpr (where == result_in::every_thread) {
    if (thread_rank() == 0) states[0] = total;
    sync_block();  // the total written above is read below
    total = states[0];
    sync_block();  // what was read above may be overwritten by the next call
  }
  return total;
}

/// Folds one item of each thread to a state; `index` is that of the thread's item, by default its rank
/// among the threads of the cluster.
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
  const std::int64_t rank =
      std::int64_t{detail::cluster_block_rank()} * threads_in_block() + thread_rank();
  return reduce<where>(f, item, storage, rank);
}

/// The same, finished: the answer where the result is, in other threads none.
template <result_in where = result_in::first_thread, class F, class Item>
requires fold_on<F, Item> MONOFOLD_GPU auto answer(
    const F& f, const Item& item, block_storage<F, Item>& storage,
    std::int64_t index = std::int64_t{detail::cluster_block_rank()} * threads_in_block() +
                         thread_rank()) {
  const auto bound = detail::bind_on_device<Item>(f);
  const auto total = combine<where>(bound, detail::lift_on_device(bound, item, index), storage);
  const bool is_first = detail::cluster_block_rank() == 0 && thread_rank() == 0;
  return detail::answer_here(bound, total, where == result_in::every_thread || is_first);
}

}  // namespace cluster

}  // namespace monofold
