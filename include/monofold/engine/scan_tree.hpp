#pragma once
/// engine/scan_tree: the plan's tree over all beginnings of an array, where its shape decides the bits.

#include <algorithm>
#include <cstdint>

#include "monofold/engine/tree_joiner.hpp"
#include "monofold/fold/fold.hpp"
#include "monofold/level/core.hpp"
#include "monofold/level/slot_array.hpp"
#include "monofold/plan/tiles.hpp"
#include "monofold/plan/tree.hpp"

namespace monofold::detail {

/// The tree over the slots of a tile that fills up: one more item changes one path to its root.
///
/// order      as accumulate_tile of the items so far
/// cost       one join for each height of the tree an item
template <class F, class Item>
class filling_tile {
 public:
  using state = accumulator_t<F>;
  using access = fold_access<F, Item>;
  using shape = slot_shape<F, Item>;

  /// All slots joined, once the item `i` of the tile is there; items come in order, from 0 on.
  state add(const F& f, const Item& item, int i, std::int64_t index) {
    int at = shape::slot_of(i);
    if (i == 0) used_ = 0;
    if (at >= used_) {
      // Slots are opened in order, but where a lane has fewer than it has items in a row: there several items of a
      // row share one that is open.
      used_ = at + 1;
      level_[at] = access::open(f, item, index);
    } else {
      access::absorb(f, level_[at], item, index);
    }
    int from = 0, width = shape::num_slots;
    for (int m = used_; m > 1; m = (m + 1) / 2) {
      const int to = from + width;
      const int left = at & ~1;
      at /= 2;
      if (left + 1 < m) {
        level_[to + at] = access::join(f, level_[from + left], level_[from + left + 1]);
      } else {
        level_[to + at] = level_[from + left];
      }
      from = to;
      width = (width + 1) / 2;
    }
    return level_[from];
  }

 private:
  slot_array<state, 2 * shape::num_slots> level_;  // slots, then joined ones, up to the root
  int used_ = 0;
};

/// put(i, state) of the items up to the i-th of a view, for each.
///
/// order      each state has the bits of fold_view of these items
/// cost       some 20 joins an item; folds that look at a tile twice: the tile again for each item
/// tested by  tests/api/scan_test.cpp
template <class F, class View, class Put>
void scan_tree(const F& f, const View& view, const Put& put) {
  using item = typename View::item_type;
  constexpr int tile = tile_items_v<item>;
  tree_joiner<typename F::state> joiner;
  filling_tile<F, item> filling;
  slot_array<item, tile> items;
  for (std::int64_t at = 0; at < view.size(); at += tile) {
    const int count = static_cast<int>(std::min<std::int64_t>(tile, view.size() - at));
    for (int i = 0; i < count; ++i) {
      items[i] = view[at + i];
      const auto tail = [&] {
        if constexpr (may_repeat_v<F>) {
          return fold_tile(f, items.values, i + 1, at);
        } else {
          return fold_access<F, item>::flush(f, filling.add(f, items[i], i, at + i), i + 1);
        }
      };
      const typename F::state own = tail();
      put(at + i, joiner.total_with(f, own));
      if (i + 1 == tile) joiner.push(f, {0, at / tile}, own);
    }
  }
}

}  // namespace monofold::detail
