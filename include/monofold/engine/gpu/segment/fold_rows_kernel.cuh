#pragma once
/// engine/gpu/segment/fold_rows_kernel: folds rows of one length, loaded as whole 16-byte chunks, without shared
/// memory.

#include <bit>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "monofold/engine/gpu/kernel.cuh"
#include "monofold/engine/gpu/load.cuh"
#include "monofold/engine/gpu/segment/exact_row.cuh"
#include "monofold/engine/gpu/segment/exact_team.cuh"
#include "monofold/engine/gpu/segment/job.cuh"
#include "monofold/engine/gpu/segment/row_launch.cuh"
#include "monofold/engine/gpu/segment/shared_chunks.cuh"
#include "monofold/engine/gpu/segment/slot_page.cuh"
#include "monofold/engine/gpu/segment/tile_range.cuh"
#include "monofold/engine/gpu/segment/work_list.cuh"
#include "monofold/engine/gpu/tree/warp_fold.cuh"
#include "monofold/engine/gpu/tree/warp_tile.cuh"
#include "monofold/fold/fold.hpp"
#include "monofold/level/block_shared.cuh"
#include "monofold/level/lanes.cuh"
#include "monofold/level/shuffle.cuh"
#include "monofold/level/slot_array.hpp"
#include "monofold/level/thread.cuh"
#include "monofold/plan/tiles.hpp"
#include "monofold/platform/bits.hpp"
#include "monofold/platform/host_device.hpp"

namespace monofold::detail {

/// What `join_cells` asks of the cells that hold totals of rows.
template <class F, class Item>
struct row_totals {
  static constexpr bool any_order = false;
  const F& f;
  MONOFOLD_GPU accumulator_t<F> join(const accumulator_t<F>& a, const accumulator_t<F>& b) const {
    return fold_access<F, Item>::join(f, a, b);
  }
};

/// Folds rows of which each lane has `depth` chunks, of 16 or, if `are_halves`, of 8 bytes.
template <class Job, int depth, bool are_halves = false>
class row_teams {
 public:
  using fold = typename Job::fold;
  using item = typename Job::item;
  using accumulator = accumulator_t<fold>;
  using access = fold_access<fold, item>;
  using chunk = slot_array<item, tile_shape<item>::items_per_lane>;
  static constexpr int chunk_items = tile_shape<item>::items_per_lane / (are_halves ? 2 : 1);
  static constexpr int chains =
      slot_shape<fold, item>::chains < chunk_items ? slot_shape<fold, item>::chains : chunk_items;
  static constexpr int groups = row_chunks_in_flight / depth;
  static constexpr int groups_level = std::bit_width(unsigned{groups}) - 1;
  /// Whether lanes without a chunk of a row may have zeros in its place.
  static constexpr bool has_zeros = ignores_zeros_v<fold> && sizeof(accumulator) <= 8;
  /// Whether a fold may be asked for items that there are not. One of a user's may look something up by an item or by
  /// its index.
  static constexpr bool takes_any = has_neutral_item_v<fold>;

  using term = segment_term_t<fold, typename Job::view_type>;
  using sink = std::remove_cv_t<decltype(std::declval<const Job&>().sinks.of(0))>;
  static constexpr bool answers_double =
      (answers_double_v<fold> || answers_pairs_v<fold>)&&is_answer_sink_v<sink>;

  MONOFOLD_GPU row_teams(const Job& job, const row_launch& plan) : job_(job), plan_(plan) {}

  /// Folds the rows of this warp.
  MONOFOLD_GPU void fold_rows(std::int64_t warp) const {
    const std::int64_t at_once = std::int64_t{groups} * teams();
    MONOFOLD_ROLL
    for (std::int64_t row = warp * at_once; row < plan_.rows; row += plan_.warps * at_once) {
      bytes16 raw[groups][depth];
      MONOFOLD_UNROLL
      for (int g = 0; g < groups; ++g) load(raw[g], row + g * teams() + team());
      if constexpr (std::is_void_v<term>) {
        if constexpr (has_zeros) {
          if (joins_by_halves()) {
            fold_groups(raw, row);
            continue;
          }
        }
        MONOFOLD_UNROLL
        for (int g = 0; g < groups; ++g) fold_row(raw[g], row + g * teams() + team());
      } else {
        // The groups that are left to do.
        std::uint32_t left = (1u << groups) - 1;
        if constexpr (answers_double) {
          typename exact_row<term>::step how;
          if (exact_row<term>::template are_summable<fold>(raw, how))
            left = add_doubles(raw, row, how);
        }
        MONOFOLD_ROLL
        for (int g = 0; left >> g != 0; ++g) {
          if ((left >> g & 1) != 0) add_again(job_, plan_, row + g * teams() + team());
        }
      }
    }
  }

 private:
  MONOFOLD_GPU int teams() const { return warp_lanes >> plan_.level; }
  MONOFOLD_GPU int team() const { return lane_rank() >> plan_.level; }
  MONOFOLD_GPU int member() const { return lane_rank() & ((1 << plan_.level) - 1); }

  /// Whether a team has a lane for each of several groups: then lanes exchange totals of groups by halves, as those of
  /// cells.
  MONOFOLD_GPU bool joins_by_halves() const { return groups >= 4 && plan_.level >= groups_level; }
  /// The row of which this lane has the total then, if `has_total`.
  MONOFOLD_GPU std::int64_t row_of_total(std::int64_t row) const {
    return row + (lane_rank() & (groups - 1)) * teams() + team();
  }
  MONOFOLD_GPU bool has_total(std::int64_t own) const {
    return member() < groups && own < plan_.rows;
  }

  MONOFOLD_GPU void load(bytes16 (&raw)[depth], std::int64_t row) const {
    const item* const items = job_.view.data() + job_.segments.begin(row);
    MONOFOLD_UNROLL
    for (int k = 0; k < depth; ++k) {
      const int at = member() + k * warp_lanes;
      const bool is_there = row < plan_.rows && at < plan_.chunks;
      if constexpr (!std::is_void_v<term>) {
        raw[k] = term_format<term>::outside();
      } else if constexpr (has_zeros) {
        raw[k] = repeated(neutral_item<fold, item>());
      }
      if constexpr (are_halves) {
        const auto* const pair = reinterpret_cast<const std::uint64_t*>(items + at * chunk_items);
        if (is_there) set_low_half(raw[k], load_item(pair));
      } else if constexpr (std::is_void_v<term>) {
        // Rows lie across sectors: 0.97 to 1 of the time of loads that pass the first-level cache by, of exact sums of
        // 128 float32 1.05.
        if (is_there) raw[k] = load_cached_16(items + at * chunk_items);
      } else {
        if (is_there) raw[k] = load_16(items + at * chunk_items);
      }
    }
  }
  MONOFOLD_GPU static void set_low_half(bytes16& raw, std::uint64_t half) {
    raw.word[0] = static_cast<std::uint32_t>(half);
    raw.word[1] = static_cast<std::uint32_t>(half >> 32);
  }

  /// Folds a lane's chunks of a row, and joins the slots.
  ///
  /// shape      `has_any`, if not `takes_any`: the lane has a chunk of the row; else what is returned is nothing
  MONOFOLD_GPU accumulator fold_lane(const bytes16 (&raw)[depth], bool has_any = true) const {
    slot_array<accumulator, chains> own;
    if (!takes_any && !has_any) return own[0];
    MONOFOLD_UNROLL
    for (int k = 0; k < depth; ++k) {
      const int at = member() + k * warp_lanes;
      if (k > 0 && at >= plan_.chunks) break;
      const auto items = bits_as<chunk>(raw[k]);
      MONOFOLD_UNROLL
      for (int v = 0; v < chunk_items; ++v) {
        const std::int64_t index = at * chunk_items + v;
        if (k == 0 && v < chains) {
          own[v] = access::open(job_.f, items[v], index);
        } else {
          access::absorb(job_.f, own[v % chains], items[v], index);
        }
      }
    }
    MONOFOLD_UNROLL
    for (int width = 1; width < chains; width *= 2) {
      MONOFOLD_UNROLL
      for (int i = 0; i + width < chains; i += 2 * width) {
        own[i] = access::join(job_.f, own[i], own[i + width]);
      }
    }
    return own[0];
  }

  /// Folds the rows of all groups; each total is in a lane of its own then.
  ///
  /// sync       all lanes of the warp
  MONOFOLD_GPU void fold_groups(const bytes16 (&raw)[groups][depth], std::int64_t row) const {
    accumulator own[groups];
    MONOFOLD_UNROLL
    for (int g = 0; g < groups; ++g) own[g] = fold_lane(raw[g]);
    const row_totals<fold, item> cells{job_.f};
    const accumulator total = join_cells<groups_level, 0>(cells, own, plan_.level);
    const std::int64_t mine = row_of_total(row);
    if (!has_total(mine)) return;
    const segment_ends ends = job_.ends_of(mine);
    job_.sink_of(mine, ends)(job_.f, access::flush(job_.f, total, ends.count()));
  }

  MONOFOLD_GPU void fold_row(const bytes16 (&raw)[depth], std::int64_t row) const {
    const bool is_there = row < plan_.rows;
    accumulator own = fold_lane(raw, is_there && member() < plan_.chunks);
    int used = plan_.chunks < warp_lanes ? plan_.chunks : warp_lanes;
    if (!takes_any && !is_there) used = 0;
    MONOFOLD_ROLL
    for (int distance = 1; distance >> plan_.level == 0; distance *= 2) {
      const accumulator other = shuffle_down(own, distance);
      if (member() + distance < used) own = access::join(job_.f, own, other);
    }
    if (member() != 0 || !is_there) return;
    const segment_ends ends = job_.ends_of(row);
    job_.sink_of(row, ends)(job_.f, access::flush(job_.f, own, ends.count()));
  }

  /// Stores the answers of rows whose sums are doubles. Returns, as bits, the groups where these do not decide one.
  ///
  /// sync       all lanes of the warp, which get the same
  template <class Step>
  MONOFOLD_GPU std::uint32_t add_doubles(const bytes16 (&raw)[groups][depth], std::int64_t row,
                                         const Step& how) const {
    using sum_of_row = exact_row<term>;
    typename sum_of_row::cell total[groups];
    MONOFOLD_UNROLL
    for (int g = 0; g < groups; ++g)
      total[g] = sum_of_row::template sum_of_lane<chunk_items>(how, raw[g]);
    if constexpr (depth == 1) {  // else a row has all lanes
      if (plan_.level == 0) return store_totals<0>(total, row, how);
      if (plan_.level == 1) return store_totals<1>(total, row, how);
      if (plan_.level == 2) return store_totals<2>(total, row, how);
    }
    return store_totals<groups_level>(total, row, how);
  }
  /// Joins the totals of teams of at least 2^level lanes; a lane has those of 2^level groups, and stores one.
  template <int level, class Cell, class Step>
  MONOFOLD_GPU std::uint32_t store_totals(Cell (&total)[groups], std::int64_t row,
                                          const Step& how) const {
    constexpr int at_once = 1 << level;
    const typename exact_row<term>::totals of;
    std::uint32_t left = 0;
    MONOFOLD_UNROLL
    for (int g = 0; g < groups; g += at_once) {
      const Cell sum = join_cells<level, 0>(of, total + g, plan_.level);
      const std::int64_t own = row + (g + (lane_rank() & (at_once - 1))) * teams() + team();
      const bool is_one = member() < at_once && own < plan_.rows;
      left |= groups_of(lanes_with(is_one && !store_sum(own, sum, how)), at_once) << g;
    }
    return left;
  }
  template <class Cell, class Step>
  MONOFOLD_GPU bool store_sum(std::int64_t row, const Cell& total, const Step& how) const {
    return exact_row<term>::store(job_.f, total, job_.segments.length(), how,
                                  job_.sinks.of(row).out);
  }
  /// Which of the first `at_once` groups have their totals in some of these lanes, as bits.
  MONOFOLD_GPU std::uint32_t groups_of(std::uint32_t lanes, int at_once) const {
    MONOFOLD_ROLL
    for (int distance = warp_lanes / 2; distance >> plan_.level != 0; distance /= 2) {
      lanes |= lanes >> distance;
    }
    return lanes & ((1u << at_once) - 1);
  }

  /// Loads rows again and adds them by the general way. Chunks that were kept for this call would take registers from
  /// the loads.
  MONOFOLD_GPU_CALL static void add_again(const Job& job, const row_launch& plan,
                                          std::int64_t row) {
    const row_teams own(job, plan);
    bytes16 raw[depth];
    own.load(raw, row);
    own.add_row(raw, row);
  }

  MONOFOLD_GPU void add_row(const bytes16 (&raw)[depth], std::int64_t row) const {
    const bool is_one = member() == 0 && row < plan_.rows;
    bool is_left = true;
    if constexpr (sums_as_double_v<term>) {
      using sum_of_row = exact_row<term>;
      int held = 0;
      MONOFOLD_UNROLL
      for (int k = 0; k < depth; ++k) {
        held += row < plan_.rows && member() + k * warp_lanes < plan_.chunks ? 1 : 0;
      }
      short_sums<term> sum;
      double total = 0;
      is_left = !sum_of_row::add(raw, held, plan_.level, total, sum);
      if (is_one && !is_left) {
        if constexpr (answers_double) {
          const std::int64_t length = job_.segments.length();
          store_double(job_.sinks.of(row).out,
                       answer_of_double(job_.f, sum_of_row::value_of(total, sum, length), length));
        } else {
          sum_of_row::set_value(total, sum);
          is_left = !finish_lane(job_.f, sum, job_.segments.length(), job_.sinks.of(row));
        }
      }
    } else {
      using pairs = pair_cells<term>;
      auto total = exact_row<term>::template pair_of_lane<chunk_items>(raw);
      MONOFOLD_ROLL
      for (int distance = 1; distance >> plan_.level == 0; distance *= 2) {
        total = pairs::join(total, shuffle_from(total, lane_rank() ^ distance));
      }
      const auto length = static_cast<int>(job_.segments.length());
      if (is_one) is_left = !pairs::finish(job_.f, total, length, *job_.sinks.of(row).out);
    }
    std::uint32_t lanes = lanes_with(is_one && is_left);
    MONOFOLD_ROLL
    while (lanes != 0) {
      const int lane = lowest_lane(lanes);
      lanes &= lanes - 1;
      add_by_warp(job_, shuffle_from(row, lane));
    }
  }

  /// Adds a row whose sum is no double, by the warp.
  MONOFOLD_GPU_CALL static void add_by_warp(const Job& job, std::int64_t row) {
    char* const shared = reinterpret_cast<char*>(dynamic_shared());
    add_by_digits(job, row, shared + warp_rank() * digits_scratch_bytes<Job>);
  }

  const Job& job_;
  const row_launch& plan_;
};

/// Whether the sink takes what is found of rows: of moments only answers.
template <class Job>
inline constexpr bool has_rows_for_sink_v =
    row_teams<Job, 1>::answers_double || std::is_void_v<typename row_teams<Job, 1>::term> ||
    sums_as_double_v<typename row_teams<Job, 1>::term>;

/// Folds rows that begin at 16-byte boundaries.
///
/// shape      plan: row_launch_for(rows, length), with warps
/// order      the plan's tree in each row
/// errors     traps where the host's compiler lays out its arguments otherwise
template <class Job>
__global__ void __launch_bounds__(
    row_block_warps* warp_lanes,
    std::is_void_v<segment_term_t<typename Job::fold, typename Job::view_type>> ? 4 : 2)
    fold_rows_kernel(MONOFOLD_GRID_CONSTANT const Job job, const row_launch plan) {
  let_next_launch_begin();
  if (job.layout != handed_layout_of<typename Job::fold, typename Job::view_type>()) trap();
  wait_for_launches_before();
  const std::int64_t warp = std::int64_t{blockIdx.x} * row_block_warps + warp_rank();
  if (plan.chunks == 0) {
    if constexpr (folds_shared_chunks_v<typename Job::fold, typename Job::view_type>) {
      fold_rows_in_chunks(job, plan, warp);
    }
  } else if (plan.are_halves) {
    if constexpr (folds_half_chunks_v<typename Job::fold, typename Job::view_type>) {
      row_teams<Job, 1, true>(job, plan).fold_rows(warp);
    }
  } else if (plan.chunks_per_lane == 1) {
    row_teams<Job, 1>(job, plan).fold_rows(warp);
  } else if (plan.chunks_per_lane == 2) {
    row_teams<Job, 2>(job, plan).fold_rows(warp);
  } else if (plan.chunks_per_lane == 4) {
    row_teams<Job, 4>(job, plan).fold_rows(warp);
  } else {
    row_teams<Job, 8>(job, plan).fold_rows(warp);
  }
}

}  // namespace monofold::detail
