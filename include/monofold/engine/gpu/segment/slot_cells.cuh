#pragma once
/// engine/gpu/segment/slot_cells: cells in registers, by which lanes fold segments whose items have slots of their
/// own.

#include <bit>
#include <cstdint>
#include <type_traits>

#include "monofold/engine/gpu/kernel.cuh"
#include "monofold/fold/extrema.hpp"
#include "monofold/fold/fold.hpp"
#include "monofold/fold/sum.hpp"
#include "monofold/plan/tiles.hpp"
#include "monofold/platform/bits.hpp"
#include "monofold/platform/host_device.hpp"
#include "monofold/platform/numbers.hpp"

namespace monofold::detail {

/// Loads an item from memory that the kernel does not write.
template <class Item>
MONOFOLD_GPU Item load_item(const Item* place) {
#if defined(__CUDA_ARCH__)
  if constexpr (sizeof(Item) == 1) {
    return bits_as<Item>(__ldg(reinterpret_cast<const std::uint8_t*>(place)));
  } else if constexpr (sizeof(Item) == 2) {
    return bits_as<Item>(__ldg(reinterpret_cast<const std::uint16_t*>(place)));
  } else if constexpr (sizeof(Item) == 4) {
    return bits_as<Item>(__ldg(reinterpret_cast<const unsigned*>(place)));
  } else {
    return bits_as<Item>(__ldg(reinterpret_cast<const unsigned long long*>(place)));
  }
#else
  return *place;
#endif
}

/// Cells of a fold of items.
///
/// | member | meaning |
/// |---|---|
/// | `cell`, `absent(f)` | what is kept of items, a few words; the cell that changes no other one |
/// | `filler(f)` | an item that may follow the last one of a segment and changes nothing |
/// | `take(f, item, i)` | the cell of item i of a segment |
/// | `join(f, a, b)` | two cells as one; in either order the same bits |
/// | `state_of(f, own, count)` | the fold's state of `count` items |
///
/// `is_one`: this fold and sink have cells. `any_order`: the cells of a segment may be joined in any order.
template <class F, class Item, class Sink>
struct slot_cells {
  static constexpr bool is_one = false;
};

/// Cells of sums in the plan's tree, which -0 does not change.
template <class F, class Item>
struct number_cells {
  static constexpr bool is_one = true;
  static constexpr bool any_order = false;
  using cell = typename F::state;
  MONOFOLD_GPU static Item filler(const F& f) { return f.padding(); }
  MONOFOLD_GPU static cell absent(const F& f) { return f.lift(filler(f), 0); }
  MONOFOLD_GPU static cell take(const F& f, const Item& item, int) { return f.lift(item, 0); }
  MONOFOLD_GPU static cell join(const F& f, cell a, cell b) { return f.combine(a, b); }
  MONOFOLD_GPU static cell state_of(const F&, cell own, int) { return own; }
};
template <class Item, class Real, class Sink>
struct slot_cells<float_sum_fold<Item, Real>, Item, Sink>
    : number_cells<float_sum_fold<Item, Real>, Item> {};

/// Cells of sums of integers that 64 bits hold.
template <class Item, class Sink>
requires(sizeof(Item) <= 4) struct slot_cells<integer_sum_fold<Item>, Item, Sink> {
  using F = integer_sum_fold<Item>;
  static constexpr bool is_one = true;
  static constexpr bool any_order = true;
  using cell = std::int64_t;
  MONOFOLD_GPU static Item filler(const F&) { return Item(0); }
  MONOFOLD_GPU static cell absent(const F&) { return 0; }
  MONOFOLD_GPU static cell take(const F&, const Item& item, int) { return static_cast<cell>(item); }
  MONOFOLD_GPU static cell join(const F&, cell a, cell b) { return a + b; }
  MONOFOLD_GPU static typename F::state state_of(const F&, cell own, int) { return own; }
};

/// Cells of an extremum: a key and the first item that has it.
template <class F, class Item>
struct extremum_cells {
  static constexpr bool is_one = true;
  static constexpr bool any_order = true;
  struct cell {
    typename F::key key;
    std::int32_t at;
  };
  // None is worse; of like ones the first counts.
  MONOFOLD_GPU static Item filler(const F&) { return F::item_of(F::worst); }
  MONOFOLD_GPU static cell absent(const F&) { return {F::worst, -1}; }
  MONOFOLD_GPU static cell take(const F& f, const Item& item, int i) {
    const auto own = f.lift(item, i);
    return {own.key, static_cast<std::int32_t>(own.index)};
  }
  MONOFOLD_GPU static cell join(const F&, const cell& a, const cell& b) {
    const bool is_b =
        F::better(b.key, a.key) ||
        (b.key == a.key && static_cast<std::uint32_t>(b.at) < static_cast<std::uint32_t>(a.at));
    return {is_b ? b.key : a.key, is_b ? b.at : a.at};
  }
  MONOFOLD_GPU static typename F::state state_of(const F&, const cell& own, int) {
    return {own.key, own.at};
  }
};
template <class F, class Item, class Sink>
requires is_extremum_fold_v<F>
struct slot_cells<F, Item, Sink> : extremum_cells<F, Item> {
};

/// Cells of an extremum whose index is not asked for: the key is enough.
template <class Item, bool smallest, class Answer>
struct slot_cells<extremum_answer_fold<Item, smallest, extremum_part::value>, Item,
                  answer_sink<Answer>> {
  using F = extremum_answer_fold<Item, smallest, extremum_part::value>;
  static constexpr bool is_one = true;
  static constexpr bool any_order = true;
  using cell = typename F::key;
  MONOFOLD_GPU static Item filler(const F&) { return F::item_of(F::worst); }
  MONOFOLD_GPU static cell absent(const F&) { return F::worst; }
  MONOFOLD_GPU static cell take(const F& f, const Item& item, int) { return f.lift(item, 0).key; }
  MONOFOLD_GPU static cell join(const F&, cell a, cell b) { return F::better(b, a) ? b : a; }
  MONOFOLD_GPU static typename F::state state_of(const F&, cell own, int) { return {own, 0}; }
};

/// How many cells a lane has: as many as fit registers.
template <class Cell>
inline constexpr int cells_of_lane = sizeof(Cell) <= 8 ? 8 : 4;

/// Whether a fold has cells, and a warp has as many cells as a tile has slots, each of which takes one of neighbouring
/// items.
template <class F, class Item, class Sink>
constexpr bool has_cells_for_slots() {
  using cells = slot_cells<F, Item, Sink>;
  if constexpr (cells::is_one) {
    using shape = slot_shape<F, Item>;
    return cells::any_order || (shape::chains == tile_shape<Item>::items_per_lane &&
                                shape::chains <= cells_of_lane<typename cells::cell>);
  } else {
    return false;
  }
}

/// In place of a `watch` where none is needed.
struct no_watch {
  template <class Item>
  MONOFOLD_GPU void see(const Item&) {}
};

struct no_step {};

/// The cells of a fold, as `slot_page` takes them.
template <class F, class Item, class Sink>
struct tree_step_cells {
  using own = slot_cells<F, Item, Sink>;
  using cell = typename own::cell;
  using watch = no_watch;
  using step = no_step;
  static constexpr int num_cells = cells_of_lane<cell>;
  static constexpr int slot_level =
      std::bit_width(static_cast<unsigned>(tile_shape<Item>::items_per_lane)) - 1;
  static constexpr bool any_order = own::any_order;
  const F& f;
  MONOFOLD_GPU Item filler() const { return own::filler(f); }
  MONOFOLD_GPU cell absent() const { return own::absent(f); }
  MONOFOLD_GPU step prepared(const watch&, bool) const { return {}; }
  MONOFOLD_GPU cell take(const step&, const Item& item, int i) const {
    return own::take(f, item, i);
  }
  MONOFOLD_GPU cell add(const step&, const cell& a, const Item& item, int i) const {
    return own::join(f, a, own::take(f, item, i));
  }
  MONOFOLD_GPU cell join(const cell& a, const cell& b) const { return own::join(f, a, b); }
};

}  // namespace monofold::detail
