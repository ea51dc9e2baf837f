#pragma once
/// engine/gpu/segment/fold_slots_kernel: the kernel for segments of up to a tile whose items have slots of their own.

#include <cstdint>
#include <type_traits>

#include "monofold/engine/gpu/segment/exact_cells.cuh"
#include "monofold/engine/gpu/segment/job.cuh"
#include "monofold/engine/gpu/segment/known_segments.hpp"
#include "monofold/engine/gpu/segment/moment_cells.cuh"
#include "monofold/engine/gpu/segment/slot_cells.cuh"
#include "monofold/engine/gpu/segment/slot_page.cuh"
#include "monofold/engine/gpu/segment/tile_range.cuh"
#include "monofold/engine/gpu/segment/tiny_rows.cuh"
#include "monofold/engine/gpu/segment/work_list.cuh"
#include "monofold/level/block_shared.cuh"
#include "monofold/level/lanes.cuh"
#include "monofold/level/shuffle.cuh"
#include "monofold/level/thread.cuh"
#include "monofold/plan/segment_launch.hpp"
#include "monofold/platform/host_device.hpp"

namespace monofold::detail {

/// A warp folds neighbouring segments, up to 32 at a time: a page.
template <class Job>
class slot_warp {
 public:
  using item = typename Job::item;
  using fold = typename Job::fold;
  using state = typename Job::state;
  using view = typename Job::view_type;
  using term = segment_term_t<fold, view>;
  using sink = std::remove_cv_t<decltype(std::declval<const Job&>().sinks.of(0))>;
  static constexpr slot_way way = slot_way_of<Job>;
  static_assert(way != slot_way::none);
  static constexpr int page_bytes = warp_lanes * static_cast<int>(sizeof(slot_segment));
  static constexpr int warp_bytes = page_bytes + digits_scratch_bytes<Job>;
  static constexpr int warps = 4;

  MONOFOLD_GPU slot_warp(const Job& job, const segment_launch& plan, const work_list& list,
                         char* shared)
      : job_(job), plan_(plan), list_(list), shared_(shared) {}

  /// Rows [first, end) of one length, `length` items, which are few.
  MONOFOLD_GPU static void fold_tiny(const Job& job, int length, std::int64_t first,
                                     std::int64_t end, [[maybe_unused]] char* shared) {
    visit_tiny_rows(job, length, [&](const auto& rows) {
      rows.fold_rows(first, end, [&](std::int64_t at, const slot_segment& own) {
        if constexpr (way == slot_way::exact) {
          fold_left<sums_as_double_v<term>>(job, shared, at, own);
        }
      });
    });
  }
  /// Folds segments [first, end), `group` at a time. Where the next ones begin and end is loaded before these are
  /// folded.
  MONOFOLD_GPU void fold_segments(std::int64_t first, std::int64_t end) const {
    segment_ends next = ends_of(first, end);
    MONOFOLD_ROLL
    for (std::int64_t at = first; at < end; at += plan_.group) {
      const segment_ends here = next;
      if (at + plan_.group < end) next = ends_of(at + plan_.group, end);
      fold_page(at, end - at < plan_.group ? static_cast<int>(end - at) : plan_.group, here);
    }
  }

  /// Folds segments of up to a tile, one a lane, from segment `at` on; one that has no items is none.
  ///
  /// sync       all lanes of the warp
  MONOFOLD_GPU static void fold_short(const Job& job, char* shared, std::int64_t at,
                                      const slot_segment& own) {
    auto* const list = reinterpret_cast<slot_segment*>(shared);
    if constexpr (way == slot_way::tree) {
      using cells = tree_step_cells<fold, item, sink>;
      const cells of{job.f};
      const auto use = [&](const auto& total, const slot_segment& segment, bool is_one,
                           const no_watch&, const no_step&) {
        if (!is_one) return;
        job.sink_of(at + segment.place, {segment.begin, segment.begin + segment.count})(
            job.f, cells::own::state_of(job.f, total, segment.count));
      };
      slot_page(of, job.view.data(), list, use).fold(own);
    } else {
      constexpr bool by_doubles = sums_as_double_v<term>;
      using first_cells = std::conditional_t<by_doubles, double_cells<term>, bin_cells<term>>;
      const std::uint32_t left = fold_exactly<first_cells>(job, list, at, own);
      if (left == 0) return;
      fold_left<by_doubles>(job, shared, at, still_in(own, left));
    }
  }

 private:
  MONOFOLD_GPU segment_ends ends_of(std::int64_t at, std::int64_t end) const {
    const std::int64_t segment = at + lane_rank();
    if (lane_rank() >= plan_.group || segment >= end) return {0, 0};
    return job_.ends_of(segment);
  }

  MONOFOLD_GPU void fold_page(std::int64_t at, int here, const segment_ends& ends) const {
    const bool is_there = lane_rank() < here;
    const int count = is_there && job_.is_short(ends) ? static_cast<int>(ends.count()) : 0;
    const bool is_other = is_there && count == 0;
    if (any_lane(is_other)) see_to_other(job_, plan_, list_, is_other, at + lane_rank(), ends);
    if (any_lane(count > 0)) {
      fold_short(job_, shared_, at, {ends.begin, count, lane_rank()});
    }
  }

  /// Stores the answers of segments whose sums cells hold. Returns the places of the other segments, as bits.
  ///
  /// sync       all lanes of the warp
  template <class Cells>
  MONOFOLD_GPU static std::uint32_t fold_exactly(const Job& job, slot_segment* list,
                                                 std::int64_t at, const slot_segment& own) {
    using cells = exact_step_cells<Cells>;
    std::uint32_t left = 0;
    const auto use = [&](const auto& total, const slot_segment& segment, bool is_one,
                         const auto& seen, const auto& step) {
      const bool holds = Cells::holds(seen, step);
      // A lane adds an item of each row of 32 or more; then lanes and parts meet.
      const rounding_bound bound =
          bound_of<Cells, fold>(seen, holds, segment.count / warp_lanes + 9);
      if (!is_one) return;
      const bool is_done = finish_cell<Cells>(job.f, total, segment.count, holds, bound,
                                              *job.sinks.of(at + segment.place).out);
      if (!is_done) left |= 1u << segment.place;
    };
    const cells of;
    slot_page(of, job.view.data(), list, use).fold(own);
    return any_lane(left != 0) ? sum_of_lanes(left) : 0;
  }

  /// A lane's segment where its bit is set; if not, one without items.
  MONOFOLD_GPU static slot_segment still_in(slot_segment own, std::uint32_t left) {
    if ((left >> lane_rank() & 1) == 0) own.count = 0;
    return own;
  }

  /// Folds the segments that have items by the next kind of cells, and what is left then by digits. Not inlined, since
  /// it would take registers from the first kind.
  template <bool by_bins>
  MONOFOLD_GPU_CALL static void fold_left(const Job& job, char* shared, std::int64_t at,
                                          slot_segment own) {
    auto* const list = reinterpret_cast<slot_segment*>(shared);
    std::uint32_t left = all_lanes;
    const int count = own.count;
    if constexpr (by_bins) {
      left = fold_exactly<bin_cells<term>>(job, list, at, own);
      own = still_in(own, left);
    }
    if (left != 0) {
      left = fold_exactly<pair_cells<term>>(job, list, at, own);
    }
    MONOFOLD_ROLL
    while (left != 0) {
      const int place = lowest_lane(left);
      left &= left - 1;
      const std::int64_t begin = shuffle_from(own.begin, place);
      add_by_digits(job, at + place, {begin, begin + shuffle_from(count, place)},
                    shared + page_bytes);
    }
  }

  const Job& job_;
  const segment_launch& plan_;
  const work_list& list_;
  char* shared_;
};

/// Folds the segments of up to a tile, and lists the others.
///
/// shape      plan: page_launch_for(the segments); list: counters that are 0
/// order      the plan's tree in each segment
/// errors     traps where the host's compiler lays out its arguments otherwise
template <class Job>
__global__ void __launch_bounds__(slot_warp<Job>::warps* warp_lanes, 8)
    fold_slots_kernel(MONOFOLD_GRID_CONSTANT const Job job, const segment_launch plan,
                      const work_list list) {
  let_next_launch_begin();
  if (job.layout != handed_layout_of<typename Job::fold, typename Job::view_type>()) trap();
  wait_for_launches_before();
  const int warp = warp_rank();
  auto* const shared =
      reinterpret_cast<char*>(dynamic_shared()) + warp * slot_warp<Job>::warp_bytes;
  const std::int64_t each = std::int64_t{plan.groups} * plan.group;
  const std::int64_t first = (std::int64_t{blockIdx.x} * slot_warp<Job>::warps + warp) * each;
  if (first >= plan.segments) return;
  const std::int64_t end = first + each < plan.segments ? first + each : plan.segments;
  if constexpr (!known_segments<typename Job::segments_type>::never_fixed &&
                has_tiny_rows_v<typename Job::fold, typename slot_warp<Job>::term>) {
    if (plan.tiny_items > 0) {
      return slot_warp<Job>::fold_tiny(job, plan.tiny_items, first, end, shared);
    }
  }
  // Calls take the addresses of these. Where they are copied here, tiny rows do not wait for that.
  const segment_launch own_plan = plan;
  const work_list own_list = list;
  slot_warp<Job>(job, own_plan, own_list, shared).fold_segments(first, end);
}

}  // namespace monofold::detail
