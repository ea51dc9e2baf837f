#pragma once
/// level/grid: folds one item or state of each thread or block of a grid, in one launch.

#include <cstdint>

#include "monofold/fold/fold.hpp"
#include "monofold/level/block.cuh"
#include "monofold/level/slot_array.hpp"
#include "monofold/level/thread.cuh"
#include "monofold/level/thread_calls.cuh"
#include "monofold/level/warp.cuh"

namespace monofold {

/// Global memory for folding a grid.
///
/// shape      states: grid_states(blocks) of them, of any content; ticket: 0 before the first call.
///            Calls leave it 0, so it is set once in its life; one call at a time may use them
template <class State>
struct grid_storage {
  State* states;
  std::uint32_t* ticket;
};

/// A thread joins so many neighbouring states before threads meet: a 32-byte sector of floats.
inline constexpr int states_per_thread = 8;

/// How many states `grid_storage` needs for a grid of `blocks` blocks.
MONOFOLD_HD_CALL constexpr std::int64_t grid_states(std::int64_t blocks) {
  return blocks + (blocks + states_per_thread - 1) / states_per_thread;
}

namespace detail {

/// The number of blocks that came before. The caller's writes so far are seen by the block that
/// comes last, after this call.
MONOFOLD_GPU std::uint32_t take_ticket(std::uint32_t* ticket) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 700
  std::uint32_t before;
  asm volatile("atom.add.acq_rel.gpu.u32 %0, [%1], 1;" : "=r"(before) : "l"(ticket) : "memory");
  return before;
#else
  __threadfence();
  const std::uint32_t before = atomicAdd(ticket, 1u);
  __threadfence();
  return before;
#endif
}

/// The node over up to 8 neighbouring states: states[0] .. as many as are left.
template <class F, class States>
MONOFOLD_GPU typename F::state combine_neighbours(const F& f, const States& states,
                                                  std::int64_t left) {
  using state = typename F::state;
  if constexpr (sizeof(state) > 32) {
    // A rolled loop over the four levels of a binary counter: code and registers stay small.
    slot_array<state, 4> stack;
    const int count = left < states_per_thread ? static_cast<int>(left) : states_per_thread;
    int depth = 0;
    MONOFOLD_ROLL
    for (int i = 0; i < count; ++i) {
      state value = states[i];
      for (int carry = i; (carry & 1) != 0; carry >>= 1)
        value = combine_states(f, stack[--depth], value);
      stack[depth++] = value;
    }
    state total = stack[--depth];
    while (depth > 0) total = combine_states(f, stack[--depth], total);
    return total;
  } else {
    slot_array<state, states_per_thread> own;
    MONOFOLD_UNROLL
    for (int i = 0; i < states_per_thread; ++i) {
      if (i < left) own[i] = states[i];
    }
    MONOFOLD_UNROLL
    for (int width = 1; width < states_per_thread; width *= 2) {
      MONOFOLD_UNROLL
      for (int i = 0; i + width < states_per_thread; i += 2 * width) {
        if (i + width < left) own[i] = f.combine(own[i], own[i + width]);
      }
    }
    return own[0];
  }
}

/// Combines `count` states in global memory by the tree, in thread 0; `spare` has room for an eighth
/// of them. All threads of the block call it.
template <class F>
MONOFOLD_GPU typename F::state combine_stored(const F& f, typename F::state* states,
                                              std::int64_t count, typename F::state* spare,
                                              typename F::state* warp_states) {
  using state = typename F::state;
  const int rank = thread_rank();
  const int threads = threads_in_block();
  while (count > std::int64_t{states_per_thread} * threads) {
    const std::int64_t nodes = (count + states_per_thread - 1) / states_per_thread;
    for (std::int64_t node = rank; node < nodes; node += threads) {
      const std::int64_t at = node * states_per_thread;
      spare[node] = combine_neighbours(f, states + at, count - at);
    }
    sync_block();  // nodes written above are read below, and states read above are overwritten
    state* const swapped = states;
    states = spare;
    spare = swapped;
    count = nodes;
  }
  const int each = count <= threads ? 1 : states_per_thread;
  const auto owners = static_cast<int>((count + each - 1) / each);
  state own = states[0];
  if (rank < owners) {
    own = each == 1 ? states[rank]
                    : combine_neighbours(f, states + std::int64_t{rank} * each,
                                         count - std::int64_t{rank} * each);
  }
  return combine_block(f, own, owners, warp_states);
}

/// The fold of what thread 0 of each block holds: true in the last block, in whose thread 0 it then
/// is. `warp_states` as in combine_block, and no barrier behind the last read of it.
template <class F>
MONOFOLD_GPU bool combine_grid(const F& f, const typename F::state& own,
                               const grid_storage<typename F::state>& storage,
                               typename F::state* warp_states, typename F::state& total) {
  const std::int64_t blocks = blocks_in_grid();
  bool last = false;
  if (thread_rank() == 0) {
    storage.states[block_rank()] = own;
    last = take_ticket(storage.ticket) == static_cast<std::uint32_t>(blocks - 1);
  }
  // What thread 0 of the last block acquired is behind this barrier seen by all its threads.
  if (!sync_block_any(last)) return false;
  total = combine_stored(f, storage.states, blocks, storage.states + blocks, warp_states);
  if (thread_rank() == 0) *storage.ticket = 0;
  return true;
}

}  // namespace detail

namespace grid {

/// Folds the states that thread 0 of each block of a grid holds, in the order of block ranks.
///
/// shape      grids of up to 2^32 - 1 blocks in one, two or three dimensions (x is fastest). A kernel of
///            more than 256 threads a block says `__launch_bounds__(1024)`, as for block::combine
/// order      the plan's tree over block ranks: neighbours first. Ordered folds keep order
/// sync       all threads of all blocks call it; no block waits for another: the last one to come
///            combines. True in every thread of that block, where thread 0 (every thread on request)
///            has the result in `total`; false elsewhere. `storage` may be used again by the next
///            launch in the same stream
/// cost       a state of each block written and read once, one atomic operation a block
/// tested by  tests/gpu/level_test.cu
template <result_in where = result_in::first_thread, class F>
MONOFOLD_GPU bool combine_blocks(const F& f, const typename F::state& own,
                                 const grid_storage<typename F::state>& storage,
                                 block_states<typename F::state>& shared,
                                 typename F::state& total) {
  if (!detail::combine_grid(f, own, storage, shared.states(), total)) return false;
  if constexpr (where == result_in::every_thread) {
    sync_block();  // states of warps read above are overwritten below
    if (thread_rank() == 0) shared.states()[0] = total;
    sync_block();  // the total written above is read below
    total = shared.states()[0];
  }
  sync_block();  // what was read above may be overwritten by the next call
  return true;
}

/// Folds the states of all threads of a grid, by block rank, then thread rank.
template <result_in where = result_in::first_thread, class F>
MONOFOLD_GPU bool combine(const F& f, const typename F::state& own,
                          const grid_storage<typename F::state>& storage,
                          block_states<typename F::state>& shared, typename F::state& total) {
  return combine_blocks<where>(f, block::combine(f, own, shared), storage, shared, total);
}

/// Folds one item of each thread to a state; `index` is that of the thread's item, by default its rank
/// in the grid.
template <result_in where = result_in::first_thread, class F, class Item>
requires fold_on<F, Item> MONOFOLD_GPU bool reduce(
    const F& f, const Item& item,
    const grid_storage<typename bound_fold_t<F, Item>::state>& storage,
    block_storage<F, Item>& shared, typename bound_fold_t<F, Item>::state& total,
    std::int64_t index) {
  const auto bound = detail::bind_on_device<Item>(f);
  return combine<where>(bound, detail::lift_on_device(bound, item, index), storage, shared, total);
}

template <result_in where = result_in::first_thread, class F, class Item>
requires fold_on<F, Item> MONOFOLD_GPU bool reduce(
    const F& f, const Item& item,
    const grid_storage<typename bound_fold_t<F, Item>::state>& storage,
    block_storage<F, Item>& shared, typename bound_fold_t<F, Item>::state& total) {
  return reduce<where>(f, item, storage, shared, total,
                       block_rank() * threads_in_block() + thread_rank());
}

/// The same, finished: the answer where the result is, in other threads none.
template <result_in where = result_in::first_thread, class F, class Item>
requires fold_on<F, Item> MONOFOLD_GPU auto answer(
    const F& f, const Item& item,
    const grid_storage<typename bound_fold_t<F, Item>::state>& storage,
    block_storage<F, Item>& shared,
    std::int64_t index = block_rank() * threads_in_block() + thread_rank()) {
  const auto bound = detail::bind_on_device<Item>(f);
  typename bound_fold_t<F, Item>::state total{};
  const bool is_last =
      combine<where>(bound, detail::lift_on_device(bound, item, index), storage, shared, total);
  return detail::answer_here(bound, total,
                             is_last && (where == result_in::every_thread || thread_rank() == 0));
}

}  // namespace grid

}  // namespace monofold
