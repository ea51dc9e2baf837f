#pragma once
/// engine/gpu/tree/mailed_members: how the last block joins the states of an `all` that blocks have mailed.

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "monofold/engine/gpu/load.cuh"
#include "monofold/engine/gpu/mailbox.cuh"
#include "monofold/engine/gpu/tree/block_fold.cuh"
#include "monofold/fold/all.hpp"
#include "monofold/level/thread.cuh"
#include "monofold/platform/host_device.hpp"

namespace monofold::detail {

/// The room of a block that is alone.
struct no_mail_room {};

/// Writes a state in shared memory before its members are: padding is copied with them.
///
/// sync       all threads of the block, 32 at least; a barrier must follow
template <class State>
MONOFOLD_GPU void clear_state(State* out) {
  using word = std::conditional_t<sizeof(State) % 4 == 0, std::uint32_t, std::uint8_t>;
  auto* const words = reinterpret_cast<word*>(out);
  MONOFOLD_ROLL
  for (auto w = threadIdx.x; w < sizeof(State) / sizeof(word); w += blockDim.x) words[w] = 0;
}

/// Nodes over the states of blocks in shared memory, of which a warp joins one member: that takes as long as the
/// slowest member, not as all of them.
///
/// shape      blocks of 256 threads or more, a node a thread; shared: shared_bytes(blocks), first nodes, then the whole
/// order      the plan's tree
template <class F>
class mailed_members {
 public:
  using state = typename F::state;

  static constexpr int shared_bytes(std::int64_t blocks) {
    return whole_at(nodes_of(static_cast<int>(blocks))) + static_cast<int>(sizeof(state));
  }

  MONOFOLD_GPU mailed_members(void* shared, int blocks)
      : states_(static_cast<state*>(shared)), blocks_(blocks), nodes_(nodes_of(blocks)) {}

  /// Waits for what blocks have posted, or are sure to.
  ///
  /// sync       all threads of the block, behind a barrier then
  MONOFOLD_GPU void wait(const F& f, const mailbox<state>& mail) const {
    const auto rank = static_cast<int>(threadIdx.x);
    if (rank < nodes_) {
      const state own = wait_for_node(f, mail, rank, blocks_each(blocks_), blocks_);
      std::memcpy(static_cast<void*>(states_ + rank), &own, sizeof(state));  // padding too
    }
    clear_state(whole());
    sync_block();  // states written above are read behind it
  }

  /// Calls then(fold, state) for each member, see block_fold_list; where the whole will be.
  ///
  /// sync       all threads of the block; no barrier behind the last write
  template <class Then>
  MONOFOLD_GPU state* totals(const F& f, const Then& then) const {
    join(f.members, states_, whole(), then, 0);
    return whole();
  }

 private:
  static constexpr int threads = 256;

  MONOFOLD_GPU state* whole() const {
    return reinterpret_cast<state*>(reinterpret_cast<char*>(states_) + whole_at(nodes_));
  }

  /// So many neighbours make a node.
  MONOFOLD_HD static constexpr int blocks_each(int blocks) {
    return blocks <= threads ? 1 : blocks <= 2 * threads ? 2 : 4;
  }
  MONOFOLD_HD static constexpr int nodes_of(int blocks) {
    return (blocks + blocks_each(blocks) - 1) / blocks_each(blocks);
  }
  MONOFOLD_HD static constexpr int whole_at(int nodes) {
    return in_chunks_of_16(nodes * static_cast<int>(sizeof(state)));
  }

  /// The members of `folds`: their states begin in those of the first block, and in the whole.
  template <class Then, class First, class... Rest>
  MONOFOLD_GPU void join(const fold_list<First, Rest...>& folds,
                         const typename fold_list<First, Rest...>::states* states,
                         typename fold_list<First, Rest...>::states* out, const Then& then,
                         int number) const {
    if (is_of_this_warp(number)) {
      const parts<typename First::state> own{reinterpret_cast<const char*>(&states->first)};
      const auto total = then(folds.first, combine_by_warp(folds.first, own, nodes_));
      if (lane_rank() == 0) out->first = total;
    }
    if constexpr (sizeof...(Rest) > 0) {
      join(folds.rest, &states->rest, &out->rest, then, number + 1);
    }
  }

  /// One member's states.
  template <class Part>
  struct parts {
    const char* bytes;
    MONOFOLD_GPU const Part& operator[](std::int64_t i) const {
      return *reinterpret_cast<const Part*>(bytes + i * static_cast<int>(sizeof(state)));
    }
    MONOFOLD_GPU parts operator+(int i) const {
      return {bytes + i * static_cast<int>(sizeof(state))};
    }
  };

  state* states_;
  int blocks_;
  int nodes_;
};

}  // namespace monofold::detail
