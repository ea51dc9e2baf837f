#pragma once
/// engine/long_rows: rows of so many tiles that threads share them, cut at nodes of their trees.

#include <algorithm>
#include <cstdint>
#include <vector>

#include "monofold/engine/cpu.hpp"
#include "monofold/engine/tree_joiner.hpp"
#include "monofold/plan/tree.hpp"

namespace monofold::detail {

/// A node of the trees of some rows of one length: of the columns of a block, or of one row.
struct row_node {
  std::int64_t group;
  tree_node node;
};

/// The next nodes of groups of rows, up to so many; where the last ones ended, the next call goes on.
class row_nodes {
 public:
  row_nodes(std::int64_t num_groups, int num_threads)
      : num_groups_(num_groups), num_threads_(num_threads) {}

  template <class TilesOf>
  void take(const TilesOf& tiles_of, std::int64_t most, std::vector<row_node>& out) {
    out.clear();
    while (group_ < num_groups_ && std::ssize(out) < most) {
      const std::int64_t end_tile = tiles_of(group_);
      out.push_back({group_, next_node(next_tile_, end_tile, level_for(end_tile, num_threads_))});
      next_tile_ = out.back().node.end_tile();
      if (next_tile_ == end_tile) {
        ++group_;
        next_tile_ = 0;
      }
    }
  }
  /// Whether a node that was taken is not the last one of its rows, as far as was taken.
  bool is_open(std::int64_t group) const { return group == group_; }

 private:
  std::int64_t num_groups_;
  int num_threads_;
  std::int64_t group_ = 0;
  std::int64_t next_tile_ = 0;
};

/// Folds groups of up to `width` rows; the rows of a group have one length.
///
/// shape      tiles_of(group) > 0; fold_one(group, node, states) leaves a state a row;
///            done(group, states) gets the state of each row
/// order      the plan's tree over each row's own tiles
/// cost       memory for 512 states, or 64 a row of the widest group; threads meet once a batch
template <class F, class TilesOf, class FoldOne, class Done>
void fold_long_rows(const cpu_engine& engine, const F& f, std::int64_t num_groups, int width,
                    const TilesOf& tiles_of, const FoldOne& fold_one, const Done& done) {
  using state = typename F::state;
  const std::int64_t most = std::max<std::int64_t>(batch_nodes / width, 64);
  row_nodes nodes(num_groups, engine.num_threads);
  std::vector<row_node> batch;
  nodes.take(tiles_of, most, batch);
  const heap_array<state> states(std::ssize(batch) * width);
  const heap_array<state> totals(width);
  std::vector<tree_joiner<state>> joiners(static_cast<std::size_t>(width));
  while (!batch.empty()) {
    const std::int64_t count = std::ssize(batch);
    parallel_for(engine.num_threads, count, [&](std::int64_t i) {
      const row_node& one = batch[static_cast<std::size_t>(i)];
      fold_one(one.group, one.node, states.data() + i * width);
    });
    for (std::int64_t i = 0; i < count; ++i) {
      const row_node& one = batch[static_cast<std::size_t>(i)];
      for (int c = 0; c < width; ++c) {
        joiners[static_cast<std::size_t>(c)].push(f, one.node, std::move(states[i * width + c]));
      }
      const bool is_last = i + 1 == count
                               ? !nodes.is_open(one.group)
                               : batch[static_cast<std::size_t>(i + 1)].group != one.group;
      if (!is_last) continue;
      for (int c = 0; c < width; ++c) {
        tree_joiner<state>& joiner = joiners[static_cast<std::size_t>(c)];
        totals[c] = joiner.total(f);
        joiner.clear();
      }
      done(one.group, totals.data());
    }
    nodes.take(tiles_of, most, batch);
  }
}

}  // namespace monofold::detail
