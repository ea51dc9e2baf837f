#pragma once
/// engine/gpu/tree/fold_members: how blocks fold the members of an `all`, whose totals different warps make.

#include <cstdint>

#include "monofold/engine/gpu/mailbox.cuh"
#include "monofold/engine/gpu/tree/block_fold.cuh"
#include "monofold/engine/gpu/tree/joined_members.cuh"
#include "monofold/engine/gpu/tree/locate.cuh"
#include "monofold/engine/gpu/tree/mailed_members.cuh"
#include "monofold/level/block_shared.cuh"
#include "monofold/level/thread.cuh"
#include "monofold/platform/host_device.hpp"

namespace monofold::detail {

/// How many tiles a block has that begins with tile `first` of `tiles`: at most 2^level.
template <class Count>
MONOFOLD_GPU int tiles_here(Count tiles, Count first, int level) {
  const Count left = tiles - first;
  return left < (1 << level) ? static_cast<int>(left) : 1 << level;
}

/// Leaves the total of a member as it is.
struct member_as_it_is {
  template <class Member>
  MONOFOLD_GPU auto operator()(const Member&, const typename Member::state& total) const {
    return total;
  }
};

/// Puts the index into the total of a member that is an extremum.
template <class View>
struct member_locator {
  const View& view;
  std::int64_t size;

  template <class Member>
  MONOFOLD_GPU auto operator()(const Member& f, const typename Member::state& total) const {
    return located(f, view, size, total);
  }
};

/// Folds the `here` tiles of this block, from tile `first` on, into `places.warp_states[0]`.
///
/// sync       all threads of the block, and ends with a barrier
template <class F, class View>
MONOFOLD_GPU void fold_members_of_block(const F& f, const View& view, std::int64_t size,
                                        std::int64_t first, int here,
                                        const block_places<F, View>& places) {
  clear_state(places.warp_states);
  const auto parts = fold_block_parts(f, view, size, first, here, places);
  parts.totals_by_warps(f, here, places.warp_states, member_as_it_is{});
  sync_block();  // what warps wrote above is read behind it
}

/// Blocks post their states, which lie in shared memory; the last one joins them and gives the sink the total. Hardware
/// starts blocks in order, so whoever it waits for is running or done.
///
/// shape      up to max_mail_blocks blocks of 256 threads or more
/// sync       all threads of the block, behind a barrier
template <class F, class Then, class Sink>
MONOFOLD_GPU void store_mailed_total(const F& f, const typename F::state* own, int blocks,
                                     const mailbox<typename F::state>& mail,
                                     const mailbox_storage& mail_storage, const Then& then,
                                     const Sink& sink) {
  if (threadIdx.x < warp_lanes) mail.post(blockIdx.x, own);
  if (static_cast<int>(blockIdx.x) + 1 != blocks) return;
  sync_block();  // states read above are overwritten below
  const mailed_members<F> heard(dynamic_shared(), blocks);
  const auto* const whole = heard.totals(f, mail, mail_storage, then);
  if (threadIdx.x == 0) sink(f, *whole);
}

}  // namespace monofold::detail
