#pragma once
/// engine/gpu/segment/exact_node: how a block adds a node of an exact sum, and how blocks join their nodes.

#include <cstdint>

#include "monofold/engine/gpu/exact/short_rests.cuh"
#include "monofold/engine/gpu/segment/exact_team.cuh"
#include "monofold/engine/gpu/segment/exact_words.cuh"
#include "monofold/engine/gpu/segment/job.cuh"
#include "monofold/engine/gpu/segment/tile_range.cuh"
#include "monofold/engine/gpu/segment/warp_team.cuh"
#include "monofold/level/block.cuh"
#include "monofold/level/shuffle.cuh"
#include "monofold/level/thread.cuh"
#include "monofold/plan/segment_launch.hpp"
#include "monofold/platform/host_device.hpp"

namespace monofold::detail {

/// Adds nodes of a segment, whose tiles may be added in any order: all warps of a segment read neighbouring tiles, and
/// go on together. They meet as integers of 128 bits, if these hold the sum of all; if not, as words.
///
/// shape      scratch: of each warp of the block; spare: a state for each; slots: as many short sums as num_slots; these
///            in shared memory. A node has a state and short sums in the workspace
template <class Job, int warps>
class exact_node {
 public:
  using state = typename Job::state;
  using by_warp = job_tiles<Job>;
  using words_type = typename by_warp::words_type;
  using sums = typename by_warp::sums;
  static constexpr int num_slots = most_joined_sums / warp_lanes;

  const Job& job;
  char* scratch;
  state* spare;
  sums* slots;
  state* states;  // of the segment's nodes
  sums* left;     // of these, too

  /// Adds node `node` of the `nodes` of a segment by all warps, or a whole segment by a team of them.
  ///
  /// sync       all threads of the block, with a barrier behind it; `is_there`: the same for all warps of a team
  MONOFOLD_GPU void fold(std::int64_t segment, bool is_there, int node, int nodes,
                         std::uint32_t* ticket, const warp_team& team) const {
    const segment_ends ends = job.ends_of(segment);
    sums own{};
    bool is_short = true;
    if (is_there) {
      is_short = by_warp::add(job.range_of(ends), node * team.warps() + team.rank(),
                              nodes * team.warps(), own_scratch(), true, own);
    }
    if (lane_rank() == 0) slots[warp_rank()] = own;
    bool are_near = !sync_block_any(!is_short);  // slots written above are read below
    sums all{};
    are_near = are_near && all.join_warps(slots + team.first_warp(), team.warps(),
                                          is_huge(ends.count()) ? 1 : sums::most_shift_of_warps);
    if (!team.is_all()) are_near = !sync_block_any(!are_near);  // all teams go one way
    if (are_near) {
      if (nodes > 1) {
        join_blocks(segment, node, nodes, ticket, true, all);
      } else if (team.rank() == 0 && lane_rank() == 0 && is_there) {
        store_sums(job, segment, all, spare + warp_rank());
      }
    } else {
      if (is_short) {
        own_words().clear();
        if (lane_rank() == 0) own_words().add(own);
      }
      fold_words(*this, segment, is_there, node, nodes, ticket, team);
    }
    sync_block();  // slots and words read above are overwritten by the next call
  }

 private:
  MONOFOLD_GPU char* own_scratch() const { return scratch_of(warp_rank()); }
  MONOFOLD_GPU char* scratch_of(int warp) const { return scratch + warp * by_warp::scratch_bytes; }
  MONOFOLD_GPU words_type own_words() const { return words_type(by_warp::words_in(own_scratch())); }

  // What is rare or long is not inlined. Such a function gets a copy, so that the members stay in registers.

  /// Adds up the words of a team's warps.
  ///
  /// sync       all threads of the block
  MONOFOLD_GPU_CALL static void fold_words(exact_node own, std::int64_t segment, bool is_there,
                                           int node, int nodes, std::uint32_t* ticket,
                                           warp_team team) {
    sync_block();  // words written before are read below
    if (team.rank() == 0 && is_there) {
      for (int w = 1; w < team.warps(); ++w) {
        own.own_words().add_words(by_warp::words_in(own.scratch_of(warp_rank() + w)));
      }
      if (nodes == 1) {
        own.finish_words(segment);
      } else {
        // The segment's items count in the end.
        own.own_words().make_state(0, own.states + node);
      }
    }
    if (nodes > 1) own.join_blocks(segment, node, nodes, ticket, false, {});
  }
  MONOFOLD_GPU void finish_words(std::int64_t segment) const {
    const segment_ends ends = job.ends_of(segment);
    own_words().finish(job.f, ends.count(), spare + warp_rank(), job.sink_of(segment, ends));
  }
  /// Gives the segment's sink what follows from short sums; by one lane.
  MONOFOLD_GPU_CALL static void store_sums(const Job& job, std::int64_t segment, const sums& all,
                                           state* spare) {
    const segment_ends ends = job.ends_of(segment);
    const auto sink = job.sink_of(segment, ends);
    if (finish_lane(job.f, all, ends.count(), sink)) return;
    make_lane_state(all, ends.count(), *spare);
    sink(job.f, *spare);
  }

  /// The block that comes last joins what blocks have left: short sums, or states, which the first warp has stored.
  ///
  /// sync       all threads of the block
  MONOFOLD_GPU void join_blocks(std::int64_t segment, int node, int nodes, std::uint32_t* ticket,
                                bool is_short, const sums& own) const {
    if (thread_rank() == 0) {
      if (is_short) {
        left[node] = own;
      } else {
        left[node].more = sums::in_words;
      }
    }
    if (!is_last_block_of(nodes, ticket)) return;
    sums all{};
    if (join_sums(nodes, job.ends_of(segment).count(), all)) {
      if (thread_rank() == 0) store_sums(job, segment, all, spare);
    } else {
      join_words(*this, segment, nodes);
    }
  }
  /// Adds up short sums of nodes, and where there are none states, as words.
  ///
  /// sync       all threads of the block
  MONOFOLD_GPU_CALL static void join_words(exact_node own, std::int64_t segment, int nodes) {
    const words_type words = own.own_words();
    words.clear();
    words.add_states(own.states, warp_rank(), nodes, warps,
                     [&](int i) { return own.left[i].has_words(); });
    sync_warp();  // words written above are added to below
    for (int i = thread_rank(); i < nodes; i += threads_in_block()) {
      if (!own.left[i].has_words()) words.add(own.left[i]);
    }
    sync_block();  // words written above are read below
    if (warp_rank() != 0) return;
    for (int w = 1; w < warps; ++w) words.add_words(by_warp::words_in(own.scratch_of(w)));
    own.finish_words(segment);
  }
  /// Adds up the short sums of nodes that have so many items together. False where some node has a state, where bits lie
  /// below the units of the largest exponent, or where there may be too many -0 to be counted.
  ///
  /// sync       all threads of the block, which all get the sum
  MONOFOLD_GPU bool join_sums(int nodes, std::int64_t items, sums& all) const {
    if (nodes > most_joined_sums || items > most_short_row_tiles * Job::tile_items ||
        items > sums::most_minus_zeros) {
      return false;
    }
    const int most_shift = is_huge(items) ? 1 : 2;
    bool is_sum = true;
    MONOFOLD_ROLL
    for (int group = warp_rank(); group * warp_lanes < nodes; group += warps) {
      const sums* const of_group = left + group * warp_lanes;
      const int num = nodes - group * warp_lanes;
      is_sum = is_sum && !any_lane(lane_rank() < num && of_group[lane_rank()].has_words());
      sums own{};
      if (is_sum) is_sum = own.join_warps(of_group, num, most_shift);
      if (lane_rank() == 0) slots[group] = own;
    }
    is_sum = !sync_block_any(!is_sum);  // slots written above are read below
    return is_sum && all.join_warps(slots, (nodes + warp_lanes - 1) / warp_lanes, most_shift);
  }
  /// Whether the largest exponents of the parts of so many items must be near, so that 128 bits hold their sum: units of
  /// a tile are below 2^105, of warps 2^4 times as many, and twice 2^2 times that, or each time twice that.
  MONOFOLD_GPU static bool is_huge(std::int64_t items) {
    static_assert(most_short_row_tiles <= std::int64_t{1} << 18);
    return items > (std::int64_t{1} << 14) * Job::tile_items;
  }
};

}  // namespace monofold::detail
