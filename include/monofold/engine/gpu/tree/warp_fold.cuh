#pragma once
/// engine/gpu/tree/warp_fold: folds a tile of the plan by one warp, with the slots and the tree of the plan.

#include <cstdint>
#include <type_traits>

#include "monofold/engine/gpu/load.cuh"
#include "monofold/engine/gpu/tree/warp_tile.cuh"
#include "monofold/engine/gpu/warp_extremum.cuh"
#include "monofold/fold/all.hpp"
#include "monofold/fold/extrema.hpp"
#include "monofold/fold/fold.hpp"
#include "monofold/fold/moments.hpp"
#include "monofold/fold/sum.hpp"
#include "monofold/level/shuffle.cuh"
#include "monofold/level/slot_array.hpp"
#include "monofold/level/warp.cuh"
#include "monofold/plan/tiles.hpp"

namespace monofold::detail {

/// Whether a lane's accumulator or an item is too large for registers.
template <class F, class Item>
inline constexpr bool is_large_v = sizeof(accumulator_t<F>) > max_register_bytes ||
                                   sizeof(Item) > max_register_bytes;
template <class... Folds, class Item>
inline constexpr bool is_large_v<all_fold<Folds...>, Item> = (is_large_v<Folds, Item> && ...);

/// The members of a fold by which accumulators are made and joined, see `fold_access`. Where accumulators are large
/// they are passed by reference to functions that are not inlined.
template <class F, class Item>
struct lane_access : fold_access<F, Item> {};
template <class F, class Item>
requires is_large_v<F, Item>
struct lane_access<F, Item> : fold_access<F, Item> {
  using accumulator = accumulator_t<F>;

  /// Makes an accumulator of the item where that is the first, and appends the item where not.
  MONOFOLD_GPU_CALL static void take(const F& f, accumulator& own, const Item& item,
                                     std::int64_t index, bool is_first) {
    if constexpr (
        requires { f.open(item, index); } || requires { f.absorb(own, item, index); }) {
      if (is_first) {
        own = fold_access<F, Item>::open(f, item, index);
      } else {
        fold_access<F, Item>::absorb(f, own, item, index);
      }
    } else {
      const accumulator other = f.lift(item, index);
      if (is_first) {
        own = other;
      } else {
        combine_by_call(f, own, other, own);
      }
    }
  }
  MONOFOLD_GPU static accumulator join(const F& f, const accumulator& left,
                                       const accumulator& right) {
    if constexpr (requires { f.join(left, right); }) {
      return f.join(left, right);
    } else {
      return combine_states(f, left, right);
    }
  }
};

/// Whether lanes take runs of neighbouring items, which the warp exchanges in shared memory.
template <class F, class View>
inline constexpr bool is_staged_v =
    !is_commutative_v<F> && warp_tile<View>::held && !is_large_v<F, typename View::item_type>;

/// Whether a state has the index of one or two extrema.
template <class F>
inline constexpr bool finds_extrema_v = is_extremum_fold_v<F> || is_extrema_fold_v<F>;
/// Whether an item that comes a second time changes nothing.
template <class F>
inline constexpr bool is_idempotent_v = finds_extrema_v<F> || is_extreme_key_fold_v<F>;

/// Whether zeros (of floats -0) change no accumulator. Only of the library's own folds: what a user derives from one
/// may be anything.
template <class F>
inline constexpr bool ignores_zeros_v = false;
template <class Item>
inline constexpr bool ignores_zeros_v<short_integer_sum_fold<Item>> = true;
template <class Item>
inline constexpr bool ignores_zeros_v<integer_sum_fold<Item>> = true;
template <class Item, class Real>
inline constexpr bool ignores_zeros_v<float_sum_fold<Item, Real>> = true;
template <class Item>
inline constexpr bool ignores_zeros_v<mean_fold<Item>> = true;
template <class Item>
inline constexpr bool ignores_zeros_v<moments_fold<Item>> = is_floating_v<Item>;
template <class Item>
inline constexpr bool ignores_zeros_v<integer_moments_fold<Item>> = sizeof(Item) < 8;
template <class Item, bool root>
inline constexpr bool ignores_zeros_v<variance_fold<Item, root>> =
    ignores_zeros_v<typename variance_fold<Item, root>::base>;

/// Whether a tile that is not whole may be filled up with items that change nothing but the count of items.
template <class F, class View>
inline constexpr bool is_filled_v = contiguous_item_view<View>&& warp_tile<View>::held &&
                                    (is_idempotent_v<F> || ignores_zeros_v<F>);
template <class... Folds, class View>
inline constexpr bool is_filled_v<all_fold<Folds...>, View> = (is_filled_v<Folds, View> || ...);

/// Whether they do not change a count either, since states have none.
template <class F, class View>
inline constexpr bool is_padded_v = is_filled_v<F, View> && !is_all_fold<F>::value &&
                                    std::is_same_v<accumulator_t<F>, typename F::state>;

/// Whether some item changes no accumulator, wherever it stands: the worst item of a fold for one extremum, where NaN
/// count as items (elsewhere a tile may have none that count).
template <class F>
inline constexpr bool has_worst_item_v = is_extreme_key_fold_v<F>;
template <class Item, bool smallest>
inline constexpr bool has_worst_item_v<extremum_fold<Item, smallest, nan_rule::propagate>> = true;
template <class Item, bool smallest, extremum_part part>
inline constexpr bool has_worst_item_v<extremum_answer_fold<Item, smallest, part>> = true;
template <class F>
inline constexpr bool has_neutral_item_v = has_worst_item_v<F> || ignores_zeros_v<F>;

template <class F, class Item>
MONOFOLD_GPU Item neutral_item() {
  if constexpr (has_worst_item_v<F>) {
    return F::item_of(F::worst);
  } else if constexpr (is_floating_v<Item>) {
    return negative_zero<Item>();
  } else {
    return Item(0);
  }
}

/// Loads the first `count` items of a tile that begins at a 16-byte boundary, and fills it up.
template <class F, class View>
MONOFOLD_GPU void load_filled(warp_tile<View>& tile, int count) {
  if (count == warp_tile<View>::tile_items) {
    tile.load_aligned();
  } else if constexpr (has_neutral_item_v<F>) {
    tile.load_padded(count, neutral_item<F, typename View::item_type>());
  } else {
    tile.load_padded(count, tile.get_item(0));
  }
}

/// Fills up a tile that `load_any` has loaded.
///
/// sync       all lanes of the warp
template <class F, class View>
MONOFOLD_GPU void fill_up(warp_tile<View>& tile) {
  if constexpr (has_neutral_item_v<F>) {
    tile.fill(neutral_item<F, typename View::item_type>());
  } else {
    tile.fill(shuffle_from(tile.template get<true>(0)[0], 0));
  }
}

/// The state of an extremum of a tile that is whole or was filled up, in all lanes.
///
/// sync       all lanes of the warp
template <class Fold, bool is_quick, class Tile>
MONOFOLD_GPU typename Fold::state extremum_of_tile(const Tile& tile) {
  warp_extremum<Fold> own(Fold{});
  own.add_best(best_in_lane_of<Fold, is_quick>(tile), 0);
  auto total = own.total();
  if (total.index >= 0) total.index = index_in_tile<Fold>(tile, total.key);
  return total;
}
template <class F, bool is_quick = false, class Tile>
MONOFOLD_GPU typename F::state extrema_of_tile(const Tile& tile) {
  if constexpr (is_extrema_fold_v<F>) {
    return {extremum_of_tile<typename F::low, is_quick>(tile),
            extremum_of_tile<typename F::high, is_quick>(tile)};
  } else if constexpr (is_extreme_key_fold_v<F>) {
    using extremum = typename F::extremum;
    return extreme_of_lanes<extremum::picks_smallest>(best_in_lane_of<extremum, is_quick>(tile));
  } else {
    return extremum_of_tile<F, is_quick>(tile);
  }
}

/// A function object that joins accumulators.
template <class F, class Item>
struct accumulator_joiner {
  F fold;
  MONOFOLD_GPU accumulator_t<F> operator()(const accumulator_t<F>& left,
                                           const accumulator_t<F>& right) const {
    return lane_access<F, Item>::join(fold, left, right);
  }
};

/// Folds a lane's items one by one into `own`, which lies in memory, and returns how many there are. `own` is not
/// written if there are none.
template <class F, class View>
MONOFOLD_GPU int fold_large_lane(const F& f, const warp_tile<View>& tile, accumulator_t<F>& own) {
  using item = typename View::item_type;
  using access = lane_access<F, item>;
  constexpr bool striped = slot_shape<F, item>::striped;
  constexpr int chunk_items = warp_tile<View>::chunk_items;
  static_assert(slot_shape<F, item>::chains == 1);
  const auto offset_of = [&](int i) {
    return tile.template chunk_offset<striped>(i / chunk_items) + i % chunk_items;
  };
  const std::int64_t index = tile.place().at;
  int taken = 0;
  MONOFOLD_ROLL
  for (; taken < warp_tile<View>::run_items; ++taken) {
    const int offset = offset_of(taken);
    if (offset >= tile.count()) break;
    access::take(f, own, tile.get_item(offset), index + offset, taken == 0);
  }
  return taken;
}

/// Folds a lane's items in its slots, and joins these. `full`: the lane has all its chunks.
template <bool full, class F, class View>
MONOFOLD_GPU accumulator_t<F> fold_lane(const F& f, const warp_tile<View>& tile) {
  using item = typename View::item_type;
  using access = fold_access<F, item>;
  if constexpr (is_large_v<F, item>) {
    accumulator_t<F> own;
    fold_large_lane(f, tile, own);
    return own;
  } else {
    constexpr bool striped = slot_shape<F, item>::striped;
    constexpr int chains = slot_shape<F, item>::chains;
    constexpr int chunk_items = warp_tile<View>::chunk_items;
    slot_array<accumulator_t<F>, chains> own;
    const std::int64_t index = tile.place().at;
    const int whole = full ? tile_rows : tile.template whole_chunks<striped>();

    MONOFOLD_UNROLL
    for (int k = 0; k < tile_rows; ++k) {
      if (full || k < whole) {
        const auto items = tile.template get<striped>(k);
        const std::int64_t first = index + tile.template chunk_offset<striped>(k);
        MONOFOLD_UNROLL
        for (int v = 0; v < chunk_items; ++v) {
          if (k == 0 && v < chains) {
            own[v] = access::open(f, items[v], first + v);
          } else {
            access::absorb(f, own[v % chains], items[v], first + v);
          }
        }
      }
    }
    int present = chains;
    if constexpr (!full && chunk_items > 1) {
      // The chunk in which the tile ends.
      const int offset = tile.template chunk_offset<striped>(whole);
      const int left = whole < tile_rows ? tile.count() - offset : 0;
      if (whole == 0) present = left < chains ? left : chains;
      MONOFOLD_UNROLL
      for (int v = 0; v < chunk_items; ++v) {
        if (v < left) {
          const item last = tile.get_item(offset + v);
          if (whole == 0 && v < chains) {
            own[v] = access::open(f, last, index + offset + v);
          } else {
            access::absorb(f, own[v % chains], last, index + offset + v);
          }
        }
      }
    }
    MONOFOLD_UNROLL
    for (int width = 1; width < chains; width *= 2) {
      MONOFOLD_UNROLL
      for (int i = 0; i + width < chains; i += 2 * width) {
        if (full || i + width < present) own[i] = access::join(f, own[i], own[i + width]);
      }
    }
    return own[0];
  }
}

/// Folds a tile: all slots of all lanes, joined in lane 0.
template <bool full, class F, class View>
MONOFOLD_GPU accumulator_t<F> fold_slots(const F& f, const warp_tile<View>& tile) {
  using item = typename View::item_type;
  using shape = warp_tile<View>;
  int lanes = tile_lanes;
  if constexpr (!full) {
    constexpr int each = slot_shape<F, item>::striped ? shape::chunk_items : shape::run_items;
    const int used = (tile.count() + each - 1) / each;
    lanes = used < tile_lanes ? used : tile_lanes;
  }
  // A lane that got nothing has nothing to say, and nobody reads it.
  return join_lanes(accumulator_joiner<F, item>{f}, fold_lane<full>(f, tile), lanes, warp_lanes);
}

/// Folds a tile once more, where the fold asks for that. The tile is loaded again, so that no registers are kept for
/// this case.
template <class F, class View>
MONOFOLD_GPU_CALL typename F::state fold_again(F second, View view, tile_place place,
                                               bytes16* buffer) {
  warp_tile<View> tile(view, place);
  tile.load_any();
  if constexpr (is_staged_v<F, View>) tile.stage(buffer);
  const auto total = fold_slots<false>(second, tile);
  return fold_access<F, typename View::item_type>::flush(second, total, place.count);
}

template <bool full, bool fills, class First, class... Rest, class Tile>
MONOFOLD_GPU auto fold_members(const fold_list<First, Rest...>& folds, Tile& tile, bytes16* buffer);

/// Folds a tile that is loaded; its state is in lane 0.
///
/// shape      a tile that is not `full` was loaded by `load_any<fills>`; where `fills`, it is filled up here for folds
///            that allow it
/// order      the slots of plan/tiles.hpp, joined neighbours first; ordered folds keep order
/// sync       all lanes of the warp; ordered folds need the tile staged
/// cost       a second pass over the tile where the fold asks for it
template <bool full, bool fills = true, class F, class Tile>
MONOFOLD_GPU typename F::state fold_loaded_tile(const F& f, Tile& tile, bytes16* buffer) {
  if constexpr (is_all_fold<F>::value) {
    return fold_members<full, fills>(f.members, tile, buffer);
  } else if constexpr (!full && fills && is_filled_v<F, typename Tile::view_type>) {
    fill_up<F>(tile);
    if constexpr (is_idempotent_v<F>) {
      return extrema_of_tile<F>(tile);
    } else {
      return fold_loaded_tile<true>(f, tile, buffer);
    }
  } else {
    auto total = fold_slots<full>(f, tile);
    if constexpr (may_repeat_v<F>) {
      total = shuffle_from(total, 0);
      const int count = tile.count();
      if (!f.suffices(total, count)) {
        return fold_again(f.again(total, count), tile.view(), tile.place(), buffer);
      }
    }
    return fold_access<F, typename Tile::item>::flush(f, total, tile.count());
  }
}

/// Folds a tile by the members of an `all`, one after the other, each with slots of its own.
template <bool full, bool fills, class First, class... Rest, class Tile>
MONOFOLD_GPU auto fold_members(const fold_list<First, Rest...>& folds, Tile& tile,
                               bytes16* buffer) {
  using states = state_list<typename First::state, typename Rest::state...>;
  auto first = fold_loaded_tile<full, fills>(folds.first, tile, buffer);
  if constexpr (sizeof...(Rest) == 0) {
    return states{first};
  } else {
    return states{first, fold_members<full, fills>(folds.rest, tile, buffer)};
  }
}

/// Whether the slots of some member of an `all` take so many registers that the loop over whole tiles would spill more
/// if ragged tiles were filled up: plain statistics of bfloat16 took 1.4 times as long from 256 MiB on.
template <class F, class View>
inline constexpr bool is_crowded_v = false;
template <class... Folds, class View>
inline constexpr bool is_crowded_v<all_fold<Folds...>, View> =
    ((!is_exact_v<Folds> && slot_shape<Folds, typename View::item_type>::chains *
                                    static_cast<int>(sizeof(accumulator_t<Folds>)) >=
                                128) ||
     ...);

/// Folds a tile that is not whole, or lies across 16-byte boundaries; its state is in lane 0. `may_be_kept`: see
/// warp_tile::load_any.
///
/// shape      `place` says which items; `buffer` is staging_bytes of shared memory of this warp, where
///            the fold `is_staged_v`
/// sync       all 32 lanes of the warp
/// tested by  tests/gpu/plan_test.cu (against the CPU engine, bit for bit)
template <bool may_be_kept = false, class F, class View>
MONOFOLD_GPU_CALL typename F::state fold_ragged_tile(F f, View view, tile_place place,
                                                     bytes16* buffer) {
  constexpr bool fills = is_filled_v<F, View> && !is_crowded_v<F, View>;
  warp_tile<View> tile(view, place);
  tile.template load_any<fills, may_be_kept>();
  if constexpr (is_staged_v<F, View>) tile.stage(buffer);
  return fold_loaded_tile<false, fills>(f, tile, buffer);
}

}  // namespace monofold::detail
