#pragma once
/// engine/gpu/tree/mailed_members: how the last block joins the states of an `all` that blocks have mailed.

#include <cstdint>

#include "monofold/engine/gpu/load.cuh"
#include "monofold/engine/gpu/mailbox.cuh"
#include "monofold/engine/gpu/tree/block_fold.cuh"
#include "monofold/fold/all.hpp"
#include "monofold/level/grid.cuh"
#include "monofold/level/thread.cuh"
#include "monofold/level/warp.cuh"
#include "monofold/platform/host_device.hpp"

namespace monofold::detail {

/// The room of a block that is alone.
struct no_mail_room {};

/// The states of up to 256 blocks in shared memory, of which a warp joins one member: that takes as long as
/// the slowest member, not as all of them.
///
/// shape      shared: shared_bytes(blocks), first the states, then the whole
/// order      the plan's tree
template <class F>
class mailed_members {
 public:
  using state = typename F::state;

  static constexpr int shared_bytes(int blocks) {
    return whole_at(blocks) + static_cast<int>(sizeof(state));
  }

  MONOFOLD_GPU mailed_members(void* shared, int blocks)
      : states_(static_cast<state*>(shared)), blocks_(blocks) {}

  /// Waits for what blocks have posted, or are sure to: each thread for a block.
  ///
  /// sync       all threads of the block, behind a barrier then
  MONOFOLD_GPU void wait(const mailbox<state>& mail) const {
    const auto rank = static_cast<int>(threadIdx.x);
    if (rank < blocks_) states_[rank] = mail.wait(rank);
    sync_block();  // states written above are read behind it
  }

  /// Calls then(fold, state) for each member, see block_fold_list; where the whole will be.
  ///
  /// sync       all threads of the block; no barrier behind the last write
  template <class Then>
  MONOFOLD_GPU state* totals(const F& f, const Then& then) const {
    auto* const out =
        reinterpret_cast<state*>(reinterpret_cast<char*>(states_) + whole_at(blocks_));
    join(f.members, states_, out, then, 0);
    return out;
  }

 private:
  MONOFOLD_HD static constexpr int whole_at(int blocks) {
    return in_chunks_of_16(blocks * static_cast<int>(sizeof(state)));
  }

  /// The members of `folds`: their states begin in those of the first block, and in the whole.
  template <class Then, class First, class... Rest>
  MONOFOLD_GPU void join(const fold_list<First, Rest...>& folds,
                         const typename fold_list<First, Rest...>::states* states,
                         typename fold_list<First, Rest...>::states* out, const Then& then,
                         int number) const {
    if (is_of_this_warp(number)) {
      const auto own = then(folds.first, total_of(folds.first, &states->first));
      if (lane_rank() == 0) out->first = own;
    }
    if constexpr (sizeof...(Rest) > 0) {
      join(folds.rest, &states->rest, &out->rest, then, number + 1);
    }
  }

  /// One member's states.
  template <class Part>
  struct parts {
    const char* bytes;
    MONOFOLD_GPU const Part& operator[](std::int64_t block) const {
      return *reinterpret_cast<const Part*>(bytes + block * static_cast<int>(sizeof(state)));
    }
  };

  /// The node over them, in lane 0.
  template <class Member>
  MONOFOLD_GPU typename Member::state total_of(const Member& f,
                                               const typename Member::state* first) const {
    using part = typename Member::state;
    const int each = blocks_ <= warp_lanes ? 1 : states_per_thread;
    const int owners = (blocks_ + each - 1) / each;
    const int at = lane_rank() < owners ? lane_rank() * each : 0;
    const parts<part> own{reinterpret_cast<const char*>(first) +
                          at * static_cast<int>(sizeof(state))};
    return warp::combine(f, each == 1 ? own[0] : combine_neighbours(f, own, blocks_ - at), owners);
  }

  state* states_;
  int blocks_;
};

}  // namespace monofold::detail
