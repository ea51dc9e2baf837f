#pragma once
/// engine/gpu/segment/work_list: the segments that the first kernel leaves to the second, cut into units of similar
/// size.

#include <cstdint>

#include "monofold/engine/gpu/workspace.cuh"
#include "monofold/level/lanes.cuh"
#include "monofold/level/shuffle.cuh"
#include "monofold/level/thread.cuh"
#include "monofold/plan/segment_launch.hpp"
#include "monofold/platform/host_device.hpp"

namespace monofold::detail {

/// Counters of a list, which are 0 between calls.
struct segment_counters {
  unsigned long long mediums;
  unsigned long long units;
  unsigned long long next_medium;
  unsigned long long next_unit;
  unsigned long long bad;    // ~ the lowest segment whose ends are wrong
  unsigned long long empty;  // ~ the lowest that is empty and has no answer
  unsigned long long done;   // blocks of the second kernel
};

/// A unit: node `node` of the `nodes` of a segment, which a block folds. Without nodes it is empty.
struct segment_unit {
  std::int64_t segment;
  std::int32_t node;
  std::int32_t nodes;
};

/// A list of segments. A unit also says where the states and the ticket of its segment lie.
///
/// Medium segments are folded by warps; longer ones are cut into nodes, which are folded by blocks. Where a list is
/// full, since segments overlap, a warp folds a long segment, too. The order of a list changes no bit.
struct work_list {
  segment_counters* counters;
  std::int64_t* mediums;
  std::int64_t medium_capacity;
  segment_unit* units;
  std::uint32_t* tickets;  // a unit; used of the first of a segment
  std::int64_t unit_capacity;

  MONOFOLD_GPU static unsigned long long name(std::int64_t segment) {
    return ~static_cast<unsigned long long>(segment);
  }
  MONOFOLD_GPU void report_bad(std::int64_t segment) const {
    atomicMax(&counters->bad, name(segment));
  }
  MONOFOLD_GPU void report_empty(std::int64_t segment) const {
    atomicMax(&counters->empty, name(segment));
  }

  /// Adds the segments of lanes to the list. A lane has a segment where `tiles` > 0.
  ///
  /// sync       all lanes of the warp
  MONOFOLD_GPU_CALL static void append(work_list list, segment_launch plan, std::int64_t segment,
                                       std::int64_t tiles) {
    bool is_medium = tiles > 0 && tiles <= plan.medium_tiles;
    if (any_lane(tiles > plan.medium_tiles)) {
      is_medium |= list.has_no_room_for_units(plan, segment, tiles);
    }
    const std::uint32_t lanes = lanes_with(is_medium);
    if (lanes == 0) return;
    unsigned long long first = 0;
    const auto number = static_cast<unsigned long long>(count_bits(lanes));
    if (lane_rank() == 0) first = atomicAdd(&list.counters->mediums, number);
    const std::uint32_t below = lanes & (first_lanes(lane_rank() + 1) >> 1);
    const auto at = static_cast<std::int64_t>(shuffle_from(first, 0)) + count_bits(below);
    // Only ends that are wrong make more of them: then nothing is promised.
    if (is_medium && at < list.medium_capacity) list.mediums[at] = segment;
  }

 private:
  /// Adds the units of the lanes' long segments to the list. True in lanes whose units do not fit: the places that are
  /// left are then filled with empty units.
  ///
  /// sync       all lanes of the warp
  MONOFOLD_GPU bool has_no_room_for_units(const segment_launch& plan, std::int64_t segment,
                                          std::int64_t tiles) const {
    const bool is_long = tiles > plan.medium_tiles;
    const auto nodes = static_cast<std::int32_t>(is_long ? plan.nodes_of(tiles) : 0);
    const int behind = sum_up_to_lane(nodes);
    // One addition a warp: a counter takes microseconds for 32.
    unsigned long long taken = 0;
    if (lane_rank() == warp_lanes - 1) {
      taken = atomicAdd(&counters->units, static_cast<unsigned long long>(behind));
    }
    const std::int64_t first =
        static_cast<std::int64_t>(shuffle_from(taken, warp_lanes - 1)) + behind - nodes;
    const bool fits = first + nodes <= unit_capacity;
    if (fits && is_long) tickets[first] = 0;
    std::uint32_t lanes = lanes_with(is_long);
    MONOFOLD_ROLL
    while (lanes != 0) {
      const int lane = lowest_lane(lanes);
      lanes &= lanes - 1;
      const std::int64_t its_segment = shuffle_from(segment, lane);
      const std::int64_t its_first = shuffle_from(first, lane);
      const int its_nodes = shuffle_from(nodes, lane);
      const int listed_nodes = shuffle_from(fits ? nodes : 0, lane);
      for (int i = lane_rank(); i < its_nodes && its_first + i < unit_capacity; i += warp_lanes) {
        units[its_first + i] = {its_segment, i, listed_nodes};
      }
    }
    return is_long && !fits;
  }
};

/// Where a list of so many segments and units, and the states of units, lie in a workspace.
struct list_memory {
  std::int64_t mediums;
  std::int64_t units;

  std::int64_t units_at() const {
    return gpu_workspace::fixed_bytes + (mediums + 1) / 2 * 16;  // 8 bytes each
  }
  std::int64_t tickets_at() const {
    return units_at() + units * static_cast<std::int64_t>(sizeof(segment_unit));
  }
  std::int64_t states_at() const { return tickets_at() + (units + 3) / 4 * 16; }

  void* states_in(const gpu_workspace& workspace) const {
    return static_cast<char*>(workspace.states()) + states_at() - gpu_workspace::fixed_bytes;
  }
  work_list list_in(const gpu_workspace& workspace) const {
    auto* const memory = static_cast<char*>(workspace.states()) - gpu_workspace::fixed_bytes;
    work_list list{};
    list.counters =
        reinterpret_cast<segment_counters*>(workspace.exact_words());  // 0 between calls
    list.tickets = reinterpret_cast<std::uint32_t*>(memory + tickets_at());
    list.mediums = reinterpret_cast<std::int64_t*>(memory + gpu_workspace::fixed_bytes);
    list.medium_capacity = mediums;
    list.units = reinterpret_cast<segment_unit*>(memory + units_at());
    list.unit_capacity = units;
    return list;
  }
};

/// Reports what was wrong and sets the counters to 0; by one thread.
MONOFOLD_GPU void report_segments(segment_counters* counters, std::uint64_t* report) {
  report[0] = *static_cast<volatile unsigned long long*>(&counters->bad);
  report[1] = *static_cast<volatile unsigned long long*>(&counters->empty);
  *counters = segment_counters{};
}

/// The same when all blocks are done.
///
/// sync       all threads of the block
MONOFOLD_GPU void end_segments(segment_counters* counters, std::uint64_t* report) {
  sync_block();  // all warps are done
  if (thread_rank() != 0) return;
  __threadfence();
  if (atomicAdd(&counters->done, 1ull) + 1 != static_cast<unsigned long long>(blocks_in_grid())) {
    return;
  }
  __threadfence();
  report_segments(counters, report);
}

}  // namespace monofold::detail
