#pragma once
/// engine/gpu/segment/fold_long_kernel: the kernels for segments of several tiles.

#include <cstdint>

#include "monofold/engine/gpu/segment/job.cuh"
#include "monofold/engine/gpu/segment/long_block.cuh"
#include "monofold/engine/gpu/segment/work_list.cuh"
#include "monofold/level/block_shared.cuh"
#include "monofold/level/shuffle.cuh"
#include "monofold/level/thread.cuh"
#include "monofold/plan/segment_launch.hpp"
#include "monofold/platform/host_device.hpp"

namespace monofold::detail {

/// The next `count` of some numbers that warps share.
MONOFOLD_GPU std::int64_t take_next(unsigned long long* counter, int count) {
  unsigned long long own = 0;
  if (lane_rank() == 0) own = atomicAdd(counter, static_cast<unsigned long long>(count));
  return static_cast<std::int64_t>(shuffle_from(own, 0));
}

/// Folds what the first kernel has listed.
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
  const auto listed = static_cast<std::int64_t>(counters->mediums);
  const std::int64_t mediums = listed < list.medium_capacity ? listed : list.medium_capacity;
  // Several at a time where there are many: a counter is not counted up faster than every 2 ns.
  const std::int64_t all_warps = std::int64_t{gridDim.x} * long_block<Job>::warps;
  const int each = static_cast<int>(floor_power(mediums / (4 * all_warps), 1, 32));
  std::int64_t next = mediums > 0 ? take_next(&counters->next_medium, each) : 0;
  MONOFOLD_ROLL
  while (next < mediums) {
    const std::int64_t after = take_next(&counters->next_medium, each);
    const std::int64_t end = next + each < mediums ? next + each : mediums;
    MONOFOLD_ROLL
    for (std::int64_t at = next; at < end; ++at) own.fold_segment(list.mediums[at]);
    next = after;
  }
  end_segments(counters, report);
}

/// Where the units of each of few segments begin, and end; block 0 sees to those that have none.
///
/// sync       all lanes of the first warp
template <class Job>
MONOFOLD_GPU void find_few_units(const Job& job, const segment_launch& plan, const work_list& list,
                                 std::int64_t* first_unit) {
  std::int64_t sum = 0;
  MONOFOLD_ROLL
  for (int first = 0; first < plan.segments; first += warp_lanes) {
    const int segment = first + lane_rank();
    int nodes = 0;
    if (segment < plan.segments) {
      const segment_ends ends = job.ends_of(segment);
      const bool is_good = job.is_good(ends);
      if (is_good) nodes = static_cast<int>(plan.nodes_of(job.tiles_of(ends)));
      if (blockIdx.x == 0 && !is_good) list.report_bad(segment);
      if (blockIdx.x == 0 && is_good && nodes == 0 &&
          !finish_nothing(job.f, job.sinks.of(segment))) {
        list.report_empty(segment);
      }
    }
    const int behind = sum_up_to_lane(nodes);
    if (segment < plan.segments) first_unit[segment + 1] = sum + behind;
    sum += shuffle_from(behind, warp_lanes - 1);
  }
  if (lane_rank() == 0) first_unit[0] = 0;
}

/// Folds segments that need no list: few, whose units blocks find among them, or rows of one length.
///
/// shape      states: max_nodes a segment at most, those of a segment behind the ones before; tickets: a segment, 0
///            between calls
template <class Job>
__global__ void __launch_bounds__(long_block<Job>::warps* warp_lanes, long_resident_blocks)
    fold_unlisted_segments_kernel(MONOFOLD_GRID_CONSTANT const Job job,
                                  MONOFOLD_GRID_CONSTANT const segment_launch plan,
                                  const work_list list, typename Job::state* const states,
                                  std::uint64_t* const report) {
  let_next_launch_begin();
  if (job.layout != handed_layout_of<typename Job::fold, typename Job::view_type>()) trap();
  wait_for_launches_before();
  long_block<Job> own(job, plan, reinterpret_cast<char*>(dynamic_shared()), states,
                      list.unit_capacity);
  if (plan.row_tiles > 0) {
    own.fold_rows(blockIdx.x, list.tickets);
    return;
  }
  __shared__ std::int64_t first_unit[max_few_segments + 1];
  if (warp_rank() == 0) find_few_units(job, plan, list, first_unit);
  sync_block();  // what was found above is read below
  MONOFOLD_ROLL
  for (std::int64_t unit = blockIdx.x; unit < first_unit[plan.segments]; unit += gridDim.x) {
    int segment = 0;
    while (first_unit[segment + 1] <= unit) ++segment;
    const std::int64_t first = first_unit[segment];
    own.fold_node(segment, static_cast<int>(unit - first),
                  static_cast<int>(first_unit[segment + 1] - first), first, list.tickets + segment);
  }
  end_segments(list.counters, report);
}

}  // namespace monofold::detail
