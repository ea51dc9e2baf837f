#pragma once
/// engine/gpu/segment/fold_long_kernel: the kernel for segments of several tiles.

#include <cstdint>
#include <type_traits>

#include "monofold/engine/gpu/segment/job.cuh"
#include "monofold/engine/gpu/segment/tile_range.cuh"
#include "monofold/engine/gpu/segment/work_list.cuh"
#include "monofold/engine/gpu/tree/fold_tiles_kernel.cuh"
#include "monofold/engine/gpu/tree/locate.cuh"
#include "monofold/level/block.cuh"
#include "monofold/level/block_shared.cuh"
#include "monofold/level/grid.cuh"
#include "monofold/level/thread.cuh"
#include "monofold/level/warp.cuh"
#include "monofold/plan/launch.hpp"
#include "monofold/plan/segment_launch.hpp"
#include "monofold/platform/host_device.hpp"

namespace monofold::detail {

/// Blocks that a multiprocessor must have room for: 64 registers a thread, or 128.
template <class F, class View>
inline constexpr int long_resident_blocks =
    max_block_threads(launch_facts_v<F, View>) > 256 && std::is_void_v<segment_term_t<F, View>> ? 3
                                                                                                : 2;

/// A block folds nodes of long segments, its warps medium segments.
///
/// shape      shared: shared_bytes
template <class Job>
class long_block {
 public:
  using fold = typename Job::fold;
  using state = typename Job::state;
  using part = typename Job::part_type;
  using term = segment_term_t<fold, typename Job::view_type>;
  using range_fold = tile_range_fold<fold, part, term>;
  /// Fewer where states are large.
  static constexpr int warp_bytes =
      range_fold::scratch_bytes + in_chunks_of_16(3 * static_cast<int>(sizeof(state)));
  static constexpr int warps = 8 * warp_bytes <= max_shared_bytes   ? 8
                               : 4 * warp_bytes <= max_shared_bytes ? 4
                               : 2 * warp_bytes <= max_shared_bytes ? 2
                                                                    : 1;
  static constexpr int pieces = 2 * warps;  // of a node
  static constexpr bool adds_short = range_fold::adds_short;
  static constexpr int states_bytes = in_chunks_of_16(warps * static_cast<int>(sizeof(state)));
  static constexpr int shared_bytes = warps * range_fold::scratch_bytes + 3 * states_bytes;

  MONOFOLD_GPU long_block(const Job& job, const segment_launch& plan, char* shared, state* states)
      : job_(job),
        plan_(plan),
        scratch_(shared + warp_rank() * range_fold::scratch_bytes),
        own_states_(reinterpret_cast<state*>(shared + warps * range_fold::scratch_bytes)),
        states_(states) {}

  /// Node `node` of `nodes` of a segment, whose states lie from `at` on.
  ///
  /// sync       all threads of the block, with a barrier behind it
  MONOFOLD_GPU void fold_node(std::int64_t segment, int node, int nodes, std::int64_t at,
                              std::uint32_t* ticket) {
    const segment_ends ends = job_.ends_of(segment);
    const part items = job_.part(ends);
    const std::int64_t tiles = job_.tiles_of(ends);
    int parts = 0;
    if constexpr (adds_short) {
      // The last one would cost as much as the others.
      const std::int64_t first = tiles * node / nodes;
      const std::int64_t end = tiles * (node + 1) / nodes;
      if (fold_short_parts({items, first, end}, segment, ends, node, nodes, at, ticket)) return;
      parts = warps;
    } else {
      const int level = plan_.node_level_of(tiles);
      const std::int64_t first = std::int64_t{node} << level;
      const std::int64_t left = tiles - first;
      const std::int64_t here = left >> level != 0 ? std::int64_t{1} << level : left;
      // Pieces of a power of two of tiles, one a warp; two where many warps would get none.
      std::int64_t each = 1;
      while (each * warps < here) each *= 2;
      if (each > 1 && 4 * here <= 3 * each * warps) each /= 2;
      MONOFOLD_ROLL
      for (int piece = warp_rank(); piece * each < here; piece += warps) {
        const std::int64_t from = piece * each;
        const std::int64_t end = from + each < here ? from + each : here;
        range_fold::fold(job_.f, {items, first + from, first + end}, scratch_, own_states_ + piece);
      }
      parts = static_cast<int>((here + each - 1) / each);
    }
    sync_block();  // states written above are read below
    state total = own_states_[0];
    if (warp_rank() == 0) {
      if (lane_rank() < parts) total = own_states_[lane_rank()];
      total = warp::combine(job_.f, total, parts);
    }
    if (nodes == 1) {
      if (warp_rank() == 0) hand(segment, ends, items, total);
    } else {
      meet(segment, ends, items, total, node, nodes, states_ + at, ticket);
    }
    sync_block();  // states read above are overwritten by the next call
  }

  /// A segment of any number of tiles, by a warp.
  ///
  /// sync       all lanes of the warp
  MONOFOLD_GPU void fold_segment(std::int64_t segment) {
    const segment_ends ends = job_.ends_of(segment);
    const part items = job_.part(ends);
    state* const own = own_states_ + warp_rank();
    if constexpr (!std::is_void_v<term>) {
      range_fold::hand_on(job_.f, items, scratch_, own, job_.sinks.of(segment));
    } else {
      range_fold::fold(job_.f, {items, 0, job_.tiles_of(ends)}, scratch_, own);
      const state total = *own;
      hand(segment, ends, items, total);
      sync_warp();  // the state read above is overwritten by the next call
    }
  }

 private:
  /// The same of exact sums, whose tiles are added in any order: as integers where they are short. False: they are
  /// not, and each warp has a state.
  ///
  /// sync       all threads of the block; where true, with a barrier behind it
  MONOFOLD_GPU bool fold_short_parts(const tile_range<part>& tiles, std::int64_t segment,
                                     const segment_ends& ends, int node, int nodes, std::int64_t at,
                                     std::uint32_t* ticket) {
    using sums = typename range_fold::sums;
    static_assert(sizeof(sums) <= sizeof(state) && sizeof(state) % 8 == 0);
    static_assert(range_fold::scratch_bytes % 16 == 0, "slots begin behind it");
    auto* const slots = reinterpret_cast<sums*>(own_states_ + pieces);
    const std::int64_t each = (tiles.end - tiles.first + warps - 1) / warps;
    const std::int64_t from = tiles.first + warp_rank() * each;
    const std::int64_t end = from + each < tiles.end ? from + each : tiles.end;
    const bool has_tiles = from < end;
    sums own{};
    bool is_short = true;
    if (has_tiles) {
      is_short =
          range_fold::fold_short({tiles.part, from, end}, scratch_, own, own_states_ + warp_rank());
    }
    if (lane_rank() == 0) slots[warp_rank()] = own;
    bool are_near = !sync_block_any(!is_short);  // slots written above are read below
    sums all;
    are_near = are_near && all.join_warps(slots, warps);
    if (!are_near) {
      if (is_short && lane_rank() == 0) {
        make_lane_state(own, has_tiles ? items_in({tiles.part, from, end}) : 0,
                        own_states_[warp_rank()]);
      }
      return false;
    }
    if (nodes > 1) {
      state total;
      if (threadIdx.x == 0) make_lane_state(all, items_in(tiles), total);
      meet(segment, ends, tiles.part, total, node, nodes, states_ + at, ticket);
    } else if (threadIdx.x == 0) {
      const auto sink = job_.sink_of(segment, ends);
      if (!finish_lane(job_.f, all, items_in(tiles), sink)) {
        state total;
        make_lane_state(all, items_in(tiles), total);
        sink(job_.f, total);
      }
    }
    sync_block();  // slots read above are overwritten by the next call
    return true;
  }
  MONOFOLD_GPU static std::int64_t items_in(const tile_range<part>& tiles) {
    constexpr std::int64_t each = range_fold::tile_items;
    const std::int64_t end =
        tiles.end * each < tiles.part.size() ? tiles.end * each : tiles.part.size();
    return end - tiles.first * each;
  }
  MONOFOLD_GPU void hand(std::int64_t segment, const segment_ends& ends, const part& items,
                         const state& total) const {
    detail::hand_on(job_.f, items, items.size(), total, job_.sink_of(segment, ends));
  }

  /// The block that comes last joins the states of a segment's nodes.
  MONOFOLD_GPU void meet(std::int64_t segment, const segment_ends& ends, const part& items,
                         const state& own, int node, int nodes, state* states,
                         std::uint32_t* ticket) {
    bool is_last = false;
    if (thread_rank() == 0) {
      states[node] = own;
      is_last = take_ticket(ticket) == static_cast<std::uint32_t>(nodes - 1);
    }
    // What thread 0 of the last block acquired is behind this barrier seen by all its threads.
    if (!sync_block_any(is_last)) return;
    if (thread_rank() == 0) *ticket = 0;
    auto* const warp_states = own_states_ + pieces;
    const state total = combine_stored(job_.f, states, nodes, states, warp_states);
    if (warp_rank() == 0) hand(segment, ends, items, total);
  }

  const Job& job_;
  const segment_launch& plan_;
  char* scratch_;
  state* own_states_;
  state* states_;
};

/// The next `count` of some numbers that warps share.
MONOFOLD_GPU std::int64_t take_next(unsigned long long* counter, int count) {
  unsigned long long own = 0;
  if (lane_rank() == 0) own = atomicAdd(counter, static_cast<unsigned long long>(count));
  return static_cast<std::int64_t>(shuffle_from(own, 0));
}

/// Folds what the first kernel has listed.
///
/// shape      states: as many as `list` has room for units
template <class Job>
__global__ void __launch_bounds__(long_block<Job>::warps* warp_lanes,
                                  long_resident_blocks<typename Job::fold, typename Job::view_type>)
    fold_listed_segments_kernel(const Job job, const segment_launch plan, const work_list list,
                                typename Job::state* const states, std::uint64_t* const report) {
  let_next_launch_begin();
  if (job.layout != handed_layout_of<typename Job::fold, typename Job::view_type>()) trap();
  wait_for_launches_before();
  __shared__ std::int64_t shared_next;
  segment_counters* const counters = list.counters;
  long_block<Job> own(job, plan, reinterpret_cast<char*>(dynamic_shared()), states);
  const auto most = static_cast<std::int64_t>(counters->units);
  const std::int64_t units = most < list.unit_capacity ? most : list.unit_capacity;
  while (units > 0) {
    if (thread_rank() == 0) {
      shared_next = static_cast<std::int64_t>(atomicAdd(&counters->next_unit, 1ull));
    }
    sync_block();  // the number written above is read below
    const std::int64_t at = shared_next;
    sync_block();  // and overwritten after that
    if (at >= units) break;
    const segment_unit unit = list.units[at];
    if (unit.nodes == 0) continue;
    const std::int64_t first = at - unit.node;
    own.fold_node(unit.segment, unit.node, unit.nodes, first, list.tickets + first);
  }
  const auto listed = static_cast<std::int64_t>(counters->mediums);
  const std::int64_t mediums = listed < list.medium_capacity ? listed : list.medium_capacity;
  // Several at a time where there are many: a counter is not counted up faster than every 2 ns.
  const std::int64_t all_warps = std::int64_t{gridDim.x} * long_block<Job>::warps;
  const int each = static_cast<int>(floor_power(mediums / (4 * all_warps), 1, 32));
  std::int64_t next = mediums > 0 ? take_next(&counters->next_medium, each) : 0;
  MONOFOLD_ROLL
  while (next < mediums) {
    const std::int64_t after = take_next(&counters->next_medium, each);
    const std::int64_t end = next + each < mediums ? next + each : mediums;
    MONOFOLD_ROLL
    for (std::int64_t at = next; at < end; ++at) own.fold_segment(list.mediums[at]);
    next = after;
  }
  end_segments(counters, report);
}

/// Where the units of each of few segments begin, and end; block 0 sees to those that have none.
///
/// sync       all lanes of the first warp
template <class Job>
MONOFOLD_GPU void find_few_units(const Job& job, const segment_launch& plan, const work_list& list,
                                 std::int64_t* first_unit) {
  std::int64_t sum = 0;
  MONOFOLD_ROLL
  for (int first = 0; first < plan.segments; first += warp_lanes) {
    const int segment = first + lane_rank();
    int nodes = 0;
    if (segment < plan.segments) {
      const segment_ends ends = job.ends_of(segment);
      const bool is_good = job.is_good(ends);
      if (is_good) nodes = static_cast<int>(plan.nodes_of(job.tiles_of(ends)));
      if (blockIdx.x == 0 && !is_good) list.report_bad(segment);
      if (blockIdx.x == 0 && is_good && nodes == 0 &&
          !finish_nothing(job.f, job.sinks.of(segment))) {
        list.report_empty(segment);
      }
    }
    const int behind = sum_up_to_lane(nodes);
    if (segment < plan.segments) first_unit[segment + 1] = sum + behind;
    sum += shuffle_from(behind, warp_lanes - 1);
  }
  if (lane_rank() == 0) first_unit[0] = 0;
}

/// Folds few segments: blocks find their units among them without a list.
///
/// shape      states: max_nodes a segment at most, those of a segment behind the ones before; tickets: a segment
template <class Job>
__global__ void __launch_bounds__(long_block<Job>::warps* warp_lanes,
                                  long_resident_blocks<typename Job::fold, typename Job::view_type>)
    fold_few_segments_kernel(const Job job, const segment_launch plan, const work_list list,
                             typename Job::state* const states, std::uint64_t* const report) {
  let_next_launch_begin();
  if (job.layout != handed_layout_of<typename Job::fold, typename Job::view_type>()) trap();
  wait_for_launches_before();
  __shared__ std::int64_t first_unit[max_few_segments + 1];
  if (warp_rank() == 0) find_few_units(job, plan, list, first_unit);
  sync_block();  // what was found above is read below
  long_block<Job> own(job, plan, reinterpret_cast<char*>(dynamic_shared()), states);
  MONOFOLD_ROLL
  for (std::int64_t unit = blockIdx.x; unit < first_unit[plan.segments]; unit += gridDim.x) {
    int segment = 0;
    while (first_unit[segment + 1] <= unit) ++segment;
    const std::int64_t first = first_unit[segment];
    own.fold_node(segment, static_cast<int>(unit - first),
                  static_cast<int>(first_unit[segment + 1] - first), first, list.tickets + segment);
  }
  end_segments(list.counters, report);
}

}  // namespace monofold::detail
