#pragma once
/// engine/gpu/segment/fold_long_kernel: the kernels for segments of several tiles.

#include <cstdint>

#include "monofold/engine/gpu/segment/few_units.cuh"
#include "monofold/engine/gpu/segment/job.cuh"
#include "monofold/engine/gpu/segment/known_segments.hpp"
#include "monofold/engine/gpu/segment/long_block.cuh"
#include "monofold/engine/gpu/segment/work_list.cuh"
#include "monofold/level/block_shared.cuh"
#include "monofold/level/grid.cuh"
#include "monofold/level/shuffle.cuh"
#include "monofold/level/thread.cuh"
#include "monofold/plan/segment_launch.hpp"
#include "monofold/platform/host_device.hpp"

namespace monofold::detail {

/// Takes the next `count` numbers from a counter that warps share, and returns the first of them.
MONOFOLD_GPU std::int64_t take_next(unsigned long long* counter, int count) {
  unsigned long long own = 0;
  if (lane_rank() == 0) own = atomicAdd(counter, static_cast<unsigned long long>(count));
  return static_cast<std::int64_t>(shuffle_from(own, 0));
}

/// Folds the listed segments that a warp folds by itself.
///
/// sync       all lanes of the warp
template <class Job>
MONOFOLD_GPU void fold_mediums(const work_list& list, long_block<Job>& own) {
  segment_counters* const counters = list.counters;
  const auto listed = static_cast<std::int64_t>(counters->mediums);
  const std::int64_t mediums = listed < list.medium_capacity ? listed : list.medium_capacity;
  // Several at a time where there are many: a counter is not counted up faster than every 2 ns.
  const std::int64_t all_warps = std::int64_t{gridDim.x} * long_block<Job>::warps;
  const int each = static_cast<int>(floor_power(mediums / (4 * all_warps), 1, 32));
  std::int64_t next = mediums > 0 ? take_next(&counters->next_medium, each) : 0;
  auto sums = own.waiting_here();
  MONOFOLD_ROLL
  while (next < mediums) {
    const std::int64_t after = take_next(&counters->next_medium, each);
    const std::int64_t end = next + each < mediums ? next + each : mediums;
    MONOFOLD_ROLL
    for (std::int64_t at = next; at < end; ++at) {
      if constexpr (long_block<Job>::adds_short) {
        sums.add(list.mediums[at]);
      } else {
        own.fold_segment(list.mediums[at]);
      }
    }
    next = after;
  }
  sums.finish();
}

/// Folds the segments that the first kernel has listed.
///
/// shape      states: as many as `list` has room for units
template <class Job>
__global__ void __launch_bounds__(long_block<Job>::warps* warp_lanes, long_resident_blocks)
    fold_listed_segments_kernel(MONOFOLD_GRID_CONSTANT const Job job,
                                MONOFOLD_GRID_CONSTANT const segment_launch plan,
                                const work_list list, typename Job::state* const states,
                                std::uint64_t* const report) {
  let_next_launch_begin();
  if (job.layout != handed_layout_of<typename Job::fold, typename Job::view_type>()) trap();
  wait_for_launches_before();
  __shared__ std::int64_t shared_next;
  segment_counters* const counters = list.counters;
  long_block<Job> own(job, plan, reinterpret_cast<char*>(dynamic_shared()), states,
                      list.unit_capacity);
  const auto most = static_cast<std::int64_t>(counters->units);
  const std::int64_t units = most < list.unit_capacity ? most : list.unit_capacity;
  while (units > 0) {
    if (thread_rank() == 0) {
      shared_next = static_cast<std::int64_t>(atomicAdd(&counters->next_unit, 1ull));
    }
    sync_block();  // the number written above is read below
    const std::int64_t at = shared_next;
    sync_block();  // and overwritten after that
    if (at >= units) break;
    const segment_unit unit = list.units[at];
    if (unit.nodes == 0) continue;
    const std::int64_t first = at - unit.node;
    own.fold_node(unit.segment, unit.node, unit.nodes, first, list.tickets + first);
  }
  fold_mediums(list, own);
  end_segments(counters, report);
}

/// Folds few segments, whose nodes every block numbers for itself. A block folds a node; where no segment has several
/// nodes, a team of warps folds a segment.
///
/// shape      states: as many as nodes; tickets: one for each segment, 0 between calls
/// sync       all threads of the block
template <class Job>
MONOFOLD_GPU void fold_few_segments(const Job& job, const segment_launch& plan,
                                    const work_list& list, long_block<Job>& own,
                                    std::uint64_t* report) {
  constexpr int warps = long_block<Job>::warps;
  constexpr int all_warps = long_block<Job>::all_warps;
  using known = known_segments<typename Job::segments_type>;
  using units_type =
      few_units<known::may_overlap ? int{max_few_overlapping} : int{max_few_segments}, warps>;
  __shared__ typename units_type::shared_memory shared;
  const units_type units(job, plan, list, &shared);
  if (blockIdx.x == 0 && thread_rank() == 0) report_segments(list.counters, report);
  if constexpr (!known::may_overlap) {
    if (plan.nodes_of(units.longest()) <= 1) {
      // As many warps as have tiles.
      const std::int64_t at_once = blocks_in_grid() * warps;
      int level = 0;
      while (level < all_warps && 1 << level < units.longest() &&
             plan.segments << (level + 1) <= at_once) {
        ++level;
      }
      const std::int64_t teams = warps >> level;
      MONOFOLD_ROLL
      for (std::int64_t first = blockIdx.x * teams; first < plan.segments;
           first += blocks_in_grid() * teams) {
        const std::int64_t segment = first + (warp_rank() >> level);
        const bool has_items = segment < plan.segments && units.nodes_of(segment) > 0;
        own.fold_node(has_items ? segment : plan.segments, 0, 1, 0, list.tickets, level);
      }
      return;
    }
  }
  // Only ends that are wrong make more of them: then nothing is promised.
  const std::int64_t nodes = units.nodes() <= list.unit_capacity ? units.nodes() : 0;
  MONOFOLD_ROLL
  for (std::int64_t node = blockIdx.x; node < nodes; node += blocks_in_grid()) {
    const int segment = units.segment_of(static_cast<int>(node));
    const int first = units.first_node_of(segment);
    own.fold_node(segment, static_cast<int>(node) - first, units.nodes_of(segment), first,
                  list.tickets + segment);
  }
}

/// Folds segments that need no list: few segments, or rows of one length.
///
/// shape      states: max_nodes a segment at most, those of a segment behind the ones before; tickets: a segment, 0
///            between calls
template <class Job>
__global__ void __launch_bounds__(long_block<Job>::warps* warp_lanes, long_resident_blocks)
    fold_unlisted_segments_kernel(MONOFOLD_GRID_CONSTANT const Job job,
                                  MONOFOLD_GRID_CONSTANT const segment_launch plan,
                                  const work_list list, typename Job::state* const states,
                                  std::uint64_t* const report) {
  using known = known_segments<typename Job::segments_type>;
  let_next_launch_begin();
  if (job.layout != handed_layout_of<typename Job::fold, typename Job::view_type>()) trap();
  wait_for_launches_before();
  long_block<Job> own(job, plan, reinterpret_cast<char*>(dynamic_shared()), states,
                      list.unit_capacity);
  if constexpr (!known::never_fixed) {
    if (known::always_fixed || plan.row_tiles > 0) {
      own.fold_rows(blockIdx.x, list.tickets);
      return;
    }
  }
  if constexpr (!known::always_fixed) {
    fold_few_segments(job, plan, list, own, report);
  }
}

}  // namespace monofold::detail
