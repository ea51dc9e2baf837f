#pragma once
/// engine/gpu/segment/across_slots: short rows whose items lie apart, some a lane: each item has a slot of its own.

#include <bit>
#include <cstdint>

#include "monofold/engine/gpu/segment/lane_columns.cuh"
#include "monofold/engine/gpu/tree/warp_fold.cuh"
#include "monofold/fold/all.hpp"
#include "monofold/fold/fold.hpp"
#include "monofold/level/thread_calls.cuh"
#include "monofold/plan/tiles.hpp"
#include "monofold/platform/host_device.hpp"

namespace monofold::detail {

/// Whether any order of a row's items gives the same bits.
template <class F>
inline constexpr bool has_any_order_v = is_exact_v<F>&& is_commutative_v<F>;

/// Whether lanes may take several rows of up to a row of the tile: by accumulators in registers, of items that
/// `load_item` takes.
template <class F, class Item>
inline constexpr bool has_short_columns_v =
    !is_all_fold<F>::value && !may_repeat_v<F> && !is_large_v<F, Item> &&
    std::has_single_bit(sizeof(Item)) && sizeof(Item) <= 8 && slot_shape<F, Item>::striped &&
    (has_any_order_v<F> ? sizeof(accumulator_t<F>) <= 16
                        : sizeof(accumulator_t<F>) <= 8 &&
                              slot_shape<F, Item>::chains == tile_shape<Item>::items_per_lane);

/// Items of a row that a lane loads together: a node of the plan's tree.
inline constexpr int across_node = 8;

/// Folds items `first` to first + across_node - 1 of column `c`, neighbours first; rows have `count`.
template <class F, class Item, int columns>
MONOFOLD_GPU accumulator_t<F> fold_node(const F& f, const Item (&x)[across_node][columns], int c,
                                        int first, int count) {
  using access = fold_access<F, Item>;
  accumulator_t<F> own[across_node];
  MONOFOLD_UNROLL
  for (int k = 0; k < across_node; ++k) {
    if (first + k < count) own[k] = access::open(f, x[k][c], first + k);
  }
  MONOFOLD_UNROLL
  for (int width = 1; width < across_node; width *= 2) {
    MONOFOLD_UNROLL
    for (int i = 0; i + width < across_node; i += 2 * width) {
      if (first + i + width < count) own[i] = access::join(f, own[i], own[i + width]);
    }
  }
  return own[0];
}

/// The accumulators of `columns` rows a lane.
///
/// shape      rows of an item at least; in the plan's tree of up to a row of the tile
/// order      the plan's tree: neighbours meet first
template <class F, class Item, int columns>
class across_slots {
 public:
  using own_type = accumulator_t<F>;

  MONOFOLD_GPU across_slots(const F& f, const lane_columns<Item>& at) {
    const auto count = static_cast<int>(at.count);
    MONOFOLD_ROLL
    for (int first = 0; first < count; first += ahead) {
      Item x[ahead][columns];
      load_columns(at, first, Item{}, x);
      MONOFOLD_UNROLL
      for (int c = 0; c < columns; ++c) {
        if (!is_asked(at, c)) continue;
        if constexpr (has_any_order_v<F>) {
          take(f, x, c, first, count);
        } else {
          push(c, first / ahead, fold_node(f, x, c, first, count), f);
        }
      }
    }
    if constexpr (!has_any_order_v<F>) {
      MONOFOLD_UNROLL
      for (int c = 0; c < columns; ++c) {
        if (is_asked(at, c)) join_nodes(f, c, (count + ahead - 1) / ahead);
      }
    }
  }

  MONOFOLD_GPU const own_type& total(int column) const { return total_[column]; }

 private:
  using access = fold_access<F, Item>;
  static constexpr int ahead = across_node;
  static constexpr int levels = std::bit_width(unsigned{tile_shape<Item>::row_items / ahead});

  /// Whether a fold is asked for a row's items: one of a user's only where there is the row, since it may look something
  /// up by an item.
  MONOFOLD_GPU static bool is_asked(const lane_columns<Item>& at, int c) {
    return has_neutral_item_v<F> || (at.rows >> c & 1) != 0;
  }

  MONOFOLD_GPU void take(const F& f, const Item (&x)[ahead][columns], int c, int first, int count) {
    MONOFOLD_UNROLL
    for (int k = 0; k < ahead; ++k) {
      if (first + k >= count) continue;
      if (first + k == 0) {
        total_[c] = access::open(f, x[k][c], 0);
      } else {
        access::absorb(f, total_[c], x[k][c], first + k);
      }
    }
  }

  /// As a binary counter, whose places are registers; `nodes` came before.
  MONOFOLD_GPU void push(int c, int nodes, own_type own, const F& f) {
    bool is_done = false;
    MONOFOLD_UNROLL
    for (int l = 0; l < levels; ++l) {
      if (is_done) continue;
      if ((nodes >> l & 1) != 0) {
        own = access::join(f, stack_[l][c], own);
      } else {
        stack_[l][c] = own;
        is_done = true;
      }
    }
  }
  MONOFOLD_GPU void join_nodes(const F& f, int c, int nodes) {
    bool has_any = false;
    MONOFOLD_UNROLL
    for (int l = 0; l < levels; ++l) {
      if ((nodes >> l & 1) == 0) continue;
      total_[c] = has_any ? access::join(f, stack_[l][c], total_[c]) : stack_[l][c];
      has_any = true;
    }
  }

  own_type total_[columns];
  own_type stack_[has_any_order_v<F> ? 1 : levels][columns];
};

}  // namespace monofold::detail
