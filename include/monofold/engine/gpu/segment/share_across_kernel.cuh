#pragma once
/// engine/gpu/segment/share_across_kernel: few rows whose items lie apart: the warps of a block share each tile.

#include <cstdint>
#include <type_traits>

#include "monofold/engine/gpu/kernel.cuh"
#include "monofold/engine/gpu/segment/fold_across_kernel.cuh"
#include "monofold/engine/gpu/segment/short_fold.cuh"
#include "monofold/engine/gpu/segment/staged_columns.cuh"
#include "monofold/engine/gpu/segment/teams.cuh"
#include "monofold/level/block.cuh"
#include "monofold/level/thread.cuh"
#include "monofold/plan/tiles.hpp"
#include "monofold/platform/host_device.hpp"

namespace monofold::detail {

/// So many warps may share rows, at least and at most: powers of two. Columns of small items take more registers.
inline constexpr int least_across_warps = 4;
template <class Item>
inline constexpr int most_across_warps = sizeof(Item) < 4 ? 8 : 16;
/// Fewer items are loaded sooner than warps meet.
inline constexpr int least_shared_slots = 32;

/// True where warps may share the slots of a tile: these are joined once, and a lane's total is small.
template <class F>
inline constexpr bool shares_slots_v =
    !is_all_fold<F>::value && !is_extremum_fold_v<F> && !is_extrema_fold_v<F> &&
    !has_short_fold_v<F> && !may_repeat_v<F> && sizeof(accumulator_t<F>) <= 16;

/// The items of a row of one axis as lanes take them who wait for their loads: all loads of a column are begun at once,
/// in ragged tiles as well.
template <class Items>
struct awaited_items : Items {
  using Items::Items;
  static constexpr bool is_awaited = true;
};

/// Whether a fold may have its items by pages.
template <class F, class Item>
inline constexpr bool is_stageable_fold_v =
    shares_slots_v<F>&& slot_shape<F, Item>::striped && !is_large_v<F, Item> && sizeof(Item) <= 8 &&
    lane_bytes % sizeof(Item) == 0;

/// The state of a tile of the rows of `each` lanes, in the first of 2^level members of the block: each takes a power of
/// two of neighbouring columns, a node.
///
/// order      the plan's tree
/// sync       all threads of the block
template <class F, class Item, int each, class Items>
MONOFOLD_GPU typename F::state fold_shared_tile(const F& f, const Items& items, int count,
                                                int level) {
  using own_type = accumulator_t<F>;
  alignas(16) __shared__ char shared[most_across_warps<Item> * warp_lanes * sizeof(own_type)];
  const int member = thread_rank() / each;
  auto* const parts = reinterpret_cast<own_type*>(shared) + thread_rank() % each;
  const int used = columns_in_use<column_items<F, Item>>(count);
  const int width = columns_a_member(used, level);
  auto own = fold_member_slots<F, Item>(f, items, count, member, width, used);
  if constexpr (is_paged_v<Items>) {
    // Members that have fewer columns turn as many pages.
    const int left = used - member * width;
    MONOFOLD_ROLL
    for (int i = left < 0 ? 0 : left; i < width; ++i) items.turn_page();
  }
  if (level == 0) return fold_access<F, Item>::flush(f, own, count);
  sync_block();  // parts read before are overwritten below
  parts[member * each] = own;
  sync_block();  // parts written above are read below
  if (member == 0) {
    const int holders = (used + width - 1) / width;
    MONOFOLD_ROLL
    for (int distance = 1; distance < 1 << level; distance *= 2) {
      MONOFOLD_ROLL
      for (int i = 0; i + distance < holders; i += 2 * distance) {
        own_type* const left = parts + i * each;
        const own_type both = lane_access<F, Item>::join(f, *left, left[distance * each]);
        *left = both;
      }
    }
    own = *parts;
  }
  return fold_access<F, Item>::flush(f, own, count);
}

/// The columns of a block by pages, and a node of them.
///
/// shape      job.is_staged: rows of a block are neighbours in memory
/// sync       all threads of the block
template <class Job>
MONOFOLD_GPU void fold_staged_across(const Job& job, int level) {
  using fold = typename Job::fold;
  using item = typename Job::item;
  constexpr int tile_items = tile_items_v<item>;
  const auto own = staged_unit_of(job);
  const across_unit& unit = own.unit;
  tile_pages<item> pages(own.ring, job.rows.row_items, unit.first, unit.end, own.team, level);
  lane_counter<fold, across_tile_levels> counter;
  MONOFOLD_ROLL
  for (std::int64_t tile = unit.first; tile < unit.end; ++tile) {
    const std::int64_t left = job.rows.row_items - tile * tile_items;
    const int count = left < tile_items ? static_cast<int>(left) : tile_items;
    const paged_items<item> items(pages, tile * tile_items);
    counter.push(job.f, fold_shared_tile<fold, item, staged_columns>(job.f, items, count, level));
  }
  give_across(job, unit, counter.total(job.f));
}

/// A block a node of 32 neighbouring rows, or of staged_columns ones; rows have an item at least.
template <class Job>
__global__ void __launch_bounds__(most_across_warps<typename Job::item>* warp_lanes)
    share_across_kernel(MONOFOLD_GRID_CONSTANT const Job job) {
  using item = typename Job::item;
  using fold = typename Job::fold;
  using own_items = std::conditional_t<Job::has_one_axis, awaited_items<typename Job::items>,
                                       typename Job::items>;
  constexpr int tile_items = tile_items_v<item>;
  let_next_launch_begin();
  if (job.layout != handed_layout_of<fold, typename Job::view>()) trap();
  wait_for_launches_before();
  const int level = level_over(job.sharing);
  if constexpr (has_pages_v<Job> && is_stageable_fold_v<fold, item>) {
    if (job.is_staged) return fold_staged_across(job, level);
  }
  const across_unit unit = unit_of(job, block_rank());
  lane_counter<fold, across_tile_levels> counter;
  MONOFOLD_ROLL
  for (std::int64_t tile = unit.first; tile < unit.end; ++tile) {
    const std::int64_t left = job.rows.row_items - tile * tile_items;
    const int count = left < tile_items ? static_cast<int>(left) : tile_items;
    const own_items items(job.first + unit.place.offset, job.rows, tile * tile_items);
    counter.push(job.f, fold_shared_tile<fold, item, warp_lanes>(job.f, items, count, level));
  }
  if (warp_rank() == 0) give_across(job, unit, counter.total(job.f));
}

}  // namespace monofold::detail
