#pragma once
/// engine/gpu/tree/fold_members: how blocks fold the members of an `all`, which meet on different warps.

#include <cstdint>

#include "monofold/engine/gpu/kernel.cuh"
#include "monofold/engine/gpu/mailbox.cuh"
#include "monofold/engine/gpu/tree/block_fold.cuh"
#include "monofold/engine/gpu/tree/locate.cuh"
#include "monofold/engine/gpu/tree/mailed_members.cuh"
#include "monofold/level/thread.cuh"
#include "monofold/platform/host_device.hpp"

namespace monofold::detail {

/// How many of `tiles` a block has that begins with tile `first` and may take 2^level.
template <class Count>
MONOFOLD_GPU int tiles_here(Count tiles, Count first, int level) {
  const Count left = tiles - first;
  return left < (1 << level) ? static_cast<int>(left) : 1 << level;
}

/// The tiles of a launch, 2^block_level neighbours a block.
struct tile_share {
  std::int64_t tiles;
  int blocks;
  int block_level;
};

/// What hands on a member's total with its index, where it has one.
template <class View>
struct member_locator {
  const View& view;
  std::int64_t size;

  template <class Member>
  MONOFOLD_GPU auto operator()(const Member& f, const typename Member::state& total) const {
    return located(f, view, size, total);
  }
};

/// Folds all tiles in one block.
///
/// sync       all threads of the block
template <class F, class View, class Sink>
MONOFOLD_GPU void fold_members_alone(const F& f, const View& view, std::int64_t size,
                                     const tile_share& share, const Sink& sink) {
  const auto here = static_cast<int>(share.tiles);
  const block_places<F, View> places(dynamic_shared(), share.block_level);
  clear_state(places.warp_states);
  const auto parts = fold_block_parts(f, view, size, 0, here, places);
  parts.totals_by_warps(f, here, places.warp_states, member_locator<View>{view, size});
  sync_block();  // what warps wrote above is read below
  if (threadIdx.x == 0) sink(f, *places.warp_states);
}

/// Folds the tiles of this block into `places.warp_states[0]`.
///
/// sync       all threads of the block, behind a barrier then
template <class F, class View>
MONOFOLD_GPU void fold_members_of_block(const F& f, const View& view, std::int64_t size,
                                        const tile_share& share,
                                        const block_places<F, View>& places) {
  const std::int64_t first = std::int64_t{blockIdx.x} << share.block_level;
  const int here = tiles_here(share.tiles, first, share.block_level);
  clear_state(places.warp_states);
  const auto parts = fold_block_parts(f, view, size, first, here, places);
  parts.totals_by_warps(f, here, places.warp_states,
                        [](const auto&, const auto& total) { return total; });
  sync_block();  // what warps wrote above is read behind it
}

/// Blocks post what they have, and the last one joins it. Hardware starts blocks in order, so whoever it waits
/// for is running or done.
///
/// shape      up to max_mail_blocks blocks of 256 threads or more
/// sync       all threads of the block
template <class F, class View, class Sink>
MONOFOLD_GPU void fold_members_by_mail(const F& f, const View& view, std::int64_t size,
                                       const tile_share& share, const mail_room& room,
                                       const Sink& sink) {
  // The number of the call is read early: that takes as long as items do.
  const mailbox<typename F::state> mail{room.boxes(), room.read_call()};
  const block_places<F, View> places(dynamic_shared(), share.block_level);
  fold_members_of_block(f, view, size, share, places);
  if (threadIdx.x < warp_lanes) mail.post(blockIdx.x, places.warp_states);
  if (static_cast<int>(blockIdx.x) + 1 != share.blocks) return;
  sync_block();  // states read above are overwritten below
  const mailed_members<F> heard(dynamic_shared(), share.blocks);
  heard.wait(f, mail);
  room.end_call(mail.call);
  const auto* const whole = heard.totals(f, member_locator<View>{view, size});
  sync_block();  // what warps wrote above is read below
  if (threadIdx.x == 0) sink(f, *whole);
}

}  // namespace monofold::detail
