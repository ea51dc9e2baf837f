#pragma once
/// engine/gpu/segment/path: chooses and starts the kernels for a fold of segments, by what the host knows of them.

#include <cuda_runtime_api.h>

#include <cstdint>
#include <type_traits>

#include "monofold/engine/gpu/engine.cuh"
#include "monofold/engine/gpu/launch.cuh"
#include "monofold/engine/gpu/segment/double_rows.cuh"
#include "monofold/engine/gpu/segment/fold_long_kernel.cuh"
#include "monofold/engine/gpu/segment/fold_rows_kernel.cuh"
#include "monofold/engine/gpu/segment/fold_short_kernel.cuh"
#include "monofold/engine/gpu/segment/fold_slots_kernel.cuh"
#include "monofold/engine/gpu/segment/job.cuh"
#include "monofold/engine/gpu/segment/known_segments.hpp"
#include "monofold/engine/gpu/segment/long_block.cuh"
#include "monofold/engine/gpu/segment/tiny_rows.cuh"
#include "monofold/engine/gpu/segment/work_list.cuh"
#include "monofold/engine/gpu/workspace.cuh"
#include "monofold/fold/exact/term.hpp"
#include "monofold/fold/extrema.hpp"
#include "monofold/fold/sum.hpp"
#include "monofold/plan/double_row_launch.hpp"
#include "monofold/plan/segment_launch.hpp"
#include "monofold/shape/segments.hpp"

namespace monofold::detail {

/// Whether there is a kernel for rows by whole chunks: for lists that are always of rows of one length, and for folds for
/// which it is worth its size where a list may be that.
template <class F, class Segments>
inline constexpr bool has_row_kernel_v = known_segments<Segments>::always_fixed;
/// How many chunks rows have at least that it folds: shorter ones are faster in slots.
template <class F>
inline constexpr int least_row_chunks = 0;

/// The path of a fold of the segments of a view; it lives for one call.
template <class F, class View, class Segments>
class segment_path {
 public:
  using item = typename View::item_type;
  using state = typename F::state;
  /// The block of the kernels for long segments; its sizes are the same for all sinks.
  using block = long_block<segment_job<F, View, Segments, segment_states<state>, false>>;
  static_assert(sizeof(state) <= 1024 || !std::is_void_v<segment_term_t<F, View>>,
                "of segments on a GPU a state has at most 1 KiB");

  segment_path(const F& f, const View& view, const Segments& segments, int multiprocessors)
      : fold_(f), view_(view), segments_(segments), multiprocessors_(multiprocessors) {
    const std::int64_t length = known_segments<Segments>::length(segments);
    const std::int64_t count = count_of(segments);
    facts_ = {count,
              length < 0 ? static_cast<std::int64_t>(view.size()) : length * count,
              tile_items_v<item>,
              length,
              known_segments<Segments>::may_overlap,
              !std::is_void_v<segment_term_t<F, View>>};
    plan_ = segment_launch_for(facts_, multiprocessors);
    plan_.max_nodes = states_per_thread * block::warps * warp_lanes;
    by_doubles_ = is_faster_by_doubles();
    if (length > facts_.tile_items) {
      plan_ = long_rows_launch_for(plan_, facts_, block::warps, long_resident_blocks * block::warps,
                                   multiprocessors);
    }
    mediums_ = medium_capacity_of(plan_, facts_);
    units_ = unit_capacity_of(plan_, facts_);
    if (plan_.long_blocks == 0) mediums_ = units_ = 0;
    if constexpr (folds_rows) {
      if (length < 0) return;
      // Rows that share chunks lie side by side; others begin at chunks.
      rows_ = row_launch_for<item>(count, length, multiprocessors);
      const std::int64_t chunk_bytes = rows_.are_halves ? lane_bytes / 2 : lane_bytes;
      const std::int64_t row_bytes = segments.begin(1) * static_cast<int>(sizeof(item));
      const bool is_aligned = reinterpret_cast<std::uintptr_t>(view.data()) % chunk_bytes == 0 &&
                              (count <= 1 || (rows_.chunks == 0 ? segments.begin(1) == length
                                                                : row_bytes % chunk_bytes == 0));
      if (!is_aligned || is_faster_in_slots(length) || rows_.chunks < least_row_chunks<F> ||
          (rows_.chunks == 0 && !folds_shared_chunks_v<F, View>) ||
          (rows_.are_halves && !folds_half_chunks_v<F, View>)) {
        rows_.warps = 0;
      }
    }
  }

  std::int64_t workspace_bytes() const {
    return memory().states_at() + block::bytes_of_nodes(units_);
  }
  /// Whether kernels use a workspace. They do not where nothing is listed and no row is cut into nodes.
  bool needs_workspace() const { return facts_.fixed_length < 0 || units_ > 0; }

  template <bool from_view, class Sinks>
  failure start(const device_stream& on, const gpu_workspace& workspace, const Sinks& sinks) const {
    using job = segment_job<F, View, Segments, Sinks, from_view>;
    const job own{handed_layout_of<F, View>(),
                  static_cast<std::int64_t>(view_.size()),
                  sinks,
                  segments_,
                  view_,
                  fold_};
    if constexpr (folds_rows && has_rows_for_sink_v<job>) {
      // Where slots are for this sink, tiny rows are faster there.
      const bool are_tiny = slot_way_of<job> != slot_way::none &&
                            are_tiny_rows<F, item, segment_term_t<F, View>>(facts_.fixed_length);
      if (rows_.warps > 0 && !by_doubles_ && !are_tiny) {
        return launch_early(fold_rows_kernel<job>,
                            (rows_.warps + row_block_warps - 1) / row_block_warps,
                            row_block_warps * warp_lanes,
                            row_block_warps * digits_scratch_bytes<job>, on, own, rows_);
      }
    }
    if constexpr (has_double_rows_v<F, View> && is_answer_sink_v<decltype(own.sinks.of(0))>) {
      if (by_doubles_) return start_double_rows(on, own);
    }
    const work_list list = needs_workspace() ? list_in(workspace) : work_list{};
    if (plan_.warps > 0) {
      if (auto failed = start_short(on, own, plan_, list)) return failed;
    }
    if (plan_.long_blocks == 0) return {};
    auto* const states =
        needs_workspace() ? static_cast<state*>(memory().states_in(workspace)) : nullptr;
    auto* const report = needs_workspace() ? workspace.segment_report() : nullptr;
    auto* kernel = fold_unlisted_segments_kernel<job>;
    // Rows of one length are never listed.
    if constexpr (!known_segments<Segments>::always_fixed) {
      if (plan_.warps > 0) kernel = fold_listed_segments_kernel<job>;
    }
    return launch_early(kernel, plan_.long_blocks, block::warps * warp_lanes, block::shared_bytes,
                        on, own, plan_, list, states, report);
  }

  /// Whether the kernels write a report.
  bool reports() const { return plan_.long_blocks > 0 && plan_.row_tiles == 0; }

 private:
  static constexpr bool folds_rows = has_row_kernel_v<F, Segments> && folds_chunks_v<F, View>;

  /// Whether the kernel of slots, or that of shared memory, is faster for rows of this length than that of chunks.
  ///
  /// source     one H200. The kernel of slots takes 0.2 to 0.9 of the time for tiny rows, of extrema 0.9 for rows of 8
  ///            items; of exact sums of float32 0.5 to 0.9 between 16 and 128 MiB, but up to 8 and from 256 MiB on 1.1 to
  ///            1.5; of integers, whose states have 128 bits, 0.2 to 0.8; of their means 0.45 to 0.85
  bool is_faster_in_slots(std::int64_t length) const {
    if constexpr (std::is_void_v<segment_term_t<F, View>> && has_cells_for_slots<F, item, void>()) {
      if (length <= most_tiny_items) return true;
    }
    if constexpr (is_extremum_fold_v<F>) {
      return length > 4;
    } else if constexpr (std::is_same_v<F, integer_sum_fold<item>> && sizeof(item) <= 4) {
      return length * static_cast<int>(sizeof(item)) >= (sizeof(item) == 1 ? 128 : 32);
    } else if constexpr (std::is_same_v<F, mean_fold<item>> && !is_floating_v<item> &&
                         sizeof(item) == 4) {
      return length > 8 && length <= 256;  // by shared memory
    } else if constexpr (sums_as_double_v<segment_term_t<F, View>> && sizeof(item) == 4) {
      // Blocks of that of chunks come in waves, which few or many do not mind.
      const std::int64_t items = count_of(segments_) * length;
      if (items <= std::int64_t{2} << 20 || items >= std::int64_t{48} << 20) return false;
      const bool are_few = items <= std::int64_t{8} << 20;
      return are_few ? length > 4 && length <= 512 : length > 32 && length < 256;
    } else {
      return false;
    }
  }

  double_row_facts double_facts() const {
    constexpr int bytes = static_cast<int>(sizeof(item));
    const auto at = reinterpret_cast<std::uintptr_t>(view_.data()) |
                    static_cast<std::uintptr_t>(segments_.begin(1) * bytes);
    return {facts_.segments,
            facts_.fixed_length,
            bytes,
            !std::is_same_v<segment_term_t<F, View>, value_term<item>>,
            at % lane_bytes == 0,
            multiprocessors_};
  }
  bool is_faster_by_doubles() const {
    if constexpr (has_double_rows_v<F, View>) {
      if constexpr (have_stretches<Segments>) {
        if (segments_.stretches() != nullptr) return false;
      }
      return facts_.fixed_length > 0 && may_round(fold_) && adds_by_doubles(double_facts());
    } else {
      return false;
    }
  }

  template <class Job>
  failure start_double_rows(const device_stream& on, const Job& job) const {
    using rows = double_rows<Job>;
    static_assert(rows::block_bytes <= max_shared_bytes);
    const int level = double_row_level(double_facts());
    return launch_early(
        fold_double_rows_kernel<Job>, double_team_blocks(facts_.segments, level, multiprocessors_),
        rows::warps * warp_lanes, rows::block_bytes, on, job, facts_.segments, level);
  }

  template <class Job>
  failure start_short(const device_stream& on, const Job& job, segment_launch plan,
                      const work_list& list) const {
    if constexpr (slot_way_of<Job> != slot_way::none) {
      plan = page_launch_for(plan, facts_, multiprocessors_);
      if (are_tiny_rows<F, item, segment_term_t<F, View>>(facts_.fixed_length)) {
        plan = tiny_launch_for(plan, facts_, multiprocessors_);
      }
      constexpr int warps = slot_warp<Job>::warps;
      return launch_early(fold_slots_kernel<Job>, (plan.warps + warps - 1) / warps,
                          warps * warp_lanes, warps * slot_warp<Job>::warp_bytes, on, job, plan,
                          list);
    } else {
      constexpr int warps = short_warp<Job>::warps;
      return launch_early(fold_short_segments_kernel<Job>, (plan.warps + warps - 1) / warps,
                          warps * warp_lanes, warps * short_warp<Job>::warp_bytes, on, job, plan,
                          list);
    }
  }

  list_memory memory() const { return {mediums_, units_}; }
  work_list list_in(const gpu_workspace& workspace) const {
    work_list list = memory().list_in(workspace);
    if (plan_.warps == 0) list.tickets = workspace.row_tickets();
    return list;
  }

  const F& fold_;
  const View& view_;
  const Segments& segments_;
  int multiprocessors_;
  segment_facts facts_;
  segment_launch plan_;
  row_launch rows_{};  // no warps: the kernels of segments
  bool by_doubles_ = false;
  std::int64_t mediums_;
  std::int64_t units_;
};

}  // namespace monofold::detail
