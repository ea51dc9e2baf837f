#pragma once
/// engine/gpu/segment/add_across_kernel: exact sums of rows whose items lie apart, as those of columns do.
///
/// A lane has a row, as in fold_across_kernel, or some neighbouring short ones. An exact sum may be added in any order,
/// so several warps of a block take parts of the same rows. Pairs of doubles hold most sums, as across_cells has them.
/// The others are added once more, and meet with integers in shared memory: a state of a row is made where integers do
/// not hold it, or where blocks must meet. A node that a pair holds leaves that.

#include <cstdint>
#include <type_traits>

#include "monofold/engine/gpu/kernel.cuh"
#include "monofold/engine/gpu/segment/across_cells.cuh"
#include "monofold/engine/gpu/segment/exact_lane.cuh"
#include "monofold/engine/gpu/segment/fold_across_kernel.cuh"
#include "monofold/engine/gpu/segment/staged_columns.cuh"
#include "monofold/level/thread.cuh"
#include "monofold/level/warp.cuh"
#include "monofold/plan/tiles.hpp"
#include "monofold/platform/host_device.hpp"

namespace monofold::detail {

/// The kernels' term of a fold of items that lie apart; void where the plan's tree folds them.
template <class F, class View>
using across_term_t = segment_term_t<F, View>;

inline constexpr int add_across_warps = 8;
/// Blocks that a multiprocessor must have room for.
inline constexpr int add_across_blocks = 2;

/// What warps of a block that share rows know of each other.
template <class Job>
class across_block {
 public:
  using fold = typename Job::fold;
  using state = typename Job::state;
  using term = across_term_t<fold, typename Job::term_view>;
  using lanes = lane_sum<term>;
  using sums = typename lanes::sums;
  static constexpr int slots_bytes = add_across_warps * warp_lanes * static_cast<int>(sizeof(sums));
  static constexpr int states_bytes = warp_lanes * static_cast<int>(sizeof(state));
  static constexpr int pairs_bytes =
      add_across_warps * warp_lanes * static_cast<int>(sizeof(typename pair_cells<term>::cell));
  static constexpr int most_bytes = slots_bytes > pairs_bytes ? slots_bytes : pairs_bytes;
  static constexpr int shared_bytes = most_bytes > states_bytes ? most_bytes : states_bytes;
  static_assert(shared_bytes <= max_shared_bytes);

  MONOFOLD_GPU across_block(const Job& job, char* shared)
      : job_(job), shared_(shared), member_(warp_rank() & (job.sharing - 1)) {}

  /// This warp's part of items [begin, end) of a row of each lane.
  ///
  /// sync       all lanes of the warp
  MONOFOLD_GPU void add_part(const typename Job::first_item& first, std::int64_t begin,
                             std::int64_t end, lanes& own) const {
    constexpr int most = tile_items_v<typename Job::item>;
    constexpr int run = lanes::run::run_items;
    const std::int64_t share = (end - begin + job_.sharing - 1) / job_.sharing;
    const std::int64_t each = (share + run - 1) / run * run;
    const std::int64_t from = begin + member_ * each;
    const std::int64_t behind = from + each < end ? from + each : end;
    MONOFOLD_ROLL
    for (std::int64_t at = from; at < behind; at += most) {
      const int count = behind - at < most ? static_cast<int>(behind - at) : most;
      own.add(job_.f, typename Job::items(first, job_.rows, at), count);
    }
  }

  /// The sum of the parts of warps that share rows, in the first of them; false: it has not been made.
  ///
  /// sync       all threads of the block
  MONOFOLD_GPU bool join(const lanes& own, sums& total) const {
    auto* const slots = reinterpret_cast<sums*>(shared_);
    const int place = warp_rank() * warp_lanes + lane_rank();
    const sums mine = own.short_sum();
    slots[place] = mine;
    if (sync_block_any(!own.is_short())) return false;  // slots written above are read below
    bool is_whole = true;
    if (member_ == 0) is_whole = total.join_alone(slots + place, warp_lanes, job_.sharing);
    return !sync_block_any(!is_whole);
  }

  /// The same as a state. Rare: warps take turns.
  ///
  /// sync       all threads of the block
  MONOFOLD_GPU_CALL void join_states(lanes& own, state& total) const {
    auto* const states = reinterpret_cast<state*>(shared_);
    total = own.total(job_.f);
    MONOFOLD_ROLL
    for (int first = 0; first < add_across_warps; first += job_.sharing) {
      MONOFOLD_ROLL
      for (int other = 1; other < job_.sharing; ++other) {
        sync_block();  // what was read before is overwritten below
        if (warp_rank() == first + other) states[lane_rank()] = total;
        sync_block();  // a state written above is read below
        if (warp_rank() == first) total = combine_states(job_.f, total, states[lane_rank()]);
      }
    }
  }

  MONOFOLD_GPU bool is_first() const { return member_ == 0; }

 private:
  const Job& job_;
  char* shared_;
  int member_;
};

/// The rows of a lane in one unit, and the items of its node.
struct across_lane {
  std::int64_t row;  // the first
  std::int64_t node;
  std::int64_t begin;
  std::int64_t end;
  std::uint32_t rows;  // bits of those that are there
};
template <class Job>
MONOFOLD_GPU across_lane lane_of(const Job& job) {
  const std::int64_t unit = (block_rank() * add_across_warps + warp_rank()) / job.sharing;
  const std::int64_t node = unit / job.groups;
  const std::int64_t row = (unit - node * job.groups) * job.lane_rows * warp_lanes +
                           lane_rank() * (job.rows_apart == 1 ? job.lane_rows : 1);
  const std::int64_t node_items = std::int64_t{tile_items_v<typename Job::item>} << job.node_level;
  const std::int64_t begin = node < job.nodes ? node * node_items : job.rows.row_items;
  const std::int64_t behind = begin + node_items;
  const std::int64_t end = behind < job.rows.row_items ? behind : job.rows.row_items;
  const std::uint32_t rows = node < job.nodes ? lane_rows_from(job, row) : 0;
  return {row, node, begin, end, rows};
}

/// Whether rows, or the nodes of one, are added by pairs of doubles first.
template <class Job>
MONOFOLD_GPU bool have_pairs(const Job& job) {
  using term = across_term_t<typename Job::fold, typename Job::term_view>;
  return job.rows.row_items > 0 &&
         job.rows.row_items <= across_cells<typename Job::fold, term, 1>::most_of_pairs;
}

/// The pairs of the nodes of rows.
template <class Job>
MONOFOLD_GPU auto* pairs_of_nodes(const Job& job) {
  using term = across_term_t<typename Job::fold, typename Job::term_view>;
  return static_cast<typename pair_cells<term>::cell*>(job.pairs);
}

/// What a team's items of a node, which come by pages, are as a pair. Warps of the teams take turns, as those that share
/// rows do.
///
/// shape      job.is_staged
/// sync       all threads of the block
template <class Job, class Term>
MONOFOLD_GPU typename pair_cells<Term>::cell staged_pair_of(const Job& job, const across_lane& at) {
  using item = typename Job::item;
  const int team = warp_rank() % job.sharing;
  const int own = warp_rank() / job.sharing * warp_lanes + lane_rank();
  staged_pairs<Term> sum;
  take_pages(ring_of(job, at.row - own, team, own), at.begin, at.end, team, job.sharing,
             [&](const item* first, auto count) { sum.add(first, count); });
  return sum.total();
}

/// Adds the rows of a lane that are left by pairs of doubles, one after the other; bits of those that are left then. Not
/// inlined, since it is rare.
///
/// sync       all lanes of the warp
template <class Job, class Item>
MONOFOLD_GPU_CALL std::uint32_t add_left_rows(const Job& job, lane_columns<Item> at,
                                              std::int64_t number) {
  using cells = across_cells<typename Job::fold,
                             across_term_t<typename Job::fold, typename Job::term_view>, 1>;
  std::uint32_t left = 0;
  MONOFOLD_ROLL
  for (int c = 0; c < job.lane_rows; ++c) {
    const std::uint32_t own = at.rows >> c & 1;
    const auto total = cells::pairs_of({at.first + c * at.row_stride, at.stride, 0, at.count, own});
    left |= cells::finish(job.f, total, at.count, own, job.sinks, number + c * job.rows_apart, 1)
            << c;
  }
  return left;
}

/// Adds the rows of lanes that have several by doubles, or pairs of them; bits of the lane's rows that are left.
///
/// sync       all lanes of the warp
template <class Job>
MONOFOLD_GPU std::uint32_t add_several_by_doubles(const Job& job, const across_lane& at) {
  using term = across_term_t<typename Job::fold, typename Job::term_view>;
  using cells = across_cells<typename Job::fold, term, most_lane_rows>;
  const row_place place = place_of_row(job.rows, at.rows != 0 ? at.row : 0);
  lane_columns<typename Job::item> items{job.first + place.offset,
                                         job.rows.reduced[0].stride,
                                         job.rows.inner().stride * job.rows_apart,
                                         at.end,
                                         at.rows,
                                         job.rows_apart == 1};
  if constexpr (cells::may_be_doubles) {
    items.rows = cells::add_doubles(job.f, items, job.sinks, place.number, job.rows_apart);
    return any_lane(items.rows != 0) ? add_left_rows(job, items, place.number) : 0;
  } else {
    return cells::finish(job.f, cells::pairs_of(items), at.end, at.rows, job.sinks, place.number,
                         job.rows_apart);
  }
}

/// Adds rows, or the nodes of one, by doubles and pairs of doubles; not 0 where the lane's row is left.
///
/// shape      shared: across_block::shared_bytes; a lane has one row
/// sync       all threads of the block
template <class Job>
MONOFOLD_GPU std::uint32_t add_across_by_doubles(const Job& job, const across_lane& at,
                                                 char* shared) {
  using term = across_term_t<typename Job::fold, typename Job::term_view>;
  using cells = across_cells<typename Job::fold, term, 1>;
  using pairs = typename cells::pairs;
  const std::int64_t items = at.end - at.begin;
  const row_place place = place_of_row(job.rows, at.rows != 0 ? at.row : 0);
  const std::int64_t stride = job.rows.reduced[0].stride;
  const auto* const first = job.first + place.offset + at.begin * stride;
  std::uint32_t left = at.rows;
  if constexpr (cells::may_be_doubles) {
    if (job.nodes == 1 && job.sharing == 1 && !job.is_staged && items <= cells::most_of_doubles) {
      left = cells::add_doubles(job.f, {first, stride, 0, items, left}, job.sinks, place.number, 1);
      if (!any_lane(left != 0)) return 0;
    }
  }
  const int member = warp_rank() & (job.sharing - 1);
  const std::int64_t each = (items + job.sharing - 1) / job.sharing;
  const std::int64_t from = member * each;
  const std::int64_t own_items = items - from < each ? items - from : each;
  pairs total;
  if (cells::may_be_doubles && job.is_staged) {
    if constexpr (cells::may_be_doubles) total = {{staged_pair_of<Job, term>(job, at)}};
  } else {
    total = cells::pairs_of({first + from * stride, stride, 0, own_items, left});
  }
  if (job.sharing > 1) {
    auto* const slots = reinterpret_cast<pairs*>(shared) + warp_rank() * warp_lanes + lane_rank();
    static_assert(sizeof(pairs) == sizeof(typename pair_cells<term>::cell));
    *slots = total;
    sync_block();  // pairs written above are read below
    if (member == 0) {
      MONOFOLD_ROLL
      for (int w = 1; w < job.sharing; ++w) total = cells::joined(total, slots[w * warp_lanes]);
    } else {
      left = 0;
    }
  }
  if (job.nodes > 1) {
    if (left == 0) return 0;
    pairs_of_nodes(job)[at.row * job.nodes + at.node] = total.own[0];
    return pair_cells<term>::is_whole(total.own[0]) ? 0 : 1;
  }
  return cells::finish(job.f, total, items, left, job.sinks, place.number, 1);
}

/// Adds one row a lane by bins, and meets with the warps that share it.
///
/// sync       all threads of the block
template <class Job>
MONOFOLD_GPU void add_across_by_bins(const Job& job, const across_lane& at, std::int64_t row,
                                     bool is_there, char* shared) {
  using block = across_block<Job>;
  block own(job, shared);
  const row_place place = place_of_row(job.rows, row < job.rows.num_rows ? row : 0);
  typename Job::state state;
  typename block::lanes sum(state);
  own.add_part(job.first + place.offset, at.begin, at.end, sum);
  typename block::sums total;
  const bool is_short = own.join(sum, total);
  if (!is_short) own.join_states(sum, state);
  if (!is_there || !own.is_first()) return;
  if (job.nodes == 1) {
    const auto sink = job.sinks.of(place.number);
    if (is_short && finish_lane(job.f, total, at.end - at.begin, sink)) return;
    if (is_short) make_lane_state(total, at.end - at.begin, state);
    sink(job.f, state);
  } else {
    if (is_short) make_lane_state(total, at.end - at.begin, state);
    job.states[row * job.nodes + at.node] = state;
  }
}

template <class Job>
__global__ void __launch_bounds__(add_across_warps* warp_lanes, add_across_blocks)
    add_across_kernel(MONOFOLD_GRID_CONSTANT const Job job) {
  let_next_launch_begin();
  if (job.layout != handed_layout_of<typename Job::fold, typename Job::view>()) trap();
  wait_for_launches_before();
  alignas(16) __shared__ char shared[across_block<Job>::shared_bytes];
  const across_lane at = lane_of(job);
  std::uint32_t left = at.rows;
  if constexpr (adds_across_by_doubles_v<Job, typename across_block<Job>::term>) {
    if (have_pairs(job)) {
      left = job.lane_rows == 1 ? add_across_by_doubles(job, at, shared)
                                : add_several_by_doubles(job, at);
      if (!sync_block_any(left != 0)) return;
    }
  }
  MONOFOLD_ROLL
  for (int c = 0; c < job.lane_rows; ++c) {
    if (c > 0) sync_block();  // what was read of the row before is overwritten
    add_across_by_bins(job, at, at.row + c * job.rows_apart, (left >> c & 1) != 0, shared);
  }
}

}  // namespace monofold::detail
