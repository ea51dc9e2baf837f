#pragma once
/// engine/gpu/segment/add_across_kernel: exact sums of rows whose items lie apart, as those of columns do.
///
/// A lane has a row, as in fold_across_kernel. An exact sum may be added in any order, so several warps of a block
/// take parts of the same 32 rows, and meet with integers in shared memory: a state of a row is made where integers
/// do not hold it, or where blocks must meet.

#include <cstdint>
#include <type_traits>

#include "monofold/engine/gpu/kernel.cuh"
#include "monofold/engine/gpu/segment/exact_lane.cuh"
#include "monofold/engine/gpu/segment/fold_across_kernel.cuh"
#include "monofold/level/thread.cuh"
#include "monofold/level/warp.cuh"
#include "monofold/plan/tiles.hpp"
#include "monofold/platform/host_device.hpp"

namespace monofold::detail {

/// The kernels' term of a fold of items that lie apart; void where the plan's tree folds them.
template <class F, class View>
using across_term_t = segment_term_t<F, View>;

inline constexpr int add_across_warps = 8;

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
  static constexpr int shared_bytes = slots_bytes > states_bytes ? slots_bytes : states_bytes;
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

template <class Job>
__global__ void __launch_bounds__(add_across_warps* warp_lanes, 2)
    add_across_kernel(const Job job) {
  using block = across_block<Job>;
  constexpr int tile_items = tile_items_v<typename Job::item>;
  let_next_launch_begin();
  if (job.layout != handed_layout_of<typename Job::fold, typename Job::view>()) trap();
  wait_for_launches_before();
  alignas(16) __shared__ char shared[block::shared_bytes];
  block own(job, shared);
  const std::int64_t unit = (block_rank() * add_across_warps + warp_rank()) / job.sharing;
  const std::int64_t row = unit % job.groups * warp_lanes + lane_rank();
  const std::int64_t node = unit / job.groups;
  const bool is_there = node < job.nodes && row < job.rows.num_rows;
  const row_place place = place_of_row(job.rows, is_there ? row : 0);
  const std::int64_t node_items = std::int64_t{tile_items} << job.node_level;
  const std::int64_t begin = node < job.nodes ? node * node_items : job.rows.row_items;
  const std::int64_t behind = begin + node_items;
  const std::int64_t end = behind < job.rows.row_items ? behind : job.rows.row_items;
  typename Job::state state;
  typename block::lanes sum(state);
  own.add_part(job.first + place.offset, begin, end, sum);
  typename block::sums total;
  const bool is_short = own.join(sum, total);
  if (!is_short) own.join_states(sum, state);
  if (!is_there || !own.is_first()) return;
  if (job.nodes == 1) {
    const auto sink = job.sinks.of(place.number);
    if (is_short && finish_lane(job.f, total, end - begin, sink)) return;
    if (is_short) make_lane_state(total, end - begin, state);
    sink(job.f, state);
  } else {
    if (is_short) make_lane_state(total, end - begin, state);
    job.states[row * job.nodes + node] = state;
  }
}

}  // namespace monofold::detail
