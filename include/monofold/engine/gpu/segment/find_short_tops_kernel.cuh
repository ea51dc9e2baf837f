#pragma once
/// engine/gpu/segment/find_short_tops_kernel: finds the k best items of rows of up to a tile, each by a warp or a team
/// of lanes.

#include <cstdint>

#include "monofold/engine/gpu/segment/top_job.cuh"
#include "monofold/engine/gpu/segment/top_keys.cuh"
#include "monofold/engine/gpu/segment/warp_top.cuh"
#include "monofold/engine/gpu/segment/work_list.cuh"
#include "monofold/level/block_shared.cuh"
#include "monofold/level/lanes.cuh"
#include "monofold/level/thread.cuh"
#include "monofold/plan/segment_launch.hpp"
#include "monofold/plan/top_rows_launch.hpp"
#include "monofold/platform/host_device.hpp"

namespace monofold::detail {

/// A page of up to 32 neighbouring segments, which a warp takes.
///
/// sync       all lanes of the warp make each call together
template <class Job>
class top_page {
 public:
  using word = typename Job::word;
  using keys = typename Job::keys;
  using key = typename Job::key;
  using top = warp_top<word>;

  MONOFOLD_GPU top_page(const Job& job, const segment_launch& plan, const work_list& list,
                        char* shared)
      : job_(job), plan_(plan), list_(list), top_(shared, job.order, job.k) {}

  /// Takes segments from `first` on: answers for short ones, lists longer ones, and reports those that are wrong or
  /// too short.
  MONOFOLD_GPU void see(std::int64_t first, int count) {
    const std::int64_t own = first + lane_rank();
    const bool is_one = lane_rank() < count;
    const segment_ends ends = is_one ? job_.ends_of(own) : segment_ends{0, 0};
    const bool is_good = is_one && job_.is_good(ends);
    if (is_one && !is_good) list_.report_bad(own);
    if (job_.k == 0) return;
    const bool is_wanted = is_good && job_.is_wanted(ends);
    if (is_good && !is_wanted) job_.fail(list_, job_.number_of(own), status::empty_input);
    const bool is_short = is_wanted && job_.is_short(ends);
    const std::int64_t tiles = is_wanted && !is_short ? job_.tiles_of(ends) : 0;
    if (any_lane(tiles > 0)) work_list::append(list_, plan_, own, tiles);
    const bool is_tiny = is_short && ends.count() <= warp_lanes;
    find_in_teams(first, ends.begin, is_tiny ? static_cast<int>(ends.count()) : 0);
    std::uint32_t lanes = lanes_with(is_short && !is_tiny);
    MONOFOLD_ROLL
    while (lanes != 0) {
      const int lane = lowest_lane(lanes);
      lanes &= lanes - 1;
      find(first + lane, shuffle_from(ends, lane));
    }
  }

 private:
  /// Sorts segments of up to 32 items, each item in a lane.
  MONOFOLD_GPU void find_in_teams(std::int64_t first, std::int64_t begin, int count) {
    const int longest = largest_of_lanes(count);
    int width = 1;
    while (width < longest) width *= 2;
    const int member = lane_rank() & (width - 1);
    const int place_of_first = lane_rank() - member;
    const std::uint32_t there = lanes_with(count > 0);
    MONOFOLD_ROLL
    for (int at = 0; at < warp_lanes && there >> at != 0; at += warp_lanes / width) {
      const int lane =
          at + place_of_first / width;  // below 32: both are multiples of one power of 2
      const int items = shuffle_from(count, lane);
      const std::int64_t from = shuffle_from(begin, lane);
      key own = 0;
      if (member < items) {
        const auto rank = job_.order.rank_of(job_.part({from, from + items}, member, 1).only());
        if (rank >= job_.order.least()) own = keys::of(rank, static_cast<std::uint32_t>(member));
      }
      own = sort_lanes(own, width);
      status code = status::ok;
      if (job_.order.place != nan_place::last) {
        const key best = shuffle_from(own, place_of_first);
        const key last = shuffle_from(own, (place_of_first + job_.k - 1) % warp_lanes);
        code = job_.code_of(best, items < job_.k ? key{0} : last);
      }
      const std::int64_t number = items > 0 ? job_.number_of(first + lane) : 0;
      if (items == 0) {
        // No segment here, or one that is not for teams.
      } else if (code != status::ok) {
        if (member == 0) job_.fail(list_, number, code);
      } else if (member < job_.k) {
        job_.put(number, member, keys::rank_of(own),
                 (job_.from_view ? from : 0) + keys::index_of(own));
      }
    }
  }

  /// Finds the k best items of a segment of up to a tile.
  MONOFOLD_GPU void find(std::int64_t segment, const segment_ends& ends) {
    const auto range = job_.part(ends, 0, ends.count());
    top_.start();
    MONOFOLD_ROLL
    for (std::int64_t at = 0; at < range.end; at += Job::tile_items) top_.scan(range, at);
    top_.sort();
    const std::int64_t base = job_.from_view ? ends.begin : 0;
    job_.store(list_, top_, segment, [&](std::uint32_t index) { return base + index; });
  }

  const Job& job_;
  const segment_launch& plan_;
  const work_list& list_;
  top top_;
};

/// Finds the k best items of rows of up to a tile, and lists longer rows.
///
/// shape      plan: top_rows_launch_for(the segments); list: counters that are 0; shared: bytes_for(k) a warp
/// order      any: the answers do not depend on it
/// errors     traps where the host's compiler lays out its arguments otherwise
template <class Job>
__global__ void __launch_bounds__(top_row_warps* warp_lanes, 6)
    find_short_tops_kernel(MONOFOLD_GRID_CONSTANT const Job job, const segment_launch plan,
                           const work_list list) {
  let_next_launch_begin();
  if (job.bytes != static_cast<std::int32_t>(sizeof(Job))) trap();
  wait_for_launches_before();
  char* const shared = reinterpret_cast<char*>(dynamic_shared());
  const int bytes = warp_top<typename Job::word>::bytes_for(job.k);
  top_page<Job> page(job, plan, list, shared + warp_rank() * bytes);
  const std::int64_t warp = block_rank() * warps_of_top_row(job.k) + warp_rank();
  const std::int64_t first = warp * plan.group;
  if (first >= plan.segments) return;
  const std::int64_t left = plan.segments - first;
  page.see(first, left < plan.group ? static_cast<int>(left) : plan.group);
}

}  // namespace monofold::detail
