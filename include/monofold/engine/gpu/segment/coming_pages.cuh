#pragma once
/// engine/gpu/segment/coming_pages: pages that a warp copies to shared memory while it adds those before.
///
/// Copies need no registers. Each lane reads what it has copied, so nothing is waited for but the copies.

#include <cstdint>

#include "monofold/engine/gpu/load.cuh"
#include "monofold/engine/gpu/thread_copy.cuh"
#include "monofold/level/thread.cuh"
#include "monofold/plan/double_row_launch.hpp"
#include "monofold/platform/host_device.hpp"

namespace monofold::detail {

/// How many chunks of a page each lane has, 32 apart.
inline constexpr int page_rows =
    double_row_page_bytes / (warp_lanes * static_cast<int>(sizeof(bytes16)));

/// The pages of a source, which says where the next one is: is_there(); start(to, policy) begins to copy the lane's
/// chunks of it, the first one to `to`, the others 32 places apart; go_on() to the one behind.
template <class Source>
class coming_pages {
 public:
  static constexpr int stages = 2;  // pages that there is room for
  static constexpr int page_chunks = page_rows * warp_lanes;
  static constexpr int bytes = stages * page_chunks * static_cast<int>(sizeof(bytes16));

  /// shape      shared: `bytes` of this warp; policy: see cache_policy_of
  MONOFOLD_GPU coming_pages(const Source& source, char* shared, std::uint64_t policy)
      : source_(source), own_(reinterpret_cast<bytes16*>(shared) + lane_rank()), policy_(policy) {
    MONOFOLD_ROLL
    for (int i = 1; i < stages; ++i) copy_next();
  }

  /// Where the lane's first chunk of the next page is, which has been copied.
  MONOFOLD_GPU const bytes16* take() {
    copy_next();
    wait_for_copies_but<stages - 1>();
    const bytes16* const own = own_ + stage_ * page_chunks;
    stage_ = after(stage_);
    return own;
  }

  /// The page that was taken last, for anything, until the next one is taken.
  MONOFOLD_GPU char* spare() const {
    const int last = stage_ == 0 ? stages - 1 : stage_ - 1;
    return reinterpret_cast<char*>(own_ - lane_rank() + last * page_chunks);
  }

 private:
  MONOFOLD_GPU static int after(int stage) { return stage + 1 == stages ? 0 : stage + 1; }
  MONOFOLD_GPU void copy_next() {
    if (source_.is_there()) {
      source_.start(own_ + next_stage_ * page_chunks, policy_);
      source_.go_on();
    }
    end_group_of_copies();
    next_stage_ = after(next_stage_);
  }

  Source source_;
  bytes16* own_;
  std::uint64_t policy_;
  int stage_ = 0;
  int next_stage_ = 0;
};

}  // namespace monofold::detail
