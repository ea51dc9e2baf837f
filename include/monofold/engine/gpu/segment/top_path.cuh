#pragma once
/// engine/gpu/segment/top_path: chooses and starts the kernels that find the k best items of each segment.

#include <cstdint>
#include <string>

#include "monofold/engine/gpu/launch.cuh"
#include "monofold/engine/gpu/segment/find_listed_tops_kernel.cuh"
#include "monofold/engine/gpu/segment/find_short_tops_kernel.cuh"
#include "monofold/engine/gpu/segment/known_segments.hpp"
#include "monofold/engine/gpu/segment/top_job.cuh"
#include "monofold/engine/gpu/segment/work_list.cuh"
#include "monofold/engine/gpu/workspace.cuh"
#include "monofold/fold/word_order.hpp"
#include "monofold/plan/segment_launch.hpp"
#include "monofold/plan/tiles.hpp"
#include "monofold/plan/top_rows_launch.hpp"
#include "monofold/platform/status.hpp"

namespace monofold::detail {

/// A search for the k best items of each of so many segments; it lives for one call.
template <class Word, class Segments>
class top_rows_path {
 public:
  using job = top_job<Word, Segments>;

  top_rows_path(const word_order<Word>& order, std::int64_t k, std::int64_t size,
                const Segments& segments, int multiprocessors)
      : order_(order), k_(k), size_(size), segments_(segments) {
    const std::int64_t length = known_segments<Segments>::length(segments);
    length_ = length;
    may_overlap_ = known_segments<Segments>::may_overlap && length < 0;
    const std::int64_t count = count_of(segments);
    const segment_facts facts{
        count, length < 0 ? size : length * count, tile_items_v<Word>, length, may_overlap_, true};
    if (failure_of_k()) return;
    const top_rows_launch plan =
        top_rows_launch_for(facts, static_cast<int>(k), order.least() != 0, multiprocessors);
    plan_ = plan.list;
    short_tiles_ = plan.short_tiles;
    if (plan_.long_blocks == 0) return;
    // Rows of any length are listed where more items are asked for than a warp takes.
    memory_.mediums = k > max_warp_top_items ? plan_.segments : medium_capacity_of(plan_, facts);
    memory_.units = unit_capacity_of(plan_, facts);
  }

  std::int64_t workspace_bytes() const {
    return memory_.states_at() +
           memory_.units * k_ * static_cast<std::int64_t>(sizeof(typename job::key));
  }

  /// Whether the kernels write a report: of rows of one length the host knows what is wrong.
  bool reports() const { return plan_.long_blocks > 0 && length_ < 0; }

  /// The failure if k does not fit, or if rows of one length are too short for it.
  failure failure_of_k() const {
    if (k_ < 0) return {status::invalid_argument, "k is " + std::to_string(k_)};
    if (k_ > max_top_items) {
      return {status::unsupported, "k is " + std::to_string(k_) + "; a GPU picks up to " +
                                       std::to_string(max_top_items) + " items of a row"};
    }
    // Longer rows are cut, but where a list of them may have no room for that.
    if (may_overlap_ && size_ >= most_overlapping) {
      return {status::unsupported,
              "the k best of segments that may overlap: the range has 2^32 items or more"};
    }
    return {};
  }

  /// shape      out: k items a segment, in memory that the device can write
  /// sync       does not wait. The workspace is in use until the stream gets there
  failure start(const device_stream& on, const gpu_workspace& workspace, const Word* items,
                const top_row_places<Word>& out, bool from_view) const {
    if (auto failed = failure_of_k()) return failed;
    if (plan_.segments == 0) return {};
    // Without a report nothing may be counted for it: no row has an answer.
    if (length_ >= 0 && length_ < k_ && out.failed == nullptr) return {};
    const int k = static_cast<int>(k_);
    const job own{static_cast<std::int32_t>(sizeof(job)),
                  k,
                  short_tiles_,
                  from_view,
                  items,
                  size_,
                  order_,
                  out,
                  segments_};
    const work_list list = memory_.list_in(workspace);
    const int warps = warps_of_top_row(k);
    const int shared = warps * warp_top<Word>::bytes_for(k);
    if (auto failed = launch_early(find_short_tops_kernel<job>, (plan_.warps + warps - 1) / warps,
                                   warps * warp_lanes, shared, on, own, plan_, list)) {
      return failed;
    }
    if (plan_.long_blocks == 0) return {};
    return launch_early(
        find_listed_tops_kernel<job>, plan_.long_blocks, warps * warp_lanes, shared, on, own, list,
        static_cast<typename job::key*>(memory_.states_in(workspace)), workspace.segment_report());
  }

 private:
  static constexpr std::int64_t most_overlapping = (std::int64_t{1} << 32) - 1;

  word_order<Word> order_;
  std::int64_t k_;
  std::int64_t size_;
  const Segments& segments_;
  std::int64_t length_ = -1;  // of all rows; -1: only the device knows lengths
  bool may_overlap_ = false;
  segment_launch plan_{};
  std::int32_t short_tiles_ = 0;
  list_memory memory_{};
};

}  // namespace monofold::detail
