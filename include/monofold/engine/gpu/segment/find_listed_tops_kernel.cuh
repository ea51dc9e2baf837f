#pragma once
/// engine/gpu/segment/find_listed_tops_kernel: finds the k best items of longer rows, a row or a node of one by each
/// block.

#include <cstdint>

#include "monofold/engine/gpu/segment/top_job.cuh"
#include "monofold/engine/gpu/segment/top_keys.cuh"
#include "monofold/engine/gpu/segment/warp_top.cuh"
#include "monofold/engine/gpu/segment/work_list.cuh"
#include "monofold/level/block_shared.cuh"
#include "monofold/level/grid.cuh"
#include "monofold/level/thread.cuh"
#include "monofold/plan/segment_launch.hpp"
#include "monofold/plan/top_rows_launch.hpp"
#include "monofold/platform/host_device.hpp"

namespace monofold::detail {

/// A block finds the k best items of a segment or a node. Its warps take tiles in turn, and the first warp joins what
/// they have found.
///
/// sync       all threads of the block make each call together
template <class Job>
class top_block {
 public:
  using word = typename Job::word;
  using keys = typename Job::keys;
  using key = typename Job::key;
  using top = warp_top<word>;

  /// counts: one for each warp, in shared memory.
  MONOFOLD_GPU top_block(const Job& job, const work_list& list, char* shared, int* counts)
      : job_(job),
        list_(list),
        shared_(shared),
        counts_(counts),
        warps_(warps_of_top_row(job.k)),
        top_(shared + warp_rank() * top::bytes_for(job.k), job.order, job.k) {}

  /// Finds the k best items of a segment.
  MONOFOLD_GPU void find(std::int64_t segment) {
    const segment_ends ends = job_.ends_of(segment);
    search(job_.part(ends, 0, ends.count()));
    if (warp_rank() == 0) {
      const std::int64_t base = job_.from_view ? ends.begin : 0;
      job_.store(list_, top_, segment, [&](std::uint32_t index) { return base + index; });
    }
    sync_block();  // what was found is read above, and written over by the next call
  }

  /// Finds the k best items of a node of a segment. They are stored in `found`, node after node, and the block that
  /// comes last joins those of all nodes.
  MONOFOLD_GPU void find_node(const segment_unit& unit, key* found, std::uint32_t* ticket) {
    const segment_ends ends = job_.ends_of(unit.segment);
    const std::int64_t first = first_of(ends, unit.node, unit.nodes);
    search(job_.part(ends, first, first_of(ends, unit.node + 1, unit.nodes) - first));
    bool is_last = false;
    if (warp_rank() == 0) {
      key* const own = found + std::int64_t{unit.node} * job_.k;
      MONOFOLD_ROLL
      for (int i = lane_rank(); i < job_.k; i += warp_lanes) {
        own[i] = i < top_.count() ? top_.at(i) : key{0};
      }
      sync_warp();  // keys written above are seen by whoever sees the ticket
      if (lane_rank() == 0) is_last = take_ticket(ticket) + 1 == static_cast<unsigned>(unit.nodes);
    }
    // What thread 0 of the last block acquired is behind this barrier seen by all its threads.
    if (!sync_block_any(is_last)) return;
    if (thread_rank() == 0) *ticket = 0;
    join_nodes(unit, ends, found);
    sync_block();  // what was found is read above, and written over by the next call
  }

 private:
  /// The first item of a node. Tiles are shared out evenly: nodes have the same number of tiles, or one more.
  MONOFOLD_GPU std::int64_t first_of(const segment_ends& ends, int node, int nodes) const {
    const std::int64_t first = job_.tiles_of(ends) * node / nodes * Job::tile_items;
    return first < ends.count() ? first : ends.count();
  }

  /// Finds the k best of some items; the first warp has them then, in order.
  MONOFOLD_GPU void search(const strided_range<word>& range) {
    top_.start();
    MONOFOLD_ROLL
    for (std::int64_t at = std::int64_t{warp_rank()} * Job::tile_items; at < range.end;
         at += std::int64_t{warps_} * Job::tile_items) {
      top_.scan(range, at);
    }
    join_warps();
  }

  MONOFOLD_GPU void join_warps() {
    if (lane_rank() == 0) counts_[warp_rank()] = top_.count();
    sync_block();  // candidates and counts written above are read below
    if (warp_rank() != 0) return;
    MONOFOLD_ROLL
    for (int warp = 1; warp < warps_; ++warp) {
      top_.offer_all(top::pool_in(shared_ + warp * top::bytes_for(job_.k)), counts_[warp]);
    }
    top_.sort();
  }

  /// Joins the k best of all nodes. The index in a key is here its place in `found`: of items of equal rank, those
  /// that come first have the lower places.
  MONOFOLD_GPU void join_nodes(const segment_unit& unit, const segment_ends& ends,
                               const key* found) {
    const std::int64_t all = std::int64_t{unit.nodes} * job_.k;
    top_.start();
    constexpr int in_flight = 4;
    MONOFOLD_ROLL
    for (std::int64_t from = std::int64_t{warp_rank()} * (in_flight * warp_lanes); from < all;
         from += std::int64_t{warps_} * (in_flight * warp_lanes)) {
      key own[in_flight];
      MONOFOLD_UNROLL
      for (int j = 0; j < in_flight; ++j) {
        const std::int64_t i = from + j * warp_lanes + lane_rank();
        own[j] = i < all ? found[i] : key{0};
      }
      MONOFOLD_UNROLL
      for (int j = 0; j < in_flight; ++j) {
        const std::int64_t i = from + j * warp_lanes + lane_rank();
        top_.offer(own[j] != 0, keys::of(keys::rank_of(own[j]), static_cast<std::uint32_t>(i)));
      }
      if (top_.count() >= top_pool_settled(job_.k)) top_.settle();
    }
    join_warps();
    if (warp_rank() != 0) return;
    const std::int64_t base = job_.from_view ? ends.begin : 0;
    job_.store(list_, top_, unit.segment, [&](std::uint32_t place) {
      const int node = static_cast<int>(place / static_cast<std::uint32_t>(job_.k));
      return base + first_of(ends, node, unit.nodes) + keys::index_of(found[place]);
    });
  }

  const Job& job_;
  const work_list& list_;
  char* shared_;
  int* counts_;
  int warps_;
  top top_;
};

/// Calls use(i) for numbers i below `all`. Blocks take `each` numbers at a time from a counter that they share; a
/// block asks for the next ones while it uses the last ones.
///
/// sync       all threads of the block
template <class Use>
MONOFOLD_GPU void share_numbers(unsigned long long* counter, std::int64_t all, int each,
                                std::int64_t* shared_next, const Use& use) {
  if (all <= 0) return;
  unsigned long long taken = 0;
  const auto ask = [&] {
    if (thread_rank() == 0) taken = atomicAdd(counter, static_cast<unsigned long long>(each));
  };
  const auto get = [&] {
    if (thread_rank() == 0) *shared_next = static_cast<std::int64_t>(taken);
    sync_block();  // the number written above is read below
    const std::int64_t own = *shared_next;
    sync_block();  // and written over after this
    return own;
  };
  ask();
  std::int64_t next = get();
  MONOFOLD_ROLL
  while (next < all) {
    ask();
    const std::int64_t end = next + each < all ? next + each : all;
    MONOFOLD_ROLL
    for (std::int64_t i = next; i < end; ++i) use(i);
    next = get();
  }
}

/// Finds the k best items of rows that the first kernel has listed.
///
/// shape      found: k keys for each unit that the list has room for; shared: bytes_for(k) a warp
/// order      any: the answers do not depend on it
template <class Job>
__global__ void __launch_bounds__(top_row_warps* warp_lanes, 6)
    find_listed_tops_kernel(MONOFOLD_GRID_CONSTANT const Job job, const work_list list,
                            typename Job::key* const found, std::uint64_t* const report) {
  let_next_launch_begin();
  if (job.bytes != static_cast<std::int32_t>(sizeof(Job))) trap();
  wait_for_launches_before();
  __shared__ int counts[top_row_warps];
  __shared__ std::int64_t next;
  segment_counters* const counters = list.counters;
  top_block<Job> own(job, list, reinterpret_cast<char*>(dynamic_shared()), counts);
  const auto most = static_cast<std::int64_t>(counters->units);
  const std::int64_t units = most < list.unit_capacity ? most : list.unit_capacity;
  share_numbers(&counters->next_unit, units, 1, &next, [&](std::int64_t at) {
    const segment_unit unit = list.units[at];
    if (unit.nodes == 0) return;
    const std::int64_t first = at - unit.node;
    own.find_node(unit, found + first * job.k, list.tickets + first);
  });
  const auto listed = static_cast<std::int64_t>(counters->mediums);
  const std::int64_t mediums = listed < list.medium_capacity ? listed : list.medium_capacity;
  // Several at a time where there are many: a counter is not counted up faster than every 2 ns.
  const int each = static_cast<int>(floor_power(mediums / (4 * blocks_in_grid()), 1, 32));
  share_numbers(&counters->next_medium, mediums, each, &next,
                [&](std::int64_t at) { own.find(list.mediums[at]); });
  end_segments(counters, report);
}

}  // namespace monofold::detail
