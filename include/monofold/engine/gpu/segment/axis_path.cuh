#pragma once
/// engine/gpu/segment/axis_path: folds of the rows of an array on a CUDA device.

#include <cstdint>
#include <type_traits>

#include "monofold/engine/gpu/launch.cuh"
#include "monofold/engine/gpu/segment/across_cells.cuh"
#include "monofold/engine/gpu/segment/add_across_kernel.cuh"
#include "monofold/engine/gpu/segment/double_column_path.cuh"
#include "monofold/engine/gpu/segment/fold_across_kernel.cuh"
#include "monofold/engine/gpu/segment/join_across_kernel.cuh"
#include "monofold/engine/gpu/segment/path.cuh"
#include "monofold/engine/gpu/segment/share_across_kernel.cuh"
#include "monofold/engine/gpu/segment/staged_columns.cuh"
#include "monofold/engine/gpu/workspace.cuh"
#include "monofold/shape/axes.hpp"
#include "monofold/shape/segments.hpp"

namespace monofold::detail {

/// The rows as segments of one length, where they are that: side by side, one behind the other; or in stretches, if
/// `Segments` have some of the rows of an array.
template <class View, class First, class Segments>
struct rows_as_segments {
  bool are_segments;
  View view;
  Segments segments;

  rows_as_segments(const First& first, const array_rows& rows)
      : are_segments(rows.is_contiguous() && rows.num_kept <= 1 && rows.inner().stride >= 0 &&
                     (rows.num_kept == 0 || rows.inner().number == 1)),
        view(first, (rows.num_rows - 1) * rows.inner().stride + rows.row_items),
        segments(rows.row_items, rows.num_rows, rows.inner().stride) {
    if constexpr (have_stretches<Segments> && std::is_pointer_v<First>) {
      if (rows.num_reduced < 2) return;
      segments = Segments(rows, row_stretches::of(rows, first, sizeof(typename View::item_type)));
      view = View(first, segments.end(rows.num_rows - 1));
      are_segments = true;
    }
  }
};

/// A fold of the rows of an array, of which there are some; lives for one call. `Segments`: what rows that lie one
/// behind the other are, made as fixed_segments are; `one_axis`: no array has rows of several axes; `First`: what is
/// indexed as a pointer to items is.
template <class F, class Item, class Segments = fixed_segments, bool one_axis = false,
          class First = const Item*>
class axis_path {
 public:
  using view = view_from<Item, First>;
  using state = typename F::state;

  axis_path(const F& f, const First& first, const array_rows& rows, int multiprocessors)
      : fold_(f),
        first_(first),
        rows_(rows),
        multiprocessors_(multiprocessors),
        rows_as_(first, rows),
        side_by_side_(f, rows_as_.view, rows_as_.segments, multiprocessors) {
    groups_ = (rows.num_rows + warp_lanes - 1) / warp_lanes;
    if constexpr (is_packed) {
      packed_ = packed_shape::of(rows, first, sizeof(Item), multiprocessors);
      nodes_ = packed_.nodes(rows.row_items);
      return;
    }
    if constexpr (has_columns_by_doubles) {
      are_doubles_ = may_round(f) &&
                     may_be_double_columns(first, rows, !std::is_same_v<term, value_term<Item>>,
                                           multiprocessors);
      if (are_doubles_) return;
    }
    const std::int64_t tiles = (rows.row_items + tile_items_v<Item> - 1) / tile_items_v<Item>;
    const auto nodes_at = [&](int level) { return ((tiles - 1) >> level) + 1; };
    const auto warps_at = [&](int level) { return groups_ * nodes_at(level) * sharing_; };
    if constexpr (may_be_staged) is_staged_ = are_staged();
    if (is_staged_) {
      groups_ = adds_exactly ? staged_blocks() * (staged_columns / warp_lanes) : staged_blocks();
      sharing_ = finds_extrema ? 1 : staging_teams;
    } else if constexpr (adds_exactly) {
      // 16 warps a multiprocessor. Nodes cost states, so warps share rows first; each has some runs of items then.
      sharing_ = add_across_warps;
      while (sharing_ > 1 && (groups_ * sharing_ > 64 * multiprocessors ||
                              rows.row_items < sharing_ * least_shared_items)) {
        sharing_ /= 2;
      }
    } else if constexpr (shares_slots_v<F>) {
      // Where warps of their own for all tiles would not be 8 a multiprocessor: then some 16. A row of the tile, or half
      // of one, is too little to have loads on their way: there warps share up to 32. Four warps share each row of
      // several tiles of small items: in 0.7 to 0.9 of the time.
      constexpr int row = tile_shape<Item>::row_items;
      const int enough_alone = rows.row_items <= row && 2 * rows.row_items >= row ? 32 : 8;
      const bool are_long = tiles > 1 && sizeof(Item) <= 4;
      if ((are_long || groups_ * tiles < enough_alone * multiprocessors) &&
          rows.row_items >= least_shared_slots) {
        sharing_ = least_across_warps;
        while (sharing_ < most_across_warps<Item> &&
               groups_ * tiles * sharing_ < 16 * multiprocessors &&
               rows.row_items >= least_shared_slots * sharing_) {
          sharing_ *= 2;
        }
      }
    }
    if constexpr (adds_exactly) {
      level_ = level_of_exact_sums(tiles);
    } else if (is_staged_) {
      while (nodes_at(level_) > max_across_nodes ||
             (nodes_at(level_) > 1 && groups_ * nodes_at(level_ + 1) >= 8 * multiprocessors)) {
        ++level_;
      }
    } else {
      // Some 16 warps a multiprocessor, a few times over.
      while (nodes_at(level_) > max_across_nodes ||
             (nodes_at(level_) > 1 && warps_at(level_ + 1) > 64 * multiprocessors)) {
        ++level_;
      }
    }
    if (tiles > 1) nodes_ = static_cast<std::int32_t>(nodes_at(level_));
  }

  std::int64_t workspace_bytes() const {
    if (rows_as_.are_segments) return side_by_side_.workspace_bytes();
    if (nodes_ == 1) return gpu_workspace::fixed_bytes;
    return gpu_workspace::fixed_bytes + states_bytes() + rows_.num_rows * nodes_ * pair_bytes;
  }

  /// Whether kernels use a workspace.
  bool needs_workspace() const {
    return rows_as_.are_segments ? side_by_side_.needs_workspace() : nodes_ > 1;
  }

  template <class Sinks>
  failure start(const device_stream& on, const gpu_workspace& workspace, const Sinks& sinks) const {
    if (rows_as_.are_segments) {
      return side_by_side_.template start<false>(on, workspace, sinks);
    }
    if constexpr (!one_axis) {
      if (rows_.num_reduced > 1) return start_apart<false>(on, workspace, sinks);
    }
    return start_apart<true>(on, workspace, sinks);
  }

 private:
  /// Whether only words and keys matter: of one reduced axis.
  static constexpr bool is_packed =
      one_axis && is_packed_best_v<F> && std::is_same_v<First, const Item*>;
  static constexpr bool adds_exactly = !std::is_void_v<across_term_t<F, contiguous_view<Item>>>;
  static constexpr bool has_columns_by_doubles =
      one_axis && std::is_same_v<First, const Item*> && has_double_columns_v<F, Item>;
  static constexpr std::int64_t least_shared_items = 64;
  /// Teams of a block that share columns: two take the least time, one and four up to 1.05 and 1.4 of it.
  static constexpr int staging_teams = 2;
  static constexpr int staged_bytes = staging_teams * page_shape<Item>::bytes;
  static constexpr std::int64_t least_staged_columns = 96;  // of fewer, lanes have no work
  static constexpr int most_static_bytes = 16 * 1024;       // that kernels have besides
  static constexpr bool finds_extrema = finds_by_pages_v<F, Item>;
  /// For folds of any order.
  ///
  /// source     one H200: sums of 32 x 262 144 int32 take 0.5 of the time by wide rows, of 10 x 1 000 000 1.25, of
  ///            100 x 1 000 000 1.5
  static constexpr std::int64_t least_wide_items = 16;
  static constexpr std::int64_t most_wide_bytes = std::int64_t{64} << 20;
  using term = across_term_t<F, contiguous_view<Item>>;
  static constexpr bool may_be_staged = [] {
    if constexpr (!std::is_same_v<First, const Item*> || is_packed) {
      return false;
    } else if constexpr (adds_exactly) {
      return sizeof(Item) <= 4 && adds_by_doubles_v<F, term>;
    } else {
      return finds_extrema || is_stageable_fold_v<F, Item>;
    }
  }();
  static constexpr std::int64_t pair_bytes = [] {
    if constexpr (adds_by_doubles_v<F, term>)
      return std::int64_t{sizeof(typename pair_cells<term>::cell)};
    return std::int64_t{0};
  }();
  static constexpr std::int64_t most_of_pairs = [] {
    if constexpr (may_be_staged && adds_exactly) return across_cells<F, term, 1>::most_of_pairs;
    return std::int64_t{0};
  }();

  /// The level of nodes at which exact sums take the least time: blocks come in waves, of which the last may have few.
  ///
  /// source     on an H200 10 000 x 10 000 float64 take 203 us by 20 nodes, 253 us by rows in two waves; nodes are
  ///            joined in some 3 us
  std::int32_t level_of_exact_sums(std::int64_t tiles) const {
    // In items that are loaded meanwhile: until a warp has its loads on their way, and while nodes are joined.
    constexpr std::int64_t filling = 128 / sizeof(Item);
    constexpr std::int64_t joining = 200 / sizeof(Item);
    const std::int64_t wave = std::int64_t{add_across_blocks} * add_across_warps * multiprocessors_;
    const auto nodes_at = [&](std::int32_t level) { return ((tiles - 1) >> level) + 1; };
    const auto items_at = [&](std::int32_t level) {
      const std::int64_t nodes = nodes_at(level);
      const std::int64_t waves = (groups_ * nodes * sharing_ + wave - 1) / wave;
      const std::int64_t own =
          nodes == 1 ? rows_.row_items : std::int64_t{tile_items_v<Item>} << level;
      return waves * (own / sharing_ + filling) + (nodes == 1 ? 0 : joining);
    };
    std::int32_t best = 0;
    while (nodes_at(best) > 1) ++best;
    std::int64_t least = items_at(best);
    for (std::int32_t level = best; level-- > 0 && nodes_at(level) <= max_across_nodes;) {
      const std::int64_t items = items_at(level);
      if (items * 20 > least * 19) continue;  // more nodes are more states
      best = level;
      least = items;
    }
    return best;
  }

  /// Whether blocks bring the items to shared memory by pages: where they may, and it is faster.
  ///
  /// source     on an H200 in 0.25 to 0.95 of the time, but exact sums of few blocks in up to 1.5, and plain sums of
  ///            doubles in up to 1.15, where less than half a tile is left
  bool are_staged() const {
    constexpr int each = tile_shape<Item>::items_per_lane;
    constexpr int tile_items = tile_items_v<Item>;
    const axis_step& inner = rows_.inner();
    if (!are_columns_in_chunks(first_, rows_, rows_.num_kept == 1 ? each : staged_columns)) {
      return false;
    }
    if (inner.extent < least_staged_columns || rows_.row_items < tile_items / 4) {
      return false;
    }
    if (adds_exactly && rows_.row_items > most_of_pairs) return false;
    if (sizeof(Item) == 8 && !finds_extrema &&
        (rows_.row_items > 4 * tile_items || 2 * (rows_.row_items % tile_items) < tile_items)) {
      return false;
    }
    const std::int64_t tiles = (rows_.row_items + tile_items - 1) / tile_items;
    constexpr int each_unit = finds_extrema ? 3 : adds_exactly && sizeof(Item) == 4 ? 1 : 2;
    return staged_blocks() * tiles * each_unit >= multiprocessors_ &&
           has_shared_memory(staged_bytes + most_static_bytes);
  }
  std::int64_t staged_blocks() const {
    return (rows_.num_rows + staged_columns - 1) / staged_columns;
  }
  static failure no_shared_memory() { return {status::internal, "no shared memory for columns"}; }

  std::int64_t states_bytes() const {
    return decltype(side_by_side_)::block::bytes_of_states(rows_.num_rows * nodes_);
  }

  template <bool is_one_axis, class Sinks>
  failure start_apart(const device_stream& on, const gpu_workspace& workspace,
                      const Sinks& sinks) const {
    using job = across_job<F, Item, Sinks, is_one_axis, First>;
    const wide_shape wide = wide_shape_of<job>();
    const std::int32_t lane_rows = lane_rows_of<job>();
    const std::int64_t groups = (groups_ + lane_rows - 1) / lane_rows;
    void* const states = needs_workspace() ? workspace.states() : nullptr;
    const job own{handed_layout_of<F, view>(),
                  first_,
                  static_cast<state*>(states),
                  states != nullptr ? static_cast<char*>(states) + states_bytes() : nullptr,
                  groups,
                  nodes_,
                  level_,
                  sharing_,
                  lane_rows,
                  lane_rows > 1 && are_neighbours() ? 1 : warp_lanes,
                  wide,
                  packed_,
                  is_staged_,
                  sinks,
                  rows_,
                  fold_};
    if constexpr (has_columns_by_doubles && is_answer_sink_v<decltype(own.sinks.of(0))>) {
      if (are_doubles_) return start_double_columns(on, own, multiprocessors_);
    }
    constexpr int warps = across_threads / warp_lanes;
    failure failed;
    if constexpr (is_packed) {
      const std::int64_t all = packed_.units * nodes_ << packed_.sharing;
      failed = launch_early(fold_across_kernel<job>, (all + warps - 1) / warps, across_threads, 0,
                            on, own);
    } else if constexpr (adds_exactly) {
      const std::int64_t all = groups * nodes_ * sharing_;
      static_assert(!may_be_staged || across_block<job>::shared_bytes <= most_static_bytes);
      const int bytes = is_staged_ ? staged_bytes : 0;
      if (!may_share(add_across_kernel<job>, bytes)) return no_shared_memory();
      failed = launch_early(add_across_kernel<job>, (all + add_across_warps - 1) / add_across_warps,
                            add_across_warps * warp_lanes, bytes, on, own);
    } else if (is_staged_) {
      if constexpr (finds_extrema) {
        failed = launch_early(fold_across_kernel<job>, groups * nodes_, staged_columns,
                              page_shape<Item>::bytes, on, own);
      } else if constexpr (may_be_staged) {
        if (!may_share(share_across_kernel<job>, staged_bytes)) return no_shared_memory();
        failed = launch_early(share_across_kernel<job>, groups * nodes_,
                              staging_teams * staged_columns, staged_bytes, on, own);
      }
    } else if (wide.sharing > 0) {
      failed = launch_early(fold_across_kernel<job>, wide_blocks(wide, wide_rows<F, Item>),
                            across_threads, 0, on, own);
    } else if (sharing_ == 1) {
      failed = launch_early(fold_across_kernel<job>, (groups * nodes_ + warps - 1) / warps,
                            across_threads, 0, on, own);
    } else if constexpr (shares_slots_v<F>) {
      failed = launch_early(share_across_kernel<job>, groups_ * nodes_, sharing_ * warp_lanes, 0,
                            on, own);
    }
    if (failed || nodes_ == 1) return failed;
    const std::int64_t each = warps * rows_joined_by_warp(nodes_);
    return launch_early(join_across_kernel<job>, (rows_.num_rows + each - 1) / each, across_threads,
                        0, on, own);
  }

  /// How lanes and warps share neighbouring short rows whose items lie so that lanes load some together; sharing 0: they
  /// do not, or rows are too few for a block a multiprocessor.
  template <class Job>
  wide_shape wide_shape_of() const {
    if constexpr (has_wide_rows_v<Job>) {
      // In any order, lanes that have rows 32 apart are as fast where these are tiny, or many.
      if (has_any_order_v<F> &&
          (rows_.row_items <= least_wide_items ||
           rows_.num_rows * rows_.row_items > most_wide_bytes / static_cast<int>(sizeof(Item)))) {
        return {0, 0};
      }
      constexpr int each = wide_rows<F, Item>;
      const axis_step& inner = rows_.inner();
      const bool are_wide = rows_.row_items > 0 && rows_.row_items <= tile_shape<Item>::row_items &&
                            rows_.row_items <= most_wide_items && !is_staged_ && nodes_ == 1 &&
                            rows_.num_kept == 1 && inner.stride == 1 && inner.number == 1 &&
                            rows_.num_rows % each == 0 && rows_.reduced[0].stride % each == 0 &&
                            reinterpret_cast<std::uintptr_t>(first_) % (each * sizeof(Item)) == 0;
      const auto wide = wide_shape::of(rows_.row_items, across_threads / warp_lanes);
      if (are_wide && wide_blocks(wide, each) >= multiprocessors_) return wide;
    }
    return {0, 0};
  }
  std::int64_t wide_blocks(const wide_shape& wide, int lane_rows) const {
    const int rows = (warp_lanes * lane_rows >> wide.level) *
                     (wide.sharing > 1 ? 1 : across_threads / warp_lanes);
    return (rows_.num_rows + rows - 1) / rows;
  }

  /// Whether a lane that has several rows has neighbours, whose items it loads together.
  bool are_neighbours() const {
    if constexpr (adds_exactly && std::is_same_v<First, const Item*> && sizeof(Item) <= 4) {
      return rows_.inner().stride == 1 && rows_.num_rows % most_lane_rows == 0 &&
             rows_.reduced[0].stride % most_lane_rows == 0 &&
             reinterpret_cast<std::uintptr_t>(first_) % (most_lane_rows * sizeof(Item)) == 0;
    } else {
      return false;
    }
  }

  /// Rows that a lane takes: several where there are enough short ones for 16 warps a multiprocessor, or for 8 that
  /// load more at once.
  template <class Job>
  std::int32_t lane_rows_of() const {
    bool may_have_several = false;
    if constexpr (adds_exactly) {
      if constexpr (adds_across_by_doubles_v<Job, term>) {
        may_have_several =
            rows_.row_items <= across_cells<F, term, most_lane_rows>::most_of_several;
      }
    } else {
      may_have_several = has_lane_rows_v<Job> && rows_.row_items <= tile_shape<Item>::row_items;
    }
    const bool have_numbers_in_a_row = rows_.num_kept == 1 && rows_.inner().number == 1;
    const std::int64_t least_groups =
        std::int64_t{are_neighbours() ? 8 : 16} * most_lane_rows * multiprocessors_;
    if (may_have_several && !is_staged_ && sharing_ == 1 && nodes_ == 1 && rows_.row_items > 0 &&
        have_numbers_in_a_row && groups_ >= least_groups) {
      return most_lane_rows;
    }
    return 1;
  }

  const F& fold_;
  First first_;
  const array_rows& rows_;
  int multiprocessors_;
  rows_as_segments<view, First, Segments> rows_as_;
  segment_path<F, view, Segments> side_by_side_;
  std::int64_t groups_ = 0;
  std::int32_t nodes_ = 1;
  std::int32_t level_ = 0;
  std::int32_t sharing_ = 1;
  packed_shape packed_;
  bool is_staged_ = false;
  bool are_doubles_ = false;
};

}  // namespace monofold::detail
