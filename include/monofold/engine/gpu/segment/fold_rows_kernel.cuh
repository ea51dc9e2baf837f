#pragma once
/// engine/gpu/segment/fold_rows_kernel: folds rows of one length, loaded as whole 16-byte chunks, without shared
/// memory.

#include <cstdint>
#include <type_traits>
#include <utility>

#include "monofold/engine/gpu/kernel.cuh"
#include "monofold/engine/gpu/load.cuh"
#include "monofold/engine/gpu/segment/exact_row.cuh"
#include "monofold/engine/gpu/segment/exact_team.cuh"
#include "monofold/engine/gpu/segment/job.cuh"
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

/// Whether rows may be folded by whole chunks: the items of a chunk are those that the plan gives to the slots of one
/// lane.
template <class F, class View>
inline constexpr bool folds_chunks_v = false;
template <class F, contiguous_item_view View>
inline constexpr bool folds_chunks_v<F, View> = sums_as_double_v<segment_term_t<F, View>> ||
                                                (std::is_void_v<segment_term_t<F, View>> &&
                                                 is_commutative_v<F> && !may_repeat_v<F> &&
                                                 !is_all_fold<F>::value && warp_tile<View>::held &&
                                                 !is_large_v<F, typename View::item_type> &&
                                                 sizeof(accumulator_t<F>) <= 32);

/// Whether several rows may lie in one chunk: each item must have a slot of its own.
template <class F, class View>
inline constexpr bool folds_shared_chunks_v =
    std::is_void_v<segment_term_t<F, View>>&& slot_shape<F, typename View::item_type>::chains ==
    tile_shape<typename View::item_type>::items_per_lane;

/// How rows of up to a tile lie in the lanes of a warp.
///
/// A row of up to 32 chunks is folded by a team of 2^level lanes, and a warp has several teams. A longer row is folded
/// by the warp; each lane has 2 to 8 chunks of it, 32 apart. Several short rows may lie in one chunk: then one lane
/// folds them all.
struct row_launch {
  std::int64_t rows;
  std::int64_t warps;
  std::int32_t chunks;          // of a row; 0: rows share chunks
  std::int32_t rows_per_chunk;  // then
  std::int32_t level;
  std::int32_t chunks_per_lane;  // 1, 2, 4 or 8
};

inline constexpr int row_chunks_in_flight = 8;
inline constexpr int row_block_warps = 8;

/// The launch for rows of `length` items. It has no warps where this kernel cannot fold them.
template <class Item>
constexpr row_launch row_launch_for(std::int64_t rows, std::int64_t length, int multiprocessors) {
  constexpr int chunk_items = tile_shape<Item>::items_per_lane;
  row_launch plan{rows, 0, 0, 0, 0, 1};
  std::int64_t rows_at_once = 0;
  if (length > 0 && length < chunk_items && chunk_items % length == 0) {
    plan.rows_per_chunk = static_cast<std::int32_t>(chunk_items / length);
    if (rows % plan.rows_per_chunk != 0) return plan;
    rows_at_once = row_chunks_in_flight * warp_lanes * plan.rows_per_chunk;
  } else if (length > 0 && length % chunk_items == 0 && length <= tile_items_v<Item>) {
    plan.chunks = static_cast<std::int32_t>(length / chunk_items);
    while (plan.level < 5 && (1 << plan.level) < plan.chunks) ++plan.level;
    while (plan.chunks_per_lane * warp_lanes < plan.chunks) plan.chunks_per_lane *= 2;
    rows_at_once = row_chunks_in_flight / plan.chunks_per_lane * (warp_lanes >> plan.level);
  } else {
    return plan;
  }
  const std::int64_t wanted = (rows + rows_at_once - 1) / rows_at_once;
  const std::int64_t most = std::int64_t{multiprocessors} * 32 * 8;
  plan.warps = wanted < most ? wanted : most;
  return plan;
}

/// Folds rows of which each lane has `depth` chunks.
template <class Job, int depth>
class row_teams {
 public:
  using fold = typename Job::fold;
  using item = typename Job::item;
  using accumulator = accumulator_t<fold>;
  using access = fold_access<fold, item>;
  using chunk = slot_array<item, tile_shape<item>::items_per_lane>;
  static constexpr int chunk_items = tile_shape<item>::items_per_lane;
  static constexpr int chains = slot_shape<fold, item>::chains;
  static constexpr int groups = row_chunks_in_flight / depth;

  using term = segment_term_t<fold, typename Job::view_type>;
  using sink = std::remove_cv_t<decltype(std::declval<const Job&>().sinks.of(0))>;
  static constexpr bool answers_double = answers_double_v<fold> && is_answer_sink_v<sink>;

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
        MONOFOLD_UNROLL
        for (int g = 0; g < groups; ++g) fold_row(raw[g], row + g * teams() + team());
      } else {
        // The groups that are left to do.
        std::uint32_t left = (1u << groups) - 1;
        if (answers_double && exact_row<term>::are_doubles(raw)) {
          left = add_doubles(raw, row);
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

  MONOFOLD_GPU void load(bytes16 (&raw)[depth], std::int64_t row) const {
    const item* const items = job_.view.data() + job_.segments.begin(row);
    MONOFOLD_UNROLL
    for (int k = 0; k < depth; ++k) {
      const int at = member() + k * warp_lanes;
      const bool is_there = row < plan_.rows && at < plan_.chunks;
      if constexpr (!std::is_void_v<term>) raw[k] = term_format<term>::outside();
      if (is_there) raw[k] = load_16(items + at * chunk_items);
    }
  }

  /// Folds a lane's chunks of a row, and joins the slots.
  MONOFOLD_GPU accumulator fold_lane(const bytes16 (&raw)[depth]) const {
    slot_array<accumulator, chains> own;
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

  MONOFOLD_GPU void fold_row(const bytes16 (&raw)[depth], std::int64_t row) const {
    accumulator own = fold_lane(raw);
    const int used = plan_.chunks < warp_lanes ? plan_.chunks : warp_lanes;
    MONOFOLD_ROLL
    for (int distance = 1; distance >> plan_.level == 0; distance *= 2) {
      const accumulator other = shuffle_down(own, distance);
      if (member() + distance < used) own = access::join(job_.f, own, other);
    }
    if (member() != 0 || row >= plan_.rows) return;
    const segment_ends ends = job_.ends_of(row);
    job_.sink_of(row, ends)(job_.f, access::flush(job_.f, own, ends.count()));
  }

  /// Stores the answers of rows whose sums are doubles. Returns, as bits, the groups where a sum is zero, whose sign
  /// must still be found.
  ///
  /// sync       all lanes of the warp, which get the same
  MONOFOLD_GPU std::uint32_t add_doubles(const bytes16 (&raw)[groups][depth],
                                         std::int64_t row) const {
    std::uint32_t left = 0;
    if constexpr (answers_double) {
      using sum_of_row = exact_row<term>;
      double total[groups];
      MONOFOLD_UNROLL
      for (int g = 0; g < groups; ++g) total[g] = sum_of_row::sum_of_lane(raw[g]);
      MONOFOLD_ROLL
      for (int distance = 1; distance >> plan_.level == 0; distance *= 2) {
        MONOFOLD_UNROLL
        for (int g = 0; g < groups; ++g) {
          total[g] = rounded_sum(total[g], shuffle_down(total[g], distance));
        }
      }
      MONOFOLD_UNROLL
      for (int g = 0; g < groups; ++g) {
        const std::int64_t own = row + g * teams() + team();
        const bool is_one = member() == 0 && own < plan_.rows;
        if (any_lane(is_one && total[g] == 0)) {
          left |= 1u << g;
        } else if (is_one) {
          store_double(
              job_.sinks.of(own).out,
              answer_of_double(job_.f, sum_of_row::value_of(total[g]), job_.segments.length()));
        }
      }
    }
    return left;
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
    int held = 0;
    MONOFOLD_UNROLL
    for (int k = 0; k < depth; ++k) {
      held += row < plan_.rows && member() + k * warp_lanes < plan_.chunks ? 1 : 0;
    }
    using sum_of_row = exact_row<term>;
    short_sums<term> sum;
    double total = 0;
    bool is_left = !sum_of_row::add(raw, held, plan_.level, total, sum);
    const bool is_one = member() == 0 && row < plan_.rows;
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

/// Folds rows of which several lie in one chunk: a lane folds those of its chunk.
template <class Job>
MONOFOLD_GPU void fold_rows_in_chunks(const Job& job, const row_launch& plan, std::int64_t warp) {
  using item = typename Job::item;
  using access = fold_access<typename Job::fold, item>;
  constexpr int chunk_items = tile_shape<item>::items_per_lane;
  using chunk = slot_array<item, chunk_items>;
  const std::int64_t chunks = plan.rows / plan.rows_per_chunk;
  constexpr std::int64_t at_once = row_chunks_in_flight * warp_lanes;
  MONOFOLD_ROLL
  for (std::int64_t from = warp * at_once; from < chunks; from += plan.warps * at_once) {
    bytes16 raw[row_chunks_in_flight];
    const std::int64_t first = from + lane_rank();
    MONOFOLD_UNROLL
    for (int r = 0; r < row_chunks_in_flight; ++r) {
      const std::int64_t at = first + r * warp_lanes;
      if (at < chunks) raw[r] = load_16(job.view.data() + at * chunk_items);
    }
    MONOFOLD_UNROLL
    for (int r = 0; r < row_chunks_in_flight; ++r) {
      const std::int64_t at = first + r * warp_lanes;
      if (at >= chunks) break;
      const auto items = bits_as<chunk>(raw[r]);
      slot_array<accumulator_t<typename Job::fold>, chunk_items> own;
      const int length = chunk_items / plan.rows_per_chunk;
      MONOFOLD_UNROLL
      for (int v = 0; v < chunk_items; ++v) own[v] = access::open(job.f, items[v], v % length);
      MONOFOLD_UNROLL
      for (int width = 1; width < chunk_items; width *= 2) {
        if (width >= length) break;
        MONOFOLD_UNROLL
        for (int v = 0; v + width < chunk_items; v += 2 * width) {
          own[v] = access::join(job.f, own[v], own[v + width]);
        }
      }
      MONOFOLD_UNROLL
      for (int v = 0; v < chunk_items; ++v) {
        if (v % length != 0) continue;
        const std::int64_t row = at * plan.rows_per_chunk + v / length;
        job.sink_of(row, job.ends_of(row))(job.f, access::flush(job.f, own[v], length));
      }
    }
  }
}

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
