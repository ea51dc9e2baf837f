#pragma once
/// engine/gpu/segment/work_list: the segments that are left to the second kernel, cut into units of like size.

#include <cstdint>

#include "monofold/engine/gpu/workspace.cuh"
#include "monofold/level/lanes.cuh"
#include "monofold/level/shuffle.cuh"
#include "monofold/level/thread.cuh"
#include "monofold/plan/segment_launch.hpp"
#include "monofold/platform/host_device.hpp"

namespace monofold::detail {

/// Words that are 0 between calls.
struct segment_counters {
  unsigned long long mediums;
  unsigned long long units;
  unsigned long long next_medium;
  unsigned long long next_unit;
  unsigned long long bad;    // ~ the lowest segment whose ends are wrong
  unsigned long long empty;  // ~ the lowest that is empty and has no answer
  unsigned long long done;   // blocks of the second kernel
};

/// Node `node` of the `nodes` of a segment, which a block takes; no nodes: nothing.
struct segment_unit {
  std::int64_t segment;
  std::int32_t node;
  std::int32_t nodes;
};

/// What a unit knows of a list: where its segment's states and its ticket lie.
///
/// Medium segments go to warps, longer ones in nodes to blocks. Where a list is full, because segments overlap, a
/// warp takes a long segment as it does a medium one. The order of a list changes no bit.
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

  /// Adds the segments of those lanes that have one of `tiles` > 0 tiles.
  ///
  /// sync       all lanes of the warp
  MONOFOLD_GPU_CALL static void append(work_list list, segment_launch plan, std::int64_t segment,
                                       std::int64_t tiles) {
    bool is_medium = tiles > 0 && tiles <= plan.medium_tiles;
    std::uint32_t large = lanes_with(tiles > plan.medium_tiles);
    while (large != 0) {
      const int lane = lowest_lane(large);
      large &= large - 1;
      const bool is_there =
          list.append_units(plan, shuffle_from(segment, lane), shuffle_from(tiles, lane));
      if (lane_rank() == lane) is_medium = !is_there;
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
  /// The units of a segment; false where they do not fit: then what is left of the list holds nothing.
  MONOFOLD_GPU bool append_units(const segment_launch& plan, std::int64_t segment,
                                 std::int64_t tiles) const {
    const auto nodes = static_cast<std::int32_t>(plan.nodes_of(tiles));
    unsigned long long taken = 0;
    if (lane_rank() == 0) {
      taken = atomicAdd(&counters->units, static_cast<unsigned long long>(nodes));
    }
    const auto first = static_cast<std::int64_t>(shuffle_from(taken, 0));
    const bool fits = first + nodes <= unit_capacity;
    for (int i = lane_rank(); i < nodes && first + i < unit_capacity; i += warp_lanes) {
      units[first + i] = {segment, i, fits ? nodes : 0};
    }
    if (fits && lane_rank() == 0) tickets[first] = 0;
    return fits;
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

/// Puts the counters back to 0 and tells of what was wrong, when all blocks are done.
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
  report[0] = *static_cast<volatile unsigned long long*>(&counters->bad);
  report[1] = *static_cast<volatile unsigned long long*>(&counters->empty);
  *counters = segment_counters{};
}

}  // namespace monofold::detail
