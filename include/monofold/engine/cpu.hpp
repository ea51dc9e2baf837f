#pragma once
/// engine/cpu: runs a plan on the threads of this machine.

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "monofold/engine/detail/heap_array.hpp"
#include "monofold/engine/detail/parallel.hpp"
#include "monofold/engine/tree_joiner.hpp"
#include "monofold/level/core.hpp"
#include "monofold/level/core_all.hpp"
#include "monofold/plan/tiles.hpp"
#include "monofold/plan/tree.hpp"
#include "monofold/shape/view.hpp"

namespace monofold {

/// The CPU engine, as a value: `cpu` uses all cores, `cpu(4)` up to four threads, with oneTBB and
/// without it.
///
/// The number of threads never changes a result. Where MONOFOLD_HAS_TBB is defined to 1, as the CMake
/// target does where it finds oneTBB, threads are oneTBB's, which keeps them between calls and shares them
/// with the program's own loops; else each call makes its own. The bits are the same.
struct cpu_engine {
  int num_threads = 0;  // 0: as many as there are cores

  constexpr cpu_engine operator()(int threads) const { return {threads}; }
};

inline constexpr cpu_engine cpu{};

namespace detail {

/// Tiles that one thread looks at before it moves on: 4 of 4 KiB stay in the first-level cache while several folds of an
/// `all` read them in turn, or one looks for the place of what it found. An exact sum alone takes more: it sets the
/// processor's flags each time, and asks them.
inline constexpr int block_tiles = 4;
inline constexpr int block_tiles_alone = 64;

/// Nodes handed out at a time; their states are joined before the next batch, so that states of
/// any size need bounded memory. 512 x 256 KiB take some milliseconds: threads meet rarely.
inline constexpr std::int64_t batch_nodes = 512;

/// The state of `count` neighbouring items of a view from position `at`, on this thread.
template <class F, class View>
typename F::state fold_node(const F& f, const View& view, std::int64_t at, std::int64_t count,
                            std::int64_t first_index) {
  using item = typename View::item_type;
  node_folder<F, item> folder(f);
  if constexpr (contiguous_item_view<View>) {
    constexpr int tiles = has_running_sum_v<F, item> ? block_tiles_alone : block_tiles;
    constexpr std::int64_t block = std::int64_t{tiles} * tile_items_v<item>;
    const item* const items = view.data() + at;
    for (std::int64_t done = 0; done < count; done += block) {
      folder.add(items + done, std::min(block, count - done), first_index + at + done);
    }
  } else {
    constexpr std::int64_t block = std::int64_t{block_tiles} * tile_items_v<item>;
    const heap_array<item> buffer(std::min(block, count));
    for (std::int64_t done = 0; done < count; done += block) {
      const std::int64_t n = std::min(block, count - done);
      for (std::int64_t i = 0; i < n; ++i) {
        buffer[i] = view[at + done + i];
      }
      folder.add(buffer.data(), n, first_index + at + done);
    }
  }
  return folder.total();
}

/// Folds the nodes of a height, or less, that tiles [first_tile, end_tile) consist of, and appends
/// their states to `out`. parallel(n, body) calls body(i) for 0 <= i < n on the threads to use.
template <class F, class FoldOne, class Parallel>
void fold_nodes(const F& f, std::int64_t first_tile, std::int64_t end_tile, int level,
                const FoldOne& fold_one, const Parallel& parallel,
                tree_joiner<typename F::state>& out) {
  std::vector<tree_node> nodes;
  const auto take_nodes = [&](std::int64_t next) {
    nodes.clear();
    while (next < end_tile && static_cast<std::int64_t>(nodes.size()) < batch_nodes) {
      nodes.push_back(next_node(next, end_tile, level));
      next = nodes.back().end_tile();
    }
  };
  take_nodes(first_tile);
  // The first batch is full, or the only one: no batch needs more states, which may be large.
  const heap_array<typename F::state> states(static_cast<std::int64_t>(nodes.size()));
  for (; !nodes.empty(); take_nodes(nodes.back().end_tile())) {
    parallel(static_cast<std::int64_t>(nodes.size()),
             [&](std::int64_t i) { states[i] = fold_one(nodes[static_cast<std::size_t>(i)]); });
    std::int64_t done = 0;
    for (const tree_node& node : nodes) out.push(f, node, std::move(states[done++]));
  }
}

/// The height of the nodes that threads take. Larger ones for more data: folds that keep a bound or a
/// best item learn it once a node, and 16 nodes a thread still balance the load.
inline int level_for(std::int64_t num_tiles, int num_threads) {
  if (num_threads == 1) return max_span_level;
  const std::int64_t share = num_tiles / (std::int64_t{16} * concurrency(num_threads));
  return std::clamp(static_cast<int>(std::bit_width(static_cast<std::uint64_t>(share))) - 1,
                    span_level, max_span_level);
}

}  // namespace detail

/// Folds all items of a view and appends the states of their nodes to `out`.
///
/// shape      item i of the view has global index first_index + i and lies in tile
///            first_tile + i / tile_items_v; only the last call on a joiner may end inside a tile
/// order      the plan's tree over the global grid of tiles
/// sync       blocks until done; up to `num_threads` threads take part: of oneTBB's pool where
///            MONOFOLD_HAS_TBB is 1, else made for this call
/// cost       one pass over the items; memory for 512 states
/// tested by  tests/engine/cpu_test.cpp
template <class F, class View>
void fold_tiles(const cpu_engine& engine, const F& f, const View& view, std::int64_t first_tile,
                std::int64_t first_index, tree_joiner<typename F::state>& out) {
  using item = typename View::item_type;
  constexpr std::int64_t tile = tile_items_v<item>;
  const std::int64_t end_tile = first_tile + tile_count<item>(view.size());
  const auto fold_one = [&](const tree_node& node) {
    const std::int64_t at = (node.first_tile() - first_tile) * tile;
    const std::int64_t end = std::min((node.end_tile() - first_tile) * tile, view.size());
    return detail::fold_node(f, view, at, end - at, first_index);
  };
  // The tree is the same whatever the level.
  const int level = detail::level_for(end_tile - first_tile, engine.num_threads);
  const auto parallel = [&](std::int64_t count, const auto& body) {
    detail::parallel_for(engine.num_threads, count, body);
  };
  detail::fold_nodes(f, first_tile, end_tile, level, fold_one, parallel, out);
}

/// Calls visit(item) for each item of a view, in order.
template <class View, class Visit>
void visit_items(const cpu_engine&, const View& view, const Visit& visit) {
  for (std::int64_t i = 0; i < view.size(); ++i) visit(view[i]);
}

/// The state of all items of a view, which must not be empty.
template <class F, class View>
typename F::state fold_view(const cpu_engine& engine, const F& f, const View& view) {
  using item = typename View::item_type;
  // Up to one node: no list, no allocation, no other thread.
  if (view.size() <= (std::int64_t{1} << span_level) * tile_items_v<item>) {
    return detail::fold_node(f, view, 0, view.size(), 0);
  }
  tree_joiner<typename F::state> joiner;
  fold_tiles(engine, f, view, 0, 0, joiner);
  return joiner.total(f);
}

}  // namespace monofold
