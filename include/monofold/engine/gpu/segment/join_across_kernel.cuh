#pragma once
/// engine/gpu/segment/join_across_kernel: the nodes of rows whose items lie apart are joined, a lane or a warp a row.

#include <cstdint>

#include "monofold/engine/gpu/kernel.cuh"
#include "monofold/engine/gpu/segment/across_cells.cuh"
#include "monofold/engine/gpu/segment/add_across_kernel.cuh"
#include "monofold/engine/gpu/segment/exact_cells.cuh"
#include "monofold/engine/gpu/segment/fold_across_kernel.cuh"
#include "monofold/engine/gpu/segment/row_place.cuh"
#include "monofold/level/lanes.cuh"
#include "monofold/level/shuffle.cuh"
#include "monofold/level/thread.cuh"
#include "monofold/level/warp.cuh"
#include "monofold/plan/tiles.hpp"
#include "monofold/platform/host_device.hpp"

namespace monofold::detail {

/// So many nodes of a row a lane joins by itself.
inline constexpr int few_across_nodes = 8;

/// Rows that a warp of the next kernel joins the nodes of.
MONOFOLD_HD int rows_joined_by_warp(int nodes) {
  return nodes <= few_across_nodes ? warp_lanes : 1;
}

/// Nodes [first, end) of a row, which a lane has by itself or with its warp.
struct nodes_of_lane {
  std::int64_t row;
  int first;
  int end;
  int holders;    // lanes with nodes
  bool has_row;   // of its own, this lane
  bool is_there;  // the lane that has the answer, of a row that there is
};
template <class Job>
MONOFOLD_GPU nodes_of_lane nodes_of_lane_in(const Job& job) {
  const std::int64_t warp = block_rank() * (across_threads / warp_lanes) + warp_rank();
  const bool has_row = job.nodes <= few_across_nodes;
  const std::int64_t row = has_row ? warp * warp_lanes + lane_rank() : warp;
  const bool is_there = row < job.rows.num_rows;
  int each = 1;
  while (each * (has_row ? 1 : warp_lanes) < job.nodes) each *= 2;
  const int first = has_row ? 0 : lane_rank() * each;
  const int end = !is_there ? first : first + each < job.nodes ? first + each : job.nodes;
  return {row,     first,
          end,     (job.nodes + each - 1) / each,
          has_row, is_there && (has_row || lane_rank() == 0)};
}

/// Answers where pairs of doubles hold all nodes of a row, and their sum; else the nodes become states. False in lanes
/// whose row is left to these.
///
/// shape      have_pairs
/// sync       all lanes of the warp
template <class Job>
MONOFOLD_GPU bool join_pairs(const Job& job, const nodes_of_lane& at) {
  using term = across_term_t<typename Job::fold, typename Job::term_view>;
  using cells = pair_cells<term>;
  const auto* const pairs = pairs_of_nodes(job) + at.row * job.nodes;
  typename cells::cell own = cells::absent();
  MONOFOLD_ROLL
  for (int i = at.first; i < at.end; ++i) own = cells::join(own, pairs[i]);
  if (!at.has_row) {
    MONOFOLD_ROLL
    for (int distance = 1; distance < warp_lanes; distance *= 2) {
      own = cells::join(own, shuffle_down(own, distance));
    }
  }
  bool is_done = true;
  if (at.is_there) {
    const auto sink = job.sinks.of(place_of_row(job.rows, at.row).number);
    is_done = cells::finish(job.f, own, static_cast<int>(job.rows.row_items), *sink.out);
  }
  if (!at.has_row) is_done = !any_lane(!is_done);
  if (is_done) return true;
  const std::int64_t node_items = std::int64_t{tile_items_v<typename Job::item>} << job.node_level;
  MONOFOLD_ROLL
  for (int i = at.first; i < at.end; ++i) {
    const std::int64_t left = job.rows.row_items - i * node_items;
    if (!cells::is_whole(pairs[i])) continue;
    make_pair_state<cells, term>(job.f, pairs[i], left < node_items ? left : node_items,
                                 job.states[at.row * job.nodes + i]);
  }
  return false;
}

/// Joins the nodes of each row: of few nodes a lane a row, of more a warp.
template <class Job>
__global__ void __launch_bounds__(across_threads)
    join_across_kernel(MONOFOLD_GRID_CONSTANT const Job job) {
  using fold = typename Job::fold;
  let_next_launch_begin();
  wait_for_launches_before();
  const nodes_of_lane at = nodes_of_lane_in(job);
  if constexpr (adds_across_by_doubles_v<Job, across_term_t<fold, typename Job::term_view>>) {
    if (have_pairs(job)) {
      const bool is_done = join_pairs(job, at);
      sync_warp();  // states made above are read below
      if (is_done) return;
    }
  }
  if (at.row >= job.rows.num_rows) return;
  const auto* const states = job.states + at.row * job.nodes;
  typename Job::state own = states[0];
  if (at.first < at.end) {
    lane_counter<fold, 8> counter;
    MONOFOLD_ROLL
    for (int i = at.first; i < at.end; ++i) counter.push(job.f, states[i]);
    own = counter.total(job.f);
  }
  if (!at.has_row) own = warp::combine(job.f, own, at.holders);
  if (at.is_there) job.sinks.of(place_of_row(job.rows, at.row).number)(job.f, own);
}

}  // namespace monofold::detail
