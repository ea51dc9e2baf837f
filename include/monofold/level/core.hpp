#pragma once
/// level/core: folds tiles on one CPU thread, by loops that a compiler can vectorise.

#include <algorithm>
#include <bit>
#include <cstdint>
#include <type_traits>

#include "monofold/fold/fold.hpp"
#include "monofold/level/slot_array.hpp"
#include "monofold/plan/tiles.hpp"
#include "monofold/plan/tree.hpp"

namespace monofold {

namespace detail {

/// Asks for the cache lines of a row some tiles ahead. A hint: any address will do.
MONOFOLD_INLINE void prefetch_row(const void* row, int row_bytes) {
#if defined(__GNUC__)
  // Two tiles ahead: 8 KiB at 10 GB/s are 0.8 us, several times the latency of memory. Without it
  // the eight strided rows of a tile defeat the hardware's own prefetching (3 times slower).
  const char* ahead = static_cast<const char*>(row) + 8192;
  for (int line = 0; line < row_bytes; line += 64) __builtin_prefetch(ahead + line);
#else
  static_cast<void>(row);
  static_cast<void>(row_bytes);
#endif
}

/// Joins slots 0..m-1, neighbours first, the odd one passing through; the total is in slot 0.
template <class F, class Item, class Slots>
MONOFOLD_INLINE void join_slots(const F& f, Slots& slots, int m) {
  for (; m > 1; m = (m + 1) / 2) {
    for (int i = 0; i < m / 2; ++i) {
      slots[i] = fold_access<F, Item>::join(f, slots[2 * i], slots[2 * i + 1]);
    }
    if (m % 2 != 0) slots[m / 2] = slots[m - 1];
  }
}

/// The same for a power of two known to the compiler: every level is a loop of fixed length.
template <int m, class F, class Item, class Slots>
MONOFOLD_INLINE accumulator_t<F> join_all_slots(const F& f, Slots& slots) {
  if constexpr (m == 1) {
    return slots[0];
  } else {
    slot_array<accumulator_t<F>, m / 2> half;
    for (int i = 0; i < m / 2; ++i) {
      half[i] = fold_access<F, Item>::join(f, slots[2 * i], slots[2 * i + 1]);
    }
    return join_all_slots<m / 2, F, Item>(f, half);
  }
}

/// The slots of a full tile of a commutative fold, row by row.
template <class F, class Item, class Slots>
MONOFOLD_INLINE void fill_striped(const F& f, Slots& slots, const Item* items, std::int64_t index) {
  using access = fold_access<F, Item>;
  using shape = slot_shape<F, Item>;
  constexpr int row_items = tile_shape<Item>::row_items;
  if constexpr (shape::chains == shape::items_per_lane) {
    for (int k = 0; k < row_items; ++k) slots[k] = access::open(f, items[k], index + k);
    prefetch_row(items, row_items * sizeof(Item));
    for (int r = 1; r < tile_rows; ++r) {
      const Item* const row = items + r * row_items;
      const std::int64_t row_index = index + r * row_items;
      for (int k = 0; k < row_items; ++k) access::absorb(f, slots[k], row[k], row_index + k);
      prefetch_row(row, row_items * sizeof(Item));
    }
  } else {
    // A lane spreads its neighbouring items over fewer accumulators than items.
    constexpr int chains = shape::chains;
    for (int at = 0; at < tile_items_v<Item>; at += chains) {
      const int own = shape::slot_of(at);
      const bool first = at < row_items && at % shape::items_per_lane == 0;
      for (int c = 0; c < chains; ++c) {
        if (first) {
          slots[own + c] = access::open(f, items[at + c], index + at + c);
        } else {
          access::absorb(f, slots[own + c], items[at + c], index + at + c);
        }
      }
    }
  }
}

/// The slots of a full tile of an ordered fold: some runs at a time, which are independent chains of
/// operations for the core to overlap. The number changes no bit: a run is folded from left to
/// right whatever runs beside it.
template <class F, class Item, class Slots>
MONOFOLD_INLINE void fill_ordered(const F& f, Slots& slots, const Item* items, std::int64_t index) {
  using access = fold_access<F, Item>;
  using own_state = accumulator_t<F>;
  // Four chains hide the latency of a multiplication (3 or 4 cycles). They must stay in registers:
  // one of four or more numbers takes as many registers as two of two, and 16 are all there are.
  constexpr int numbers = static_cast<int>(sizeof(own_state) / alignof(own_state));
  constexpr int side_by_side = numbers <= 2 ? 4 : 2;
  constexpr int run = slot_shape<F, Item>::run_items;
  for (int g = 0; g < tile_lanes; g += side_by_side) {
    const Item* const runs = items + g * run;
    const std::int64_t runs_index = index + g * run;
    prefetch_row(runs, side_by_side * run * static_cast<int>(sizeof(Item)));
    slot_array<accumulator_t<F>, side_by_side> own;
    for (int l = 0; l < side_by_side; ++l) {
      own[l] = access::open(f, runs[l * run], runs_index + l * run);
    }
    for (int j = 1; j < run; ++j) {
      MONOFOLD_UNROLL_8
      for (int l = 0; l < side_by_side; ++l) {
        access::absorb(f, own[l], runs[l * run + j], runs_index + l * run + j);
      }
    }
    for (int l = 0; l < side_by_side; ++l) slots[g + l] = own[l];
  }
}

/// The slots of a tile of fewer items, and how many there are of them: the lowest ones, so that passing
/// through in `join_slots` is the plan's tree. A slot is opened by its first item.
template <class F, class Item, class Slots>
MONOFOLD_INLINE int fill_partly(const F& f, Slots& slots, const Item* items, int count,
                                std::int64_t index) {
  using access = fold_access<F, Item>;
  using shape = slot_shape<F, Item>;
  if (count < 1) __builtin_unreachable();
  if constexpr (!shape::striped) {
    int used = 0;
    for (int at = 0; at < count; at += shape::run_items) {
      slots[used] = access::open(f, items[at], index + at);
      const int end = std::min(count, at + shape::run_items);
      for (int i = at + 1; i < end; ++i) access::absorb(f, slots[used], items[i], index + i);
      ++used;
    }
    return used;
  } else if constexpr (shape::chains == shape::items_per_lane) {
    constexpr int row_items = tile_shape<Item>::row_items;
    const int used = std::min(count, row_items);
    for (int i = 0; i < used; ++i) slots[i] = access::open(f, items[i], index + i);
    for (int at = row_items; at < count; at += row_items) {
      const int width = std::min(count - at, row_items);
      for (int i = 0; i < width; ++i) {
        access::absorb(f, slots[i], items[at + i], index + at + i);
      }
    }
    return used;
  } else {
    bool present[shape::num_slots] = {};
    int used = 0;
    for (int i = 0; i < count; ++i) {
      const int s = shape::slot_of(i);
      if (present[s]) {
        access::absorb(f, slots[s], items[i], index + i);
      } else {
        slots[s] = access::open(f, items[i], index + i);
        present[s] = true;
        used = std::max(used, s + 1);
      }
    }
    return used;
  }
}

/// All slots of a tile joined, by one pass over its items.
template <class F, class Item>
MONOFOLD_INLINE accumulator_t<F> accumulate_tile(const F& f, const Item* items, int count,
                                                 std::int64_t index) {
  using shape = slot_shape<F, Item>;
  slot_array<accumulator_t<F>, shape::num_slots> slots;
  if (count == tile_items_v<Item>) {
    if constexpr (shape::striped) {
      fill_striped(f, slots, items, index);
    } else {
      fill_ordered(f, slots, items, index);
    }
    return join_all_slots<shape::num_slots, F, Item>(f, slots);
  }
  join_slots<F, Item>(f, slots, fill_partly(f, slots, items, count, index));
  return slots[0];
}

}  // namespace detail

/// Folds one tile of `count` items (1 to tile_items_v<Item>) that lie next to each other.
///
/// shape      items: `count` items, the first of which has global index `index`
/// order      the slots of plan/tiles.hpp, joined neighbours first; ordered folds keep order
/// cost       count - 1 joins and absorbs, twice that where the fold asks for a second pass; no
///            allocation
/// tested by  tests/level/core_test.cpp (against a literal reading of plan/tiles.hpp)
template <class F, class Item>
MONOFOLD_INLINE typename F::state fold_tile(const F& f, const Item* items, int count,
                                            std::int64_t index) {
  using access = fold_access<F, Item>;
  static_assert(std::is_trivially_destructible_v<accumulator_t<F>>,
                "an accumulator must be trivially destructible: a tile keeps an array of them");
  const accumulator_t<F> all = detail::accumulate_tile(f, items, count, index);
  if constexpr (may_repeat_v<F>) {
    if (!f.suffices(all, count)) {
      const F second = f.again(all, count);
      return access::flush(second, detail::accumulate_tile(second, items, count, index), count);
    }
  }
  return access::flush(f, all, count);
}

namespace detail {

/// What takes the runs of a node: a sum that keeps running, a state, or `None`.
template <class F, class Item, class None>
struct run_of {
  using type = std::conditional_t<has_absorb_run_v<F, Item>, typename F::state, None>;
};
template <class F, class Item, class None>
requires has_running_sum_v<F, Item>
struct run_of<F, Item, None> {
  using type = typename F::running_sum;
};
template <class F, class Item, class None>
using run_of_t = typename run_of<F, Item, None>::type;

}  // namespace detail

/// Folds the tiles of one node of the tree, block after block, on one thread.
///
/// order      `add` must be called with neighbouring blocks of whole tiles in ascending order
///            (the last block of all may end inside a tile)
/// cost       one pass over the items, `total` included; no allocation
template <class F, class Item>
class node_folder {
 public:
  using state = typename F::state;

  MONOFOLD_INLINE explicit node_folder(const F& f) : fold_(f), run_(begin_run(f)) {}

  MONOFOLD_INLINE void add(const Item* items, std::int64_t count, std::int64_t index) {
    if constexpr (keeps_running) {
      run_.add(items, count);
    } else if constexpr (by_runs) {
      fold_.absorb_run(run_, items, count, index);
    } else {
      constexpr int tile = tile_items_v<Item>;
      std::int64_t done = 0;
      for (; done + tile <= count; done += tile) {
        tiles_.push(fold_, fold_tile(fold_, items + done, tile, index + done));
      }
      if (done < count) {
        tiles_.push(fold_,
                    fold_tile(fold_, items + done, static_cast<int>(count - done), index + done));
      }
    }
  }

  MONOFOLD_INLINE state total() const {
    if constexpr (keeps_running) {
      return run_.total();
    } else if constexpr (by_runs) {
      return run_;
    } else {
      return tiles_.total(fold_);
    }
  }

 private:
  static constexpr bool by_runs = has_absorb_run_v<F, Item>;
  static constexpr bool keeps_running = has_running_sum_v<F, Item>;
  struct nothing {};
  using run = detail::run_of_t<F, Item, nothing>;

  MONOFOLD_INLINE static run begin_run(const F& f) {
    if constexpr (keeps_running) {
      return detail::begin_running_sum(f);
    } else if constexpr (by_runs) {
      return f.identity();
    } else {
      return {};
    }
  }

  const F& fold_;
  [[no_unique_address]] run run_;
  [[no_unique_address]] std::conditional_t<by_runs, nothing, node_joiner<state, max_span_level>>
      tiles_{};
};

/// Folds a short row: up to a tile of items that are all there are.
///
/// order      as node_folder
/// cost       one pass; no allocation
/// tested by  tests/level/core_test.cpp
template <class F, class Item>
struct row_folder {
  MONOFOLD_INLINE static typename F::state fold(const F& f, const Item* items, int count,
                                                std::int64_t index) {
    if constexpr (has_absorb_run_v<F, Item>) {
      typename F::state own = f.identity();
      f.absorb_run(own, items, count, index);
      return own;
    } else {
      return fold_tile(f, items, count, index);
    }
  }
};

}  // namespace monofold
