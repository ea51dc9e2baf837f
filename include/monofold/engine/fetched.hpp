#pragma once
/// engine/fetched: runs a plan on items that the threads which fold them fetch, from a file say.

#include <algorithm>
#include <bit>
#include <cstdint>

#include "monofold/engine/cpu.hpp"
#include "monofold/engine/detail/buffer_pool.hpp"
#include "monofold/engine/detail/own_threads.hpp"
#include "monofold/engine/tree_joiner.hpp"
#include "monofold/plan/tiles.hpp"
#include "monofold/plan/tree.hpp"
#include "monofold/shape/view.hpp"

namespace monofold {

namespace detail {

/// Folds each node of a height, fetched at once, by `engine` on one thread.
///
/// sync       threads of this call: they wait for disks, which should keep no pool from other work,
///            and the first call of oneTBB in a process takes 1 ms
template <class Engine, class F, fetched_item_view View>
void fold_fetched(const Engine& engine, int num_threads, const F& f, const View& view,
                  std::int64_t first_tile, std::int64_t first_index, int level,
                  buffer_pool::make_buffer make, tree_joiner<typename F::state>& out) {
  using item = typename View::item_type;
  const std::int64_t end_tile = first_tile + tile_count<item>(view.size());
  const std::int64_t most_items = std::min(view.size(), std::int64_t{tile_items_v<item>} << level);
  buffer_pool buffers(most_items * static_cast<std::int64_t>(sizeof(item)), make);
  const auto fold_one = [&](const tree_node& node) {
    const std::int64_t at = (node.first_tile() - first_tile) * tile_items_v<item>;
    const std::int64_t end =
        std::min((node.end_tile() - first_tile) * tile_items_v<item>, view.size());
    const std::int64_t count = end - at;
    const buffer_pool::lease buffer(buffers);
    const item* const items = view.fetch(at, count, static_cast<item*>(buffer.get()));
    tree_joiner<typename F::state> own;
    fold_tiles(engine, f, contiguous_view<item>(items, count), 0, first_index + at, own);
    return own.total(f);
  };
  const auto parallel = [&](std::int64_t count, const auto& body) {
    on_own_threads(std::min<std::int64_t>(concurrency(num_threads), count), count, any_body(body));
  };
  fold_nodes(f, first_tile, end_tile, level, fold_one, parallel, out);
}

/// The height of a node that has `num_items` items or more.
template <class Item>
int level_of(std::int64_t num_items) {
  const auto tiles = static_cast<std::uint64_t>(tile_count<Item>(num_items));
  return static_cast<int>(std::bit_width(tiles - 1));
}

}  // namespace detail

/// The same as fold_tiles of engine/cpu for a view that fetches.
///
/// tested by  tests/engine/cpu_test.cpp
template <class F, fetched_item_view View>
void fold_tiles(const cpu_engine& engine, const F& f, const View& view, std::int64_t first_tile,
                std::int64_t first_index, tree_joiner<typename F::state>& out) {
  const int level = detail::level_of<typename View::item_type>(view.fetch_items());
  detail::fold_fetched(cpu(1), engine.num_threads, f, view, first_tile, first_index, level,
                       detail::make_aligned, out);
}

}  // namespace monofold
