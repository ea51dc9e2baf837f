#pragma once
/// engine/gpu/tree/fold_tiles_kernel: the kernel that folds a view.

#include <cstdint>
#include <type_traits>

#include "monofold/engine/gpu/kernel.cuh"
#include "monofold/engine/gpu/load.cuh"
#include "monofold/engine/gpu/mailbox.cuh"
#include "monofold/engine/gpu/thread_copy.cuh"
#include "monofold/engine/gpu/tree/block_fold.cuh"
#include "monofold/engine/gpu/tree/fold_members.cuh"
#include "monofold/engine/gpu/tree/locate.cuh"
#include "monofold/engine/gpu/tree/warp_fold.cuh"
#include "monofold/engine/gpu/tree/warp_running.cuh"
#include "monofold/engine/gpu/tree/warp_tile.cuh"
#include "monofold/fold/all.hpp"
#include "monofold/fold/fold.hpp"
#include "monofold/level/block.cuh"
#include "monofold/level/block_shared.cuh"
#include "monofold/level/grid.cuh"
#include "monofold/level/thread.cuh"
#include "monofold/plan/launch.hpp"
#include "monofold/plan/tiles.hpp"
#include "monofold/platform/host_device.hpp"

namespace monofold::detail {

/// How many bytes a lane's accumulators take. Those of running states are kept through the loop over tiles, those of
/// other members of an `all` exist one after the other.
template <class F, class View>
struct lane_accumulators {
  using item = typename View::item_type;
  static constexpr int running = 0;
  static constexpr int passing =
      slot_shape<F, item>::chains * static_cast<int>(sizeof(accumulator_t<F>));
};
template <class F, class View>
requires is_running_v<F>
struct lane_accumulators<F, View> {
  static constexpr int running = warp_running<F, View>::lane_bytes;
  static constexpr int passing = 0;
};
template <class... Folds, class View>
struct lane_accumulators<all_fold<Folds...>, View> {
  static constexpr int largest() {
    int most = 0;
    for (const int own : {lane_accumulators<Folds, View>::passing...}) {
      most = own > most ? own : most;
    }
    return most;
  }
  static constexpr int running = (lane_accumulators<Folds, View>::running + ...);
  static constexpr int passing = largest();
};

template <class F, class View>
inline constexpr launch_facts launch_facts_v{
    static_cast<int>(sizeof(typename F::state)),
    block_state_bytes<F>::each_tile,
    block_state_bytes<F>::each_warp + static_cast<int>(sizeof(typename F::state)),
    lane_accumulators<F, View>::running + lane_accumulators<F, View>::passing,
    is_staged_v<F, View>,
    member_count_v<F>};

/// The dynamic shared memory of a launch, see `block_places`; later, in the same place, what the last block receives
/// by mail.
template <class F, class View>
constexpr int shared_bytes_of(const tile_launch& plan) {
  const int warps = plan.threads / warp_lanes;
  const int own = (is_staged_v<F, View> ? warps * staging_bytes : 0) +
                  block_state_bytes<F>::of(1 << plan.block_level, warps) +
                  in_chunks_of_16(warps * static_cast<int>(sizeof(typename F::state)));
  if constexpr (is_all_fold<F>::value) {
    const int met = plan.is_mailed ? mailed_members<F>::shared_bytes(plan.blocks) : 0;
    return own > met ? own : met;
  }
  return own;
}

/// Posts the total of this block. The last block joins the totals of all blocks, and gets true; the others get false.
///
/// shape      call: the number of the call, which thread 0 copies to shared memory or has copied; total: in thread 0
/// sync       all threads of the block
template <class F>
MONOFOLD_GPU bool combine_by_mail(const F& f, const mailbox_storage& mail_storage,
                                  const bytes16& call, int blocks, typename F::state* warp_states,
                                  typename F::state& total) {
  using mail = mailbox<typename F::state>;
  if (thread_now() < warp_lanes) {
    wait_for_copies();
    sync_warp();  // what one lane has waited for all read
    mail{mail_storage.boxes(), call.word[0]}.post(blockIdx.x, total, warp_states);
  }
  if (static_cast<int>(blockIdx.x) + 1 != blocks) return false;
  sync_block();  // states of warps read above are overwritten below
  const mail heard{mail_storage.boxes(), call.word[0]};
  total = combine_mail(f, heard, blocks, warp_states);
  mail_storage.end_call(heard.call);
  return true;
}

/// Folds a view. A warp folds a tile at a time, a block a node of neighbouring tiles. The nodes are joined by the last
/// block of the launch where they are mailed, by the block that ends last where they are not.
///
/// shape      plan: launch_for(tiles of the view); storage: unused where there is one block
/// errors     traps where the host's compiler lays out its arguments otherwise: results would be wrong
/// order      the plan's tree, whatever the launch
template <class F, class View, class Sink>
__global__ void __launch_bounds__(max_block_threads(launch_facts_v<F, View>), min_resident_blocks)
    fold_tiles_kernel(const F f, const View view, const std::int64_t size, const tile_launch plan,
                      const handed_layout layout, const grid_storage<typename F::state> storage,
                      const mailbox_storage mail_storage, const Sink sink) {
  using state = typename F::state;
  let_next_launch_begin();
  if (layout != handed_layout_of<F, View>()) trap();
  wait_for_launches_before();
  // Asked anew each time: kept through the loop over tiles, it would lie in local memory.
  const auto is_mailed = [&] { return is_mailable_v<state> && may_mail(plan.blocks); };
  // On its way from the start, and in no register: a load behind those of the items would come when they have.
  __shared__ bytes16 call;
  if (is_mailed() && thread_now() == 0) mail_storage.start_call_copy(&call);
  const block_places<F, View> places(dynamic_shared(), plan.block_level);
  state total;
  const std::int64_t first = std::int64_t{blockIdx.x} << plan.block_level;
  const int here = tiles_here(plan.tiles, first, plan.block_level);
  if constexpr (is_all_fold<F>::value) {
    fold_members_of_block(f, view, size, first, here, places);
    if constexpr (is_mailable_v<state>) {
      if (is_mailed()) {
        if (thread_now() == 0) wait_for_copies();
        sync_block();  // the call's number is read behind it
        return store_mailed_total(f, places.warp_states, static_cast<int>(plan.blocks),
                                  {mail_storage.boxes(), call.word[0]}, mail_storage,
                                  member_locator<View>{view, size}, sink);
      }
    }
    total = *places.warp_states;
  } else {
    total = fold_block(f, view, size, first, here, places);
  }
  bool is_done = plan.blocks == 1;
  if constexpr (is_mailable_v<state> && !is_all_fold<F>::value) {
    if (is_mailed()) {
      is_done = combine_by_mail(f, mail_storage, call, static_cast<int>(plan.blocks),
                                places.warp_states, total);
      if (!is_done) return;
    }
  }
  if (!is_done) {
    sync_block();  // states of warps read above are overwritten below
    if (!combine_grid(f, state(total), storage, places.warp_states, total)) return;
  }
  if (thread_now() < warp_lanes) store_total(f, view, size, total, sink);
}

}  // namespace monofold::detail
