#pragma once
/// engine/gpu/segment/waiting_sums: exact sums of segments that a warp has added, until lanes finish one each.

#include <cstdint>

#include "monofold/engine/gpu/segment/exact_team.cuh"
#include "monofold/engine/gpu/segment/tile_range.cuh"
#include "monofold/level/block_shared.cuh"
#include "monofold/level/lanes.cuh"
#include "monofold/level/shuffle.cuh"
#include "monofold/level/thread.cuh"
#include "monofold/platform/host_device.hpp"

namespace monofold::detail {

/// For folds that are no exact sums.
template <class Job, bool adds_short>
class waiting_sums {
 public:
  static constexpr int warp_bytes = 0;
  MONOFOLD_GPU waiting_sums(const Job&, char*, char*, void*) {}
  MONOFOLD_GPU void finish() {}
};

/// A sum is finished by some hundred instructions, each of which waits for the one before: where rows have few tiles, one
/// after the other would take as long as these.
///
/// shape      shared: warp_bytes of this warp; scratch, spare: see tile_range_fold::store_total
/// sync       all lanes of the warp
template <class Job>
class waiting_sums<Job, true> {
 public:
  using by_warp = job_tiles<Job>;
  using sums = typename by_warp::sums;
  using state = typename Job::state;
  struct slot {
    sums own;
    std::int64_t segment;
  };
  static constexpr int most = sizeof(sums) <= 32 ? warp_lanes : warp_lanes / 2;
  static constexpr int warp_bytes = in_chunks_of_16(most * static_cast<int>(sizeof(slot)));

  MONOFOLD_GPU waiting_sums(const Job& job, char* shared, char* scratch, state* spare)
      : job_(job), slots_(reinterpret_cast<slot*>(shared)), scratch_(scratch), spare_(spare) {}

  /// Adds a segment. It is finished with others, or at once where short sums do not hold it.
  MONOFOLD_GPU void add(std::int64_t segment) {
    const segment_ends ends = job_.ends_of(segment);
    sums own{};
    if (!by_warp::add(job_.range_of(ends), 0, 1, scratch_, true, own)) {
      by_warp::finish_words(job_.f, ends.count(), scratch_, spare_, job_.sinks.of(segment));
      return;
    }
    if (lane_rank() == 0) slots_[waiting_] = {own, segment};
    if (++waiting_ == most) finish();
  }

  /// Finishes all that wait.
  MONOFOLD_GPU void finish() {
    if (waiting_ == 0) return;
    sync_warp();  // slots written above are read below
    bool is_done = true;
    if (lane_rank() < waiting_) {
      const slot& own = slots_[lane_rank()];
      is_done = finish_lane(job_.f, own.own, job_.ends_of(own.segment).count(),
                            job_.sinks.of(own.segment));
    }
    // The bits of two sums may leave it open.
    MONOFOLD_ROLL
    for (std::uint32_t left = lanes_with(!is_done); left != 0; left &= left - 1) {
      const std::int64_t segment = slots_[lowest_lane(left)].segment;
      const segment_ends ends = job_.ends_of(segment);
      sums unused{};
      by_warp::add(job_.range_of(ends), 0, 1, scratch_, false, unused);
      by_warp::finish_words(job_.f, ends.count(), scratch_, spare_, job_.sinks.of(segment));
    }
    sync_warp();  // slots read above are overwritten by the next sums
    waiting_ = 0;
  }

 private:
  const Job& job_;
  slot* slots_;
  char* scratch_;
  state* spare_;
  int waiting_ = 0;
};

}  // namespace monofold::detail
