#pragma once
/// engine/gpu/segment/few_units: which nodes each of few segments has, found by every block for itself.

#include <cstdint>

#include "monofold/engine/gpu/segment/job.cuh"
#include "monofold/engine/gpu/segment/work_list.cuh"
#include "monofold/level/block.cuh"
#include "monofold/level/lanes.cuh"
#include "monofold/level/thread.cuh"
#include "monofold/plan/segment_launch.hpp"
#include "monofold/platform/host_device.hpp"

namespace monofold::detail {

/// Numbers the nodes of up to `most` segments, one segment behind the other, in blocks of `warps` warps.
///
/// shape      plan.segments: at most `most`
template <int most, int warps>
class few_units {
 public:
  struct shared_memory {
    alignas(16) int nodes[warps];  // of those that a warp counts
    int longest[warps];
    int behind[most + 1];  // where the nodes of each segment end, from the second place on
  };

  /// Block 0 answers for segments without items and reports wrong ones; these have no nodes.
  ///
  /// sync       all threads of the block
  template <class Job>
  MONOFOLD_GPU few_units(const Job& job, const segment_launch& plan, const work_list& list,
                         shared_memory* shared)
      : behind_(shared->behind), segments_(static_cast<int>(plan.segments)) {
    const int each = (segments_ + threads_in_block() - 1) / threads_in_block();
    const int first = thread_rank() * each;
    const int end = first + each < segments_ ? first + each : segments_;
    int nodes = 0;
    MONOFOLD_ROLL
    for (int segment = first; segment < end; ++segment) {
      const std::int64_t tiles = tiles_of(job, list, segment);
      const int clipped = tiles < max_longest ? static_cast<int>(tiles) : max_longest;
      if (longest_ < clipped) longest_ = clipped;
      nodes += static_cast<int>(plan.nodes_of(tiles));
      shared->behind[segment + 1] = nodes;
    }
    const int up_to_lane = sum_up_to_lane(nodes);
    longest_ = largest_of_lanes(longest_);
    if (lane_rank() == warp_lanes - 1) {
      shared->nodes[warp_rank()] = up_to_lane;
      shared->longest[warp_rank()] = longest_;
    }
    sync_block();  // what warps wrote above is read below
    int before = up_to_lane - nodes;
    MONOFOLD_UNROLL
    for (int w = 0; w < warps; ++w) {
      if (w < warp_rank()) before += shared->nodes[w];
      if (longest_ < shared->longest[w]) longest_ = shared->longest[w];
    }
    MONOFOLD_ROLL
    for (int segment = first; segment < end; ++segment) shared->behind[segment + 1] += before;
    if (thread_rank() == 0) shared->behind[0] = 0;
    sync_block();  // what was written above is read from here on
  }

  /// How many nodes all segments have.
  MONOFOLD_GPU int nodes() const { return behind_[segments_]; }
  /// How many tiles the longest segment has, at most max_longest.
  MONOFOLD_GPU int longest() const { return longest_; }
  MONOFOLD_GPU int first_node_of(std::int64_t segment) const { return behind_[segment]; }
  MONOFOLD_GPU int nodes_of(std::int64_t segment) const {
    return behind_[segment + 1] - behind_[segment];
  }
  /// The segment to which a node belongs.
  MONOFOLD_GPU int segment_of(int node) const {
    int low = 0;
    int high = segments_;
    MONOFOLD_ROLL
    while (high - low > 1) {
      const int middle = (low + high) / 2;
      if (behind_[middle] <= node) {
        low = middle;
      } else {
        high = middle;
      }
    }
    return low;
  }

 private:
  template <class Job>
  MONOFOLD_GPU static std::int64_t tiles_of(const Job& job, const work_list& list, int segment) {
    const segment_ends ends = job.ends_of(segment);
    const bool is_good = job.is_good(ends);
    const std::int64_t tiles = is_good ? job.tiles_of(ends) : 0;
    if (blockIdx.x == 0 && !is_good) list.report_bad(segment);
    if (blockIdx.x == 0 && is_good && tiles == 0 && !finish_nothing(job.f, job.sinks.of(segment))) {
      list.report_empty(segment);
    }
    return tiles;
  }

  static constexpr int max_longest = 1 << 30;

  const int* behind_;
  int segments_;
  int longest_ = 0;
};

}  // namespace monofold::detail
