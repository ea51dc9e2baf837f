#pragma once
/// engine/gpu/tree/mailed_members: how the last block joins the states of an `all` that blocks have mailed.

#include "monofold/engine/gpu/mailbox.cuh"
#include "monofold/engine/gpu/tree/joined_members.cuh"
#include "monofold/level/block_shared.cuh"
#include "monofold/level/thread.cuh"
#include "monofold/platform/host_device.hpp"

namespace monofold::detail {

/// In place of `mailbox_storage` where there is only one block.
struct no_mailbox_storage {};

/// Joins mailed states of an `all` in shared memory. States are received up to 256 at a time, and every 32 make a
/// node; then the nodes are joined.
///
/// shape      blocks of 256 threads or more, up to 1024 blocks; shared: shared_bytes(blocks), for states, nodes and
///            the total
/// order      the plan's tree
template <class F>
class mailed_members {
 public:
  using state = typename F::state;

  static constexpr int shared_bytes(std::int64_t blocks) {
    return whole_at(static_cast<int>(blocks)) + static_cast<int>(sizeof(state));
  }

  MONOFOLD_GPU mailed_members(void* shared, int blocks)
      : shared_(static_cast<char*>(shared)), blocks_(blocks) {}

  /// Waits for the states that blocks have posted or are sure to post, and ends the call when all are read. Calls
  /// then(fold, state) for the total of each member, and returns where what that returns is stored.
  ///
  /// sync       all threads of the block, and ends with a barrier
  template <class Then>
  MONOFOLD_GPU const state* totals(const F& f, const mailbox<state>& mail,
                                   const mailbox_storage& mail_storage, const Then& then) const {
    auto* const states = reinterpret_cast<state*>(shared_);
    auto* const nodes = states + states_at_once(blocks_);
    auto* const whole = reinterpret_cast<state*>(shared_ + whole_at(blocks_));
    clear_state(whole);
    const bool is_one = blocks_ <= warp_lanes;  // round
    MONOFOLD_ROLL
    for (int first = 0;; first += most_at_once) {
      const int left = blocks_ - first;
      const bool is_last = is_one || left <= 0;
      const int count = left <= 0 ? nodes_of(blocks_) : states_at_once(left);
      if (left > 0) mail.wait_all(first, count, states);
      sync_block();  // what is written above is read below
      if (is_last) mail_storage.end_call(mail.call);
      const auto finally = [&](const auto& member, const auto& total) {
        return is_last ? then(member, total) : total;
      };
      const joined_members<F, decltype(finally)> joined(left > 0 ? states : nodes, count, finally);
      joined.store(f, is_last ? whole : nodes + first / warp_lanes);
      sync_block();  // and here
      if (is_last) return whole;
    }
  }

 private:
  static constexpr int most_at_once = 256;

  MONOFOLD_HD static constexpr int states_at_once(int left) {
    return left < most_at_once ? left : most_at_once;
  }
  MONOFOLD_HD static constexpr int nodes_of(int blocks) {
    return (blocks + warp_lanes - 1) / warp_lanes;
  }
  MONOFOLD_HD static constexpr int whole_at(int blocks) {
    const int states = states_at_once(blocks) + nodes_of(blocks);
    return in_chunks_of_16(states * static_cast<int>(sizeof(state)));
  }

  char* shared_;
  int blocks_;
};

}  // namespace monofold::detail
