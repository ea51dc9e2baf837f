#pragma once
/// engine/scan_tree: the plan's tree over all beginnings of an array, where its shape decides the bits.

#include <algorithm>
#include <cstdint>

#include "monofold/engine/scan_rows.hpp"
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

/// Whether the items of a row of a tile go to a slot each.
template <class F, class Item>
inline constexpr bool has_slot_rows_v =
    slot_shape<F, Item>::striped&& slot_shape<F, Item>::chains == tile_shape<Item>::items_per_lane;

/// The state of each beginning of a tile that ends at an item of one row.
template <class F, class Item>
class filling_rows {
 public:
  using state = accumulator_t<F>;
  using access = fold_access<F, Item>;
  static constexpr int row_items = tile_shape<Item>::row_items;

  /// All slots joined, after each of `count` items of the next row; items[0] is item `i` of the tile.
  MONOFOLD_INLINE void add(const F& f, const Item* items, int count, int i, std::int64_t index,
                           state* joined) {
    const bool is_first = i == 0;
    for (int c = 0; c < count; ++c) {
      if (is_first) {
        slots_[c] = access::open(f, items[c], index + c);
      } else {
        access::absorb(f, slots_[c], items[c], index + c);
      }
      joined[c] = slots_[c];
    }
    tree_.join(joined_by{f}, joined, count, is_first);
  }

 private:
  struct joined_by {
    const F& fold;
    MONOFOLD_INLINE state operator()(const state& left, const state& right) const {
      return access::join(fold, left, right);
    }
  };

  slot_array<state, row_items> slots_;
  row_beginnings<state, row_items> tree_;
};

/// The state of a tile that a fold asks to see again. In a function of its own: few do.
template <class F, class Item>
[[gnu::noinline]] typename F::state fold_again(const F& f, const accumulator_t<F>& all,
                                               const Item* items, int count, std::int64_t index) {
  const F second = f.again(all, count);
  return fold_access<F, Item>::flush(second, accumulate_tile(second, items, count, index), count);
}

/// put(i, state) of the items up to the i-th of a view, for each, of a fold whose tiles have rows.
template <class F, class View, class Put>
void scan_tree_by_rows(const F& f, const View& view, const Put& put) {
  using item = typename View::item_type;
  using access = fold_access<F, item>;
  using rows = filling_rows<F, item>;
  constexpr int tile = tile_items_v<item>;
  tree_joiner<typename F::state> joiner;
  rows filling;
  slot_array<item, tile> items;
  slot_array<accumulator_t<F>, rows::row_items> joined;
  slot_array<typename F::state, rows::row_items> own;
  for (std::int64_t at = 0; at < view.size(); at += rows::row_items) {
    const int i = static_cast<int>(at % tile);
    const int count = static_cast<int>(std::min<std::int64_t>(rows::row_items, view.size() - at));
    for (int c = 0; c < count; ++c) items[i + c] = view[at + c];
    filling.add(f, items.values + i, count, i, at, joined.values);
    for (int c = 0; c < count; ++c) {
      const int so_far = i + c + 1;
      if constexpr (may_repeat_v<F>) {
        if (!f.suffices(joined[c], so_far)) {
          own[c] = fold_again(f, joined[c], items.values, so_far, at - i);
          continue;
        }
      }
      own[c] = access::flush(f, joined[c], so_far);
    }
    const typename F::state last = own[count - 1];
    const auto& before = joiner.entries();
    for (auto it = before.rbegin(); it != before.rend(); ++it) {
      for (int c = 0; c < count; ++c) own[c] = f.combine(it->value, own[c]);
    }
    for (int c = 0; c < count; ++c) put(at + c, own[c]);
    if (i + count == tile) joiner.push(f, {0, at / tile}, last);
  }
}

/// The same of others: items go to the tree one by one.
template <class F, class View, class Put>
void scan_tree_by_items(const F& f, const View& view, const Put& put) {
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

/// put(i, state) of the items up to the i-th of a view, for each.
///
/// order      each state has the bits of fold_view of these items
/// cost       some 20 joins an item, of most commutative folds side by side; folds that look at a tile twice: the tile
///            again for each item whose tile asks for it
/// tested by  tests/api/scan_test.cpp
template <class F, class View, class Put>
void scan_tree(const F& f, const View& view, const Put& put) {
  if constexpr (has_slot_rows_v<F, typename View::item_type>) {
    scan_tree_by_rows(f, view, put);
  } else {
    scan_tree_by_items(f, view, put);
  }
}

}  // namespace monofold::detail
