#pragma once
/// engine/gpu/segment/long_block: how a block folds segments of several tiles, or nodes of them.

#include <cstdint>
#include <type_traits>

#include "monofold/engine/gpu/segment/exact_node.cuh"
#include "monofold/engine/gpu/segment/job.cuh"
#include "monofold/engine/gpu/segment/tile_range.cuh"
#include "monofold/engine/gpu/segment/waiting_sums.cuh"
#include "monofold/engine/gpu/segment/warp_team.cuh"
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
  using range_fold = job_tiles<Job>;
  static constexpr bool adds_short = range_fold::adds_short;
  using waiting = waiting_sums<Job, adds_short>;
  /// How many bytes a warp needs. Blocks have fewer warps where states are large.
  static constexpr int warp_bytes = range_fold::scratch_bytes + waiting::warp_bytes +
                                    in_chunks_of_16(3 * static_cast<int>(sizeof(state)));
  static constexpr int room = max_shared_bytes - 4 * static_cast<int>(max_few_segments);
  static constexpr int all_warps = 8 * warp_bytes <= room   ? 3
                                   : 4 * warp_bytes <= room ? 2
                                   : 2 * warp_bytes <= room ? 1
                                                            : 0;
  static constexpr int warps = 1 << all_warps;
  static constexpr int pieces = 2 * warps;  // of a node
  static constexpr int states_bytes = in_chunks_of_16(warps * static_cast<int>(sizeof(state)));
  static constexpr int waiting_at = warps * range_fold::scratch_bytes + 3 * states_bytes;
  static constexpr int shared_bytes = waiting_at + warps * waiting::warp_bytes;

  /// How many bytes the states of so many nodes take, with the sums behind them.
  MONOFOLD_HD static constexpr std::int64_t bytes_of_states(std::int64_t num) {
    return (num * static_cast<std::int64_t>(sizeof(state)) + 15) / 16 * 16;
  }
  MONOFOLD_HD static constexpr std::int64_t bytes_of_nodes(std::int64_t num) {
    return bytes_of_states(num) +
           (adds_short ? num * static_cast<std::int64_t>(sizeof(typename range_fold::sums)) : 0);
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
    const auto nodes =
        static_cast<int>(adds_short ? plan_.nodes_of_row() : plan_.nodes_of(plan_.row_tiles));
    if (plan_.team_level == 0 && nodes == 1) {
      if constexpr (adds_short) {
        waiting sums = waiting_here();
        MONOFOLD_ROLL
        for (std::int64_t row = warp; row < plan_.segments; row += blocks_in_grid() * warps) {
          sums.add(row);
        }
        sums.finish();
      } else if (warp < plan_.segments) {
        fold_segment(warp);
      }
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
    static_assert(!adds_short, "see waiting_here");
    const segment_ends ends = job_.ends_of(segment);
    state* const own = own_states_ + warp_rank();
    const part items = job_.part(ends);
    range_fold::fold(job_.f, tiles_in(items, ends, 0, job_.tiles_of(ends)), scratch_, own);
    store_state(job_, segment, *own);
    sync_warp();  // the state read above is overwritten by the next call
  }
  /// What adds segments exactly, each by one warp, and finishes them together.
  MONOFOLD_GPU waiting waiting_here() const {
    char* const shared = scratch_ - warp_rank() * range_fold::scratch_bytes;
    return {job_, shared + waiting_at + warp_rank() * waiting::warp_bytes, scratch_,
            own_states_ + warp_rank()};
  }

 private:
  /// Not inlined, so that functions called by `fold_segment` save fewer registers.
  MONOFOLD_GPU_CALL static void fold_node_by_call(long_block& own, std::int64_t segment, int node,
                                                  int nodes, std::int64_t at, std::uint32_t* ticket,
                                                  int level) {
    own.fold_node_here(segment, node, nodes, at, ticket, level);
  }
  MONOFOLD_GPU void fold_node_here(std::int64_t segment, int node, int nodes, std::int64_t at,
                                   std::uint32_t* ticket, int level) {
    const bool is_there = segment < plan_.segments;
    const warp_team team{level, all_warps};
    if constexpr (adds_short) {
      using node_type = exact_node<Job, warps>;
      static_assert(node_type::num_slots * sizeof(typename node_type::sums) <=
                    2 * warps * sizeof(state));
      static_assert(range_fold::scratch_bytes % 16 == 0 && warps * sizeof(state) % 16 == 0,
                    "slots begin behind it");
      char* const scratch = scratch_ - warp_rank() * range_fold::scratch_bytes;
      auto* const slots = reinterpret_cast<typename node_type::sums*>(own_states_ + warps);
      const node_type own{job_, scratch, own_states_, slots, states_ + at, sums_of_nodes() + at};
      own.fold(is_there ? segment : 0, is_there, node, nodes, ticket, team);
    } else {
      const segment_ends ends = job_.ends_of(is_there ? segment : 0);
      const part items = job_.part(ends);
      const std::int64_t tiles = is_there ? job_.tiles_of(ends) : 0;
      state* const team_states = own_states_ + 2 * team.first_warp();
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
      const int parts = static_cast<int>((here + each - 1) / each);
      sync_block();  // states written above are read below
      if (team.rank() == 0 && is_there) {
        join_team(segment, team_states, parts, nodes == 1 ? nullptr : states_ + at + node);
      }
      if (nodes > 1) join_blocks(segment, nodes, states_ + at, ticket);
      sync_block();  // states read above are overwritten by the next call
    }
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
  /// Joins the states of a team's warps, and gives the total to the sink, or stores it in `out` if that is not null.
  ///
  /// sync       all lanes of the warp
  MONOFOLD_GPU void join_team(std::int64_t segment, const state* states, int parts,
                              state* out) const {
    state total = states[0];
    if (lane_rank() < parts) total = states[lane_rank()];
    total = warp::combine(job_.f, total, parts);
    if (out == nullptr) {
      store_state(job_, segment, total);
    } else if (lane_rank() == 0) {
      *out = total;
    }
  }

  /// The block that comes last joins the states that the blocks of a segment's nodes have stored, by thread 0.
  ///
  /// sync       all threads of the block
  MONOFOLD_GPU void join_blocks(std::int64_t segment, int nodes, state* states,
                                std::uint32_t* ticket) {
    if (!is_last_block_of(nodes, ticket)) return;
    const state total = combine_stored(job_.f, states, nodes, states, own_states_ + pieces);
    if (warp_rank() == 0) store_state(job_, segment, total);
  }

  /// The sums of nodes, which lie behind the states of all nodes.
  MONOFOLD_GPU auto* sums_of_nodes() const {
    return reinterpret_cast<typename range_fold::sums*>(reinterpret_cast<char*>(states_) +
                                                        bytes_of_states(num_states_));
  }

  const Job& job_;
  const segment_launch& plan_;
  char* scratch_;
  state* own_states_;
  state* states_;
  std::int64_t num_states_;
};

}  // namespace monofold::detail
