#pragma once
/// engine/gpu/segment/fold_short_kernel: the kernel for segments of up to a tile; it lists the longer ones.

#include <cstdint>
#include <type_traits>

#include "monofold/engine/gpu/segment/exact_team.cuh"
#include "monofold/engine/gpu/segment/job.cuh"
#include "monofold/engine/gpu/segment/lane_items.cuh"
#include "monofold/engine/gpu/segment/short_fold.cuh"
#include "monofold/engine/gpu/segment/tile_range.cuh"
#include "monofold/engine/gpu/segment/work_list.cuh"
#include "monofold/engine/gpu/tree/fold_tiles_kernel.cuh"
#include "monofold/level/block_shared.cuh"
#include "monofold/level/lanes.cuh"
#include "monofold/level/thread.cuh"
#include "monofold/plan/launch.hpp"
#include "monofold/plan/segment_launch.hpp"
#include "monofold/platform/host_device.hpp"

namespace monofold::detail {

/// What a warp knows of neighbouring segments that are short: where the lowest one begins and the highest one ends, in
/// items from `origin`; the length of the longest; and whether all begin at whole chunks from `origin`.
struct segment_batch {
  std::int64_t origin;
  int low;
  int high;
  int longest;
  bool is_in_step;
};

/// A warp folds short segments, as many at once as fit its shared memory.
template <class Job>
class short_warp {
 public:
  using item = typename Job::item;
  using fold = typename Job::fold;
  using state = typename Job::state;
  using view = typename Job::view_type;
  using term = segment_term_t<fold, view>;
  using exact = job_tiles<Job>;
  static constexpr bool is_exact = !std::is_void_v<term>;
  static constexpr int stage_bytes = is_stageable_v<view> ? stage_shape<item>::bytes : 0;
  static constexpr int warp_bytes = stage_bytes + digits_scratch_bytes<Job>;
  static constexpr int warps = 4 * warp_bytes <= max_shared_bytes ? 4 : 2;

  MONOFOLD_GPU short_warp(const Job& job, const segment_launch& plan, const work_list& list,
                          char* shared)
      : job_(job), plan_(plan), list_(list), stage_(shared) {}

  /// Folds segments [first, end). A power of two of them is taken at once; it is halved while that many do not suit.
  MONOFOLD_GPU void fold_group(std::int64_t first, std::int64_t end) {
    int step = plan_.group;
    MONOFOLD_ROLL
    for (std::int64_t at = first; at < end;) {
      const int here = end - at < step ? static_cast<int>(end - at) : step;
      const segment_batch batch = look(at, here);
      const bool fits = fits_stage(batch);
      if (here > 1 && !suits(batch, here, fits)) {
        step /= 2;
        continue;
      }
      if (fits) {
        if constexpr (is_stageable_v<view>) fold_staged(at, here, batch);
      } else if constexpr (may_be_direct) {
        fold_batch(at, here, batch.longest, [&](std::int64_t begin) {
          return view_items<view>{job_.view, begin};
        });
      }
      at += here;
      if (step < plan_.group && (at - first) % (2 * step) == 0) step *= 2;
    }
  }

 private:
  static constexpr int tile_items = Job::tile_items;
  static constexpr bool may_be_direct =
      !is_stageable_v<view> ||
      have_gaps_v<std::remove_cvref_t<decltype(std::declval<const Job&>().segments)>>;
  static constexpr int far = 1 << 30;
  static constexpr bool is_fixed =
      std::is_same_v<std::remove_cvref_t<decltype(std::declval<const Job&>().segments)>,
                     fixed_segments>;
  static constexpr int chunk_items = tile_shape<item>::items_per_lane;

  MONOFOLD_GPU static int clamped(std::int64_t distance) {
    return distance > far ? far : distance < -far ? -far : static_cast<int>(distance);
  }

  MONOFOLD_GPU segment_batch look(std::int64_t at, int here) const {
    if constexpr (is_fixed) {
      const std::int64_t length = job_.segments.length();
      const std::int64_t high = job_.segments.begin(here - 1) + length;
      const bool is_in_step = here == 1 || job_.segments.begin(1) % chunk_items == 0;
      if (length > tile_items) return {0, 0, 0, 0, true};
      return {job_.segments.begin(at), 0, clamped(high), static_cast<int>(length), is_in_step};
    }
    std::int64_t origin = job_.segments.begin(at);
    if (origin < 0 || origin > job_.size) origin = 0;
    int low = far;
    int high = -far;
    int longest = 0;
    bool is_in_step = true;
    MONOFOLD_ROLL
    for (int i = lane_rank(); i < here; i += warp_lanes) {
      const segment_ends ends = job_.ends_of(at + i);
      if (!job_.is_short(ends) || ends.count() == 0) continue;
      const int from = clamped(ends.begin - origin);
      const int to = clamped(ends.end - origin);
      const auto count = static_cast<int>(ends.count());
      low = from < low ? from : low;
      high = to > high ? to : high;
      longest = count > longest ? count : longest;
      is_in_step = is_in_step && from % chunk_items == 0;
    }
    return {origin, smallest_of_lanes(low), largest_of_lanes(high), largest_of_lanes(longest),
            !any_lane(!is_in_step)};
  }

  MONOFOLD_GPU bool fits_stage(const segment_batch& batch) const {
    if constexpr (is_stageable_v<view>) {
      if (batch.high <= batch.low) return true;  // nothing to stage
      if (batch.low <= -far || batch.high >= far) return false;
      constexpr int room = stage_shape<item>::chunks * lane_bytes;
      if (batch.high - batch.low > room / static_cast<int>(sizeof(item))) return false;
      const int past = bytes_past_16(job_.view.data() + batch.origin + batch.low);
      return (batch.high - batch.low) * static_cast<int>(sizeof(item)) + past <= room;
    } else {
      return false;
    }
  }
  /// Whether `here` segments suit to be folded at once. The longest must not be much longer than the others, so that
  /// lanes have similar amounts to do. And they must fit the stage, or lie so far apart that staging would mostly copy
  /// other items.
  MONOFOLD_GPU bool suits(const segment_batch& batch, int here, bool fits) const {
    if (std::int64_t{batch.longest} * here > 2 * tile_items) return false;
    if constexpr (!is_stageable_v<view>) return true;
    return fits || (may_be_direct && batch.high - batch.low > 4 * tile_items);
  }

  MONOFOLD_GPU void fold_staged(std::int64_t at, int here, const segment_batch& batch) {
    std::int64_t first = 0;
    bool is_aligned = true;
    if (batch.high > batch.low) {
      first = stage_items(job_.view, job_.size, batch.origin + batch.low, batch.origin + batch.high,
                          stage_);
      is_aligned = batch.is_in_step && (batch.origin - first) % chunk_items == 0;
    }
    fold_batch(at, here, batch.longest, [&](std::int64_t begin) {
      return staged_items<item>{stage_, static_cast<int>(begin - first), is_aligned};
    });
  }

  /// Folds `here` segments at once. items_from(begin) gives the items of the segment that begins there.
  template <class ItemsFrom>
  MONOFOLD_GPU void fold_batch(std::int64_t at, int here, int longest,
                               const ItemsFrom& items_from) {
    const short_teams teams = teams_for<item>(here, longest);
    MONOFOLD_ROLL
    for (int i = 0; i < here; i += teams.teams()) {
      const bool is_there = i + teams.team() < here;
      const std::int64_t segment = at + (is_there ? i + teams.team() : 0);
      const segment_ends ends = job_.ends_of(segment);
      const bool is_one = is_there && teams.member() == 0;
      int count = 0;
      if (is_fixed && longest > 0) {
        count = is_there ? longest : 0;
      } else {
        count = is_there && job_.is_short(ends) ? static_cast<int>(ends.count()) : 0;
        const bool is_other = is_one && count == 0;
        if (any_lane(is_other)) see_to_other(job_, plan_, list_, is_other, segment, ends);
      }
      fold_teams(items_from(count > 0 ? ends.begin : 0), segment, ends, count, teams);
    }
  }

  template <class Items>
  MONOFOLD_GPU void fold_teams(const Items& items, std::int64_t segment, const segment_ends& ends,
                               int count, const short_teams& teams) {
    const bool is_one = count > 0 && teams.member() == 0;
    if constexpr (is_exact) {
      short_sums<term> sum;
      bool is_left = !team_sum<term>::add(items, count, teams, sum) && is_one;
      if (is_one && !is_left) {
        is_left = !finish_lane(job_.f, sum, count, job_.sinks.of(segment));
      }
      std::uint32_t lanes = lanes_with(is_left);
      while (lanes != 0) {
        const int lane = lowest_lane(lanes);
        lanes &= lanes - 1;
        // What no team can add.
        add_by_digits(job_, shuffle_from(segment, lane), stage_ + stage_bytes);
      }
    } else {
      const state total = fold_team<fold, item>(job_.f, items, count, teams);
      if (!is_one) return;
      job_.sink_of(segment, ends)(job_.f, total);
    }
  }

  const Job& job_;
  const segment_launch& plan_;
  const work_list& list_;
  char* stage_;
};

/// How many blocks must fit a multiprocessor. It leaves 64, 128 or 168 registers a thread.
template <class F, class View>
inline constexpr int short_resident_blocks = !std::is_void_v<segment_term_t<F, View>>           ? 3
                                             : max_block_threads(launch_facts_v<F, View>) > 256 ? 6
                                                                                                : 4;

/// Folds the segments of up to a tile, and lists the others.
///
/// shape      plan: segment_launch_for(the segments); list: counters that are 0
/// errors     traps where the host's compiler lays out its arguments otherwise
template <class Job>
__global__ void __launch_bounds__(
    short_warp<Job>::warps* warp_lanes,
    short_resident_blocks<typename Job::fold, typename Job::view_type>)
    fold_short_segments_kernel(MONOFOLD_GRID_CONSTANT const Job job, const segment_launch plan,
                               const work_list list) {
  let_next_launch_begin();
  if (job.layout != handed_layout_of<typename Job::fold, typename Job::view_type>()) trap();
  wait_for_launches_before();
  const int warp = warp_rank();
  auto* const shared = reinterpret_cast<char*>(dynamic_shared());
  short_warp<Job> own(job, plan, list, shared + warp * short_warp<Job>::warp_bytes);
  const std::int64_t first =
      (std::int64_t{blockIdx.x} * short_warp<Job>::warps + warp) * plan.groups;
  MONOFOLD_ROLL
  for (int i = 0; i < plan.groups; ++i) {
    const std::int64_t at = (first + i) * plan.group;
    if (at >= plan.segments) return;
    own.fold_group(at, at + plan.group < plan.segments ? at + plan.group : plan.segments);
  }
}

}  // namespace monofold::detail
