#pragma once
/// engine/gpu/segment/fold_across_kernel: rows whose items lie apart: a lane a row, lanes across neighbouring rows.

#include <cstdint>
#include <type_traits>

#include "monofold/engine/gpu/kernel.cuh"
#include "monofold/engine/gpu/segment/job.cuh"
#include "monofold/engine/gpu/segment/lane_items.cuh"
#include "monofold/engine/gpu/segment/packed_across.cuh"
#include "monofold/engine/gpu/segment/paged_extremum.cuh"
#include "monofold/engine/gpu/segment/row_place.cuh"
#include "monofold/engine/gpu/segment/short_across.cuh"
#include "monofold/engine/gpu/segment/short_fold.cuh"
#include "monofold/engine/gpu/segment/staged_columns.cuh"
#include "monofold/level/block_shared.cuh"
#include "monofold/level/thread.cuh"
#include "monofold/plan/tiles.hpp"
#include "monofold/platform/host_device.hpp"
#include "monofold/shape/axes.hpp"

namespace monofold::detail {

/// Items from `First` on, which is indexed as a pointer is.
template <class Item, class First>
class indexed_view {
 public:
  using item_type = Item;

  MONOFOLD_HD indexed_view(const First& first, std::int64_t count) : first_(first), count_(count) {}

  MONOFOLD_HD std::int64_t size() const { return count_; }
  MONOFOLD_HD Item operator[](std::int64_t i) const { return first_[i]; }

 private:
  First first_;
  std::int64_t count_;
};
template <class Item, class First>
using view_from = std::conditional_t<std::is_same_v<First, const Item*>, contiguous_view<Item>,
                                     indexed_view<Item, First>>;

/// The items of a row whose first one is item `base` of it. `one_axis`: one axis is reduced, as memory walks it, and an
/// item is one multiplication away; of several it is a step from the item before, mostly.
template <class Item, bool one_axis = false, class First = const Item*>
class row_items {
 public:
  static constexpr bool is_far = true;

  MONOFOLD_GPU row_items(const First& first, const array_rows& rows, std::int64_t base)
      : first_(one_axis ? first + base * rows.reduced[0].stride : first),
        rows_(rows),
        base_(base),
        inner_(rows.reduced[one_axis || rows.num_reduced == 0 ? 0 : rows.num_reduced - 1]) {}

  MONOFOLD_GPU std::int64_t index(int i) const { return base_ + i; }

  template <bool is_whole = false>
  MONOFOLD_GPU item_chunk<Item> chunk(int i, int count) const {
    constexpr int each = tile_shape<Item>::items_per_lane;
    item_chunk<Item> out;
    if constexpr (one_axis) {
      const First at = first_ + i * inner_.stride;  // one long multiplication for all
      MONOFOLD_UNROLL
      for (int v = 0; v < each; ++v) {
        if (is_whole || i + v < count) out[v] = at[v * inner_.stride];
      }
    } else {
      std::int64_t offset = offset_of(rows_, base_ + i);
      std::int64_t left = inner_.extent - (base_ + i) % inner_.extent;  // on this stretch
      MONOFOLD_UNROLL
      for (int v = 0; v < each; ++v) {
        if (v > 0 && --left == 0) {
          left = inner_.extent;
          if (is_whole || i + v < count) offset = offset_of(rows_, base_ + i + v);
        } else if (v > 0) {
          offset += inner_.stride;
        }
        if (is_whole || i + v < count) out[v] = first_[offset];
      }
    }
    return out;
  }

 private:
  /// Divisions, which are long: a call, as many places ask.
  MONOFOLD_GPU_CALL static std::int64_t offset_of(const array_rows& rows, std::int64_t i) {
    return rows.offset_of_item(i);
  }

  First first_;
  const array_rows& rows_;
  std::int64_t base_;
  axis_step inner_;  // the axis that neighbouring items differ in
};

/// A fold of the rows of an array. A warp, or some that share them, take 32 neighbouring rows, or nodes of 2^node_level
/// tiles of them.
template <class F, class Item, class Sinks, bool one_axis = false, class First = const Item*>
struct across_job {
  static constexpr bool has_one_axis = one_axis;
  using fold = F;
  using items = row_items<Item, one_axis, First>;
  using item = Item;
  using first_item = First;
  using state = typename F::state;
  using view = view_from<Item, First>;
  using term_view = contiguous_view<Item>;  // whose exact term is that of these rows

  handed_layout layout;
  First first;
  state* states;  // of nodes, those of a row side by side
  // Pairs of nodes of exact sums that doubles add, see pairs_of_nodes; one that has lost something has a state.
  void* pairs;
  std::int64_t groups;
  std::int32_t nodes;
  std::int32_t node_level;
  std::int32_t sharing;     // warps that take parts of the same rows: a power of two
  std::int32_t lane_rows;   // of a lane
  std::int32_t rows_apart;  // those of a lane: 1, or a warp's lanes
  wide_shape wide;          // sharing > 0: lanes load items of neighbouring rows together instead
  packed_shape packed;      // of folds that find the best
  bool is_staged;           // by pages of a block's columns, which teams share
  Sinks sinks;
  array_rows rows;
  F f;
};

/// A binary counter of states, which a thread keeps.
template <class F, int levels>
class lane_counter {
 public:
  using state = typename F::state;

  MONOFOLD_GPU void push(const F& f, state own) {
    int level = 0;
    for (; (count_ >> level & 1) != 0; ++level) own = combine_states(f, stack_[level], own);
    stack_[level] = own;
    ++count_;
  }
  /// The total of at least one state.
  MONOFOLD_GPU state total(const F& f) const {
    int level = 0;
    while ((count_ >> level & 1) == 0) ++level;
    state own = stack_[level];
    for (++level; count_ >> level != 0; ++level) {
      if ((count_ >> level & 1) != 0) own = combine_states(f, stack_[level], own);
    }
    return own;
  }

 private:
  slot_array<state, levels> stack_;
  std::int64_t count_ = 0;
};

/// Blocks that a multiprocessor must have room for: 80 registers a thread are enough for 32 loads of 4 bytes and their
/// accumulators, else 128.
template <class F, class Item>
inline constexpr int across_resident_blocks =
    sizeof(Item) <= 4 && (sizeof(typename F::state) <= 8 || is_extremum_fold_v<F>) ? 6 : 4;
inline constexpr int across_tile_levels = 28;  // of up to 2^28 tiles a lane
inline constexpr int max_across_nodes = 2048;

/// Tiles [begin, end) of a row that begins at `first`.
///
/// order      the plan's tree
/// sync       all lanes of the warp
template <class Job>
MONOFOLD_GPU typename Job::state fold_tiles_apart(const Job& job,
                                                  const typename Job::first_item& first,
                                                  std::int64_t begin, std::int64_t end) {
  using item = typename Job::item;
  using fold = typename Job::fold;
  constexpr int tile_items = tile_items_v<item>;
  lane_counter<fold, across_tile_levels> counter;
  MONOFOLD_ROLL
  for (std::int64_t tile = begin; tile < end; ++tile) {
    const std::int64_t left = job.rows.row_items - tile * tile_items;
    const int count = left < tile_items ? static_cast<int>(left) : tile_items;
    const typename Job::items items(first, job.rows, tile * tile_items);
    counter.push(job.f, fold_team<fold, item>(job.f, items, count, short_teams{0, count}));
  }
  return counter.total(job.f);
}

/// What a lane has of rows: tiles [first, end) of row `row`, where it is there.
struct across_unit {
  std::int64_t row;
  std::int64_t node;
  std::int64_t first;
  std::int64_t end;
  row_place place;
  bool is_there;
};

/// Node `node` of a row, if it is there.
template <class Job>
MONOFOLD_GPU across_unit unit_at(const Job& job, std::int64_t row, std::int64_t node,
                                 bool is_there) {
  constexpr int tile_items = tile_items_v<typename Job::item>;
  const std::int64_t tiles = (job.rows.row_items + tile_items - 1) / tile_items;
  const std::int64_t first = node << job.node_level;
  const std::int64_t behind = first + (std::int64_t{1} << job.node_level);
  return {row,
          node,
          first,
          behind < tiles ? behind : tiles,
          place_of_row(job.rows, is_there ? row : 0),
          is_there};
}

/// Unit `rank` of a job: 32 neighbouring rows, and a node of them.
template <class Job>
MONOFOLD_GPU across_unit unit_of(const Job& job, std::int64_t rank) {
  const std::int64_t node =
      job.nodes == 1 ? 0 : rank / job.groups;  // a division of 64 bits is long
  const std::int64_t row = (rank - node * job.groups) * warp_lanes + lane_rank();
  return unit_at(job, row, node, row < job.rows.num_rows);
}

/// Gives what a lane made of its unit to the row's sink, or to who joins nodes.
template <class Job>
MONOFOLD_GPU void give_across(const Job& job, const across_unit& unit,
                              const typename Job::state& total) {
  if (!unit.is_there) return;
  if (job.nodes == 1) {
    job.sinks.of(unit.place.number)(job.f, total);
  } else {
    job.states[unit.row * job.nodes + unit.node] = total;
  }
}

/// Whether rows of a job lie where a block may bring them by pages.
template <class Job>
inline constexpr bool has_pages_v =
    Job::has_one_axis&& std::is_same_v<typename Job::first_item, const typename Job::item*>;

/// The pages of rows from `first_row` on, for thread `own` of a team.
///
/// shape      job.is_staged: rows of a block are neighbours in memory
template <class Job>
MONOFOLD_GPU page_ring<typename Job::item> ring_of(const Job& job, std::int64_t first_row, int team,
                                                   int own) {
  return {static_cast<char*>(dynamic_shared()) + team * page_shape<typename Job::item>::bytes, own,
          job.first + place_of_row(job.rows, first_row).offset, job.rows.reduced[0].stride,
          job.rows.num_rows - first_row};
}

/// What a thread has of staged_columns rows whose items come by pages.
template <class Item>
struct staged_unit {
  across_unit unit;
  int team;
  page_ring<Item> ring;
};
/// That of this thread.
///
/// shape      job.is_staged; teams of a block share its rows
template <class Job>
MONOFOLD_GPU staged_unit<typename Job::item> staged_unit_of(const Job& job) {
  const std::int64_t node = block_rank() / job.groups;
  const std::int64_t first_row = (block_rank() - node * job.groups) * staged_columns;
  const int team = thread_rank() / staged_columns;
  const int own = thread_rank() % staged_columns;
  const bool is_there = team == 0 && first_row + own < job.rows.num_rows;
  return {unit_at(job, first_row + own, node, is_there), team, ring_of(job, first_row, team, own)};
}

/// Whether a fold finds extrema by pages.
template <class F, class Item>
inline constexpr bool finds_by_pages_v = (is_extremum_fold_v<F> ||
                                          is_extrema_fold_v<F>)&&sizeof(Item) <= 8;

/// Extrema of a block's rows, and a node of them, by pages.
///
/// sync       all threads of the block
template <class Job>
MONOFOLD_GPU void find_staged_across(const Job& job) {
  using fold = typename Job::fold;
  using item = typename Job::item;
  constexpr std::int64_t tile_items = tile_items_v<item>;
  const auto own = staged_unit_of(job);
  const std::int64_t begin = own.unit.first * tile_items;
  const std::int64_t behind = own.unit.end * tile_items;
  const std::int64_t end = behind < job.rows.row_items ? behind : job.rows.row_items;
  std::conditional_t<is_extremum_fold_v<fold>, paged_extremum<fold, item>,
                     paged_extrema<fold, item>>
      best;
  std::int64_t index = begin;
  take_pages(own.ring, begin, end, 0, 1, [&](const item* page, auto count) {
    best.see(page, count, index);
    index += count;
  });
  give_across(
      job, own.unit,
      best.total(job.first + own.unit.place.offset, job.rows.reduced[0].stride, begin, end));
}

/// Folds rows whose items lie apart.
///
/// sync       all threads of the block
template <class Job>
MONOFOLD_GPU void fold_apart(const Job& job) {
  using fold = typename Job::fold;
  if constexpr (has_pages_v<Job> && finds_by_pages_v<fold, typename Job::item>) {
    if (job.is_staged) return find_staged_across(job);
  }
  if constexpr (has_wide_rows_v<Job>) {
    if (job.wide.sharing > 0) return fold_wide_across(job);
  }
  const std::int64_t rank = block_rank() * (across_threads / warp_lanes) + warp_rank();
  if (rank >= job.groups * job.nodes) return;
  if constexpr (has_lane_rows_v<Job>) {
    if (job.lane_rows > 1) return fold_short_across(job, rank);
  }
  const across_unit unit = unit_of(job, rank);
  if (unit.first == unit.end) {
    if (unit.is_there) static_cast<void>(finish_nothing(job.f, job.sinks.of(unit.place.number)));
    return;
  }
  give_across(job, unit,
              fold_tiles_apart(job, job.first + unit.place.offset, unit.first, unit.end));
}

template <class Job>
__global__ void __launch_bounds__(across_threads,
                                  across_resident_blocks<typename Job::fold, typename Job::item>)
    fold_across_kernel(MONOFOLD_GRID_CONSTANT const Job job) {
  using fold = typename Job::fold;
  let_next_launch_begin();
  if (job.layout != handed_layout_of<fold, typename Job::view>()) trap();
  wait_for_launches_before();
  if constexpr (has_pages_v<Job> && is_packed_best_v<fold>) {
    find_packed_across(job);
  } else {
    fold_apart(job);
  }
}

}  // namespace monofold::detail
