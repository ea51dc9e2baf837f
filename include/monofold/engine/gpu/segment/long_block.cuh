#pragma once
/// engine/gpu/segment/long_block: how a block folds segments of several tiles, or nodes of them.

#include <cstdint>
#include <type_traits>

#include "monofold/engine/gpu/segment/job.cuh"
#include "monofold/engine/gpu/segment/tile_range.cuh"
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

/// How many blocks must fit a multiprocessor: that leaves 128 registers a thread.
inline constexpr int long_resident_blocks = 2;

/// A block folds a node of a long segment at a time; its warps fold medium segments, each by itself.
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
  using sums = typename range_fold::sums;
  /// How many bytes a warp needs. Blocks have fewer warps where states are large.
  static constexpr int warp_bytes =
      range_fold::scratch_bytes + in_chunks_of_16(3 * static_cast<int>(sizeof(state)));
  static constexpr int room = max_shared_bytes - 4 * static_cast<int>(max_few_segments);
  static constexpr int all_warps = 8 * warp_bytes <= room   ? 3
                                   : 4 * warp_bytes <= room ? 2
                                   : 2 * warp_bytes <= room ? 1
                                                            : 0;
  static constexpr int warps = 1 << all_warps;
  static constexpr int pieces = 2 * warps;  // of a node
  static constexpr bool adds_short = range_fold::adds_short;
  static constexpr int states_bytes = in_chunks_of_16(warps * static_cast<int>(sizeof(state)));
  static constexpr int shared_bytes = warps * range_fold::scratch_bytes + 3 * states_bytes;

  /// How many bytes the states of so many nodes take, with the sums behind them.
  MONOFOLD_HD static constexpr std::int64_t bytes_of_states(std::int64_t num) {
    return (num * static_cast<std::int64_t>(sizeof(state)) + 15) / 16 * 16;
  }
  MONOFOLD_HD static constexpr std::int64_t bytes_of_nodes(std::int64_t num) {
    return bytes_of_states(num) + (adds_short ? num * static_cast<std::int64_t>(sizeof(sums)) : 0);
  }

  MONOFOLD_GPU long_block(const Job& job, const segment_launch& plan, char* shared, state* states,
                          std::int64_t num_states)
      : job_(job),
        plan_(plan),
        scratch_(shared + warp_rank() * range_fold::scratch_bytes),
        own_states_(reinterpret_cast<state*>(shared + warps * range_fold::scratch_bytes)),
        states_(states),
        num_states_(num_states) {}

  /// Folds node `node` of the `nodes` of a segment, whose states lie from `at` on, by all warps; or the only node of
  /// each of several neighbouring segments, by a team of 2^level warps each. Segments beyond the last one are skipped.
  ///
  /// shape      of several nodes the block has one
  /// sync       all threads of the block, with a barrier behind it
  MONOFOLD_GPU void fold_node(std::int64_t segment, int node, int nodes, std::int64_t at,
                              std::uint32_t* ticket, int level = all_warps) {
    if constexpr (adds_short) {
      fold_node_by_call(*this, segment, node, nodes, at, ticket, level);
    } else {
      fold_node_here(segment, node, nodes, at, ticket, level);
    }
  }

  /// Folds the rows of block `block`, which have one length, or a node of one row.
  ///
  /// sync       all threads of the block
  MONOFOLD_GPU void fold_rows(std::int64_t block, std::uint32_t* tickets) {
    const std::int64_t warp = block * warps + warp_rank();
    const auto nodes = static_cast<int>(plan_.nodes_of(plan_.row_tiles));
    if (plan_.team_level == 0 && nodes == 1) {
      if (warp < plan_.segments) fold_segment(warp);
      return;
    }
    const std::int64_t unit = warp >> plan_.team_level;
    const std::int64_t row = nodes == 1 ? unit : unit / nodes;
    fold_node(row, static_cast<int>(unit - row * nodes), nodes, row * nodes, tickets + row,
              plan_.team_level);
  }

  /// Folds a segment of any number of tiles by one warp.
  ///
  /// sync       all lanes of the warp
  MONOFOLD_GPU void fold_segment(std::int64_t segment) {
    const segment_ends ends = job_.ends_of(segment);
    const part items = job_.part(ends);
    state* const own = own_states_ + warp_rank();
    if constexpr (!std::is_void_v<term>) {
      range_fold::store_total(job_.f, items, scratch_, own, job_.sinks.of(segment));
    } else {
      range_fold::fold(job_.f, tiles_in(items, ends, 0, job_.tiles_of(ends)), scratch_, own);
      store_state(job_, segment, *own);
      sync_warp();  // the state read above is overwritten by the next call
    }
  }

 private:
  /// The warps of a block that share a segment.
  class warp_team {
   public:
    MONOFOLD_GPU explicit warp_team(int level) : level_(level) {}
    MONOFOLD_GPU int warps() const { return 1 << level_; }
    MONOFOLD_GPU int rank() const { return warp_rank() & (warps() - 1); }
    MONOFOLD_GPU int first_warp() const { return warp_rank() - rank(); }
    MONOFOLD_GPU bool is_all() const { return level_ == all_warps; }

   private:
    int level_;
  };

  /// Not inlined, so that functions called by `fold_segment` save fewer registers.
  MONOFOLD_GPU_CALL static void fold_node_by_call(long_block& own, std::int64_t segment, int node,
                                                  int nodes, std::int64_t at, std::uint32_t* ticket,
                                                  int level) {
    own.fold_node_here(segment, node, nodes, at, ticket, level);
  }
  MONOFOLD_GPU void fold_node_here(std::int64_t segment, int node, int nodes, std::int64_t at,
                                   std::uint32_t* ticket, int level) {
    const bool is_there = segment < plan_.segments;
    const segment_ends ends = job_.ends_of(is_there ? segment : 0);
    const part items = job_.part(ends);
    const std::int64_t tiles = is_there ? job_.tiles_of(ends) : 0;
    const warp_team team(level);
    state* const team_states = own_states_ + 2 * team.first_warp();
    int parts = 0;
    if constexpr (adds_short) {
      // The last one would cost as much as the others.
      const std::int64_t first = tiles * node / nodes;
      const std::int64_t end = tiles * (node + 1) / nodes;
      if (fold_short_parts(tiles_in(items, ends, first, end), segment, node, nodes, at, ticket,
                           team)) {
        return;
      }
      parts = team.warps();
    } else {
      const int node_level = plan_.node_level_of(tiles);
      const std::int64_t first = std::int64_t{node} << node_level;
      const std::int64_t left = tiles - first;
      const std::int64_t here = left >> node_level != 0 ? std::int64_t{1} << node_level : left;
      // Pieces of a power of two of tiles, one a warp; two where many warps would get none.
      std::int64_t each = 1;
      while (each << level < here) each *= 2;
      if (each > 1 && 4 * here <= 3 * each << level) each /= 2;
      MONOFOLD_ROLL
      for (int piece = team.rank(); piece * each < here; piece += team.warps()) {
        const std::int64_t from = piece * each;
        const std::int64_t end = from + each < here ? from + each : here;
        range_fold::fold(job_.f, tiles_in(items, ends, first + from, first + end), scratch_,
                         team_states + piece);
      }
      parts = static_cast<int>((here + each - 1) / each);
    }
    sync_block();  // states written above are read below
    if (team.rank() == 0 && is_there) {
      join_team(segment, team_states, parts, nodes == 1 ? nullptr : states_ + at + node);
    }
    if (nodes > 1) join_blocks(segment, node, nodes, at, ticket, false, {});
    sync_block();  // states read above are overwritten by the next call
  }

  /// Folds a node of an exact sum, whose tiles are added in any order, as integers where these hold it. False where
  /// they do not: then each warp has a state.
  ///
  /// sync       all threads of the block; where true, with a barrier behind it
  MONOFOLD_GPU bool fold_short_parts(const tile_range<part>& tiles, std::int64_t segment, int node,
                                     int nodes, std::int64_t at, std::uint32_t* ticket,
                                     const warp_team& team) {
    static_assert(sizeof(sums) <= sizeof(state) && sizeof(state) % 8 == 0);
    static_assert(range_fold::scratch_bytes % 16 == 0, "slots begin behind it");
    auto* const slots = reinterpret_cast<sums*>(own_states_ + pieces);
    state* const own_state = own_states_ + 2 * team.first_warp() + team.rank();
    const std::int64_t each = (tiles.end - tiles.first + team.warps() - 1) / team.warps();
    const std::int64_t from = tiles.first + team.rank() * each;
    const std::int64_t end = from + each < tiles.end ? from + each : tiles.end;
    const bool has_tiles = from < end;
    sums own{};
    bool is_short = true;
    if (has_tiles) {
      is_short = range_fold::fold_short({tiles.part, from, end, tiles.before, tiles.behind},
                                        scratch_, own, own_state);
    }
    if (lane_rank() == 0) slots[warp_rank()] = own;
    bool are_near = !sync_block_any(!is_short);  // slots written above are read below
    sums all;
    are_near = are_near && all.join_warps(slots + team.first_warp(), team.warps());
    if (!team.is_all()) are_near = !sync_block_any(!are_near);  // all teams go one way
    if (!are_near) {
      if (is_short && lane_rank() == 0) {
        make_lane_state(own, has_tiles ? items_in(tiles.part, from, end) : 0, *own_state);
      }
      return false;
    }
    if (nodes > 1) {
      join_blocks(segment, node, nodes, at, ticket, true, all);
    } else if (team.rank() == 0 && lane_rank() == 0 && tiles.end > 0) {
      store_short_sum(job_, segment, all);
    }
    sync_block();  // slots read above are overwritten by the next call
    return true;
  }
  MONOFOLD_GPU static std::int64_t items_in(const part& items, std::int64_t first,
                                            std::int64_t behind) {
    constexpr std::int64_t each = range_fold::tile_items;
    const std::int64_t end = behind * each < items.size() ? behind * each : items.size();
    return end - first * each;
  }
  MONOFOLD_GPU tile_range<part> tiles_in(const part& items, const segment_ends& ends,
                                         std::int64_t first, std::int64_t end) const {
    return {items, first, end, ends.begin, job_.size - ends.end};
  }
  /// Gives the segment's sink its state, which lane 0 of this warp has.
  MONOFOLD_GPU static void store_state(const Job& job, std::int64_t segment, const state& total) {
    const segment_ends ends = job.ends_of(segment);
    detail::store_total(job.f, job.part(ends), ends.count(), total, job.sink_of(segment, ends));
  }
  /// Gives the segment's sink what follows from its sum as integers; by one lane.
  MONOFOLD_GPU_CALL static void store_short_sum(const Job& job, std::int64_t segment,
                                                const sums& all) {
    const segment_ends ends = job.ends_of(segment);
    const auto sink = job.sink_of(segment, ends);
    if (finish_lane(job.f, all, ends.count(), sink)) return;
    state total;
    make_lane_state(all, ends.count(), total);
    sink(job.f, total);
  }

  /// Draws a ticket: true in the last of `nodes` blocks to come here. What thread 0 of each block has written before
  /// is seen there.
  MONOFOLD_GPU static bool is_last_of(int nodes, std::uint32_t* ticket) {
    bool is_last = false;
    if (thread_rank() == 0) {
      is_last = take_ticket(ticket) == static_cast<std::uint32_t>(nodes - 1);
      if (is_last) *ticket = 0;
    }
    // What thread 0 of the last block acquired is behind this barrier seen by all its threads.
    return sync_block_any(is_last);
  }

  /// Joins the states of a team's warps, and gives the total to the sink, or stores it in `out` if that is not null.
  /// States of exact sums are rare and large, so here and below functions are not inlined for them.
  ///
  /// sync       all lanes of the warp
  MONOFOLD_GPU void join_team(std::int64_t segment, const state* states, int parts, state* out) {
    if constexpr (adds_short) {
      join_team_by_call(job_, segment, states, parts, out);
    } else {
      join_team_of(job_, segment, states, parts, out);
    }
  }
  MONOFOLD_GPU static void join_team_of(const Job& job, std::int64_t segment, const state* states,
                                        int parts, state* out) {
    state total = states[0];
    if (lane_rank() < parts) total = states[lane_rank()];
    total = warp::combine(job.f, total, parts);
    if (out == nullptr) {
      store_state(job, segment, total);
    } else if (lane_rank() == 0) {
      *out = total;
    }
  }
  MONOFOLD_GPU_CALL static void join_team_by_call(const Job& job, std::int64_t segment,
                                                  const state* states, int parts, state* out) {
    join_team_of(job, segment, states, parts, out);
  }

  /// The block that comes last joins what the blocks of a segment's nodes have stored: states, or exact sums as
  /// integers where `is_short`. Thread 0 has stored the state before this call; `own`, the integers, are stored here.
  ///
  /// sync       all threads of the block
  MONOFOLD_GPU void join_blocks(std::int64_t segment, int node, int nodes, std::int64_t at,
                                std::uint32_t* ticket, bool is_short, const sums& own) {
    state* const states = states_ + at;
    state* const warp_states = own_states_ + pieces;
    if constexpr (adds_short) {
      sums* const left = sums_of_nodes() + at;
      if (thread_rank() == 0) {
        if (is_short) left[node] = own;
        left[node].more = is_short ? 0 : 1;
      }
      if (!is_last_of(nodes, ticket)) return;
      sums all;
      if (join_short(left, nodes, job_.tiles_of(job_.ends_of(segment)), all)) {
        if (thread_rank() == 0) store_short_sum(job_, segment, all);
      } else {
        join_left_by_call(job_, segment, left, nodes, states, warp_states);
      }
    } else {
      if (is_last_of(nodes, ticket)) join_nodes(job_, segment, nodes, states, warp_states);
    }
  }
  MONOFOLD_GPU static void join_nodes(const Job& job, std::int64_t segment, int nodes,
                                      state* states, state* warp_states) {
    const state total = combine_stored(job.f, states, nodes, states, warp_states);
    if (warp_rank() == 0) store_state(job, segment, total);
  }
  MONOFOLD_GPU_CALL static void join_left_by_call(const Job& job, std::int64_t segment,
                                                  const sums* left, int nodes, state* states,
                                                  state* warp_states) {
    const segment_ends ends = job.ends_of(segment);
    const part items = job.part(ends);
    const std::int64_t tiles = job.tiles_of(ends);
    MONOFOLD_ROLL
    for (int i = thread_rank(); i < nodes; i += threads_in_block()) {
      if (left[i].more != 0) continue;
      make_lane_state(left[i], items_in(items, tiles * i / nodes, tiles * (i + 1) / nodes),
                      states[i]);
    }
    sync_block();  // states written above are read below
    join_nodes(job, segment, nodes, states, warp_states);
  }

  /// The sums of nodes, which lie behind the states of all nodes.
  MONOFOLD_GPU sums* sums_of_nodes() const {
    return reinterpret_cast<sums*>(reinterpret_cast<char*>(states_) + bytes_of_states(num_states_));
  }

  /// Adds up the integers that blocks have stored for exact sums of so many tiles. False where some block has stored a
  /// state, or where bits lie below the units of the largest exponent.
  ///
  /// sync       all threads of the block, which all get the sum
  MONOFOLD_GPU bool join_short(const sums* left, int nodes, std::int64_t tiles, sums& all) {
    // Units of a tile are below 2^104, of warps 2^4 times as many, and 2^2 times that both here and below.
    constexpr int most_shift = 2;
    static_assert(most_short_row_tiles <= std::int64_t{1} << 14);
    if (nodes > warps * warp_lanes || tiles > most_short_row_tiles) return false;
    auto* const slots = reinterpret_cast<sums*>(own_states_ + pieces);
    const int first = warp_rank() * warp_lanes;
    const bool has_state = first + lane_rank() < nodes && left[first + lane_rank()].more != 0;
    bool is_sum = !any_lane(has_state);
    sums own{};
    if (is_sum) is_sum = own.join_warps(left + first, nodes - first, most_shift);
    if (lane_rank() == 0) slots[warp_rank()] = own;
    is_sum = !sync_block_any(!is_sum);  // slots written above are read below
    return is_sum && all.join_warps(slots, warps, most_shift);
  }

  const Job& job_;
  const segment_launch& plan_;
  char* scratch_;
  state* own_states_;
  state* states_;
  std::int64_t num_states_;
};

}  // namespace monofold::detail
