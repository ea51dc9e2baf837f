#pragma once
/// engine/gpu/exact/warp_extrema: the smallest and largest items of tiles, whose places are looked for at the end.

#include <cstdint>
#include <type_traits>

#include "monofold/engine/gpu/exact/warp_rows.cuh"
#include "monofold/engine/gpu/lane_best.cuh"
#include "monofold/engine/gpu/load.cuh"
#include "monofold/engine/gpu/warp_extremum.cuh"
#include "monofold/fold/all.hpp"
#include "monofold/fold/extrema.hpp"
#include "monofold/level/shuffle.cuh"
#include "monofold/level/thread.cuh"
#include "monofold/level/warp.cuh"
#include "monofold/platform/host_device.hpp"

namespace monofold::detail {

/// The smallest or the largest item, as `Fold` asks, of tiles of `rows` rows. Tiles are counted from a boundary of 16
/// bytes.
template <class Fold, class Item, int rows>
class tile_extremum : public warp_extremum<Fold, int> {
 public:
  using tile_type = warp_rows<Item, rows>;

  MONOFOLD_GPU tile_extremum() : warp_extremum<Fold, int>(Fold{}) {}

  /// The index of the first item with the key of `found`, which has the number of that item's tile as its index.
  ///
  /// sync       all lanes of the warp
  MONOFOLD_GPU static std::int64_t index_of(const typename Fold::state& found,
                                            const aligned_range<Item>& range) {
    const std::int64_t at = found.index * tile_type::tile_items;
    bytes16 raw[rows];
    if (range.holds(at) && range.holds(at + tile_type::tile_items - 1)) {
      load_rows(raw, range, at, lane_rank());
    } else {
      load_ragged_rows(raw, range, at, lane_rank(), repeated(range.base[range.first]));
    }
    return index_in_tile<Fold>(tile_type(raw, at - range.first), found.key);
  }
};

/// The extrema for which a list of one or two folds asks.
template <class Folds, class Item, int rows>
class warp_extrema;
template <class First, class Item, int rows>
class warp_extrema<fold_list<First>, Item, rows> {
 public:
  using extremum = tile_extremum<First, Item, rows>;
  using tile_type = typename extremum::tile_type;
  using states = state_list<typename First::state>;
  static constexpr bool is_coarse = extremum::is_coarse;

  MONOFOLD_GPU bool may_change(const tile_type& tile) const { return own_.may_change(tile); }
  MONOFOLD_GPU void add(const tile_type& tile, int number) { own_.add(tile, number); }
  MONOFOLD_GPU states total() const { return {own_.total()}; }
  /// The best of what lanes 0 .. count - 1 hold, with its index in place of the tile, by warp 0.
  template <class States>
  MONOFOLD_GPU static void find(const States& own, int count, States& out,
                                const aligned_range<Item>& range, int warp) {
    if (warp != 0) return;
    auto best = extremum_of_lanes<First>(own.first, count);
    best.index = extremum::index_of(best, range);
    if (lane_rank() == 0) out.first = best;
  }

 private:
  extremum own_;
};
template <class First, class... Rest, class Item, int rows>
class warp_extrema<fold_list<First, Rest...>, Item, rows> {
 public:
  using one = warp_extrema<fold_list<First>, Item, rows>;
  using others = warp_extrema<fold_list<Rest...>, Item, rows>;
  using tile_type = typename one::tile_type;
  static constexpr bool is_coarse = one::is_coarse;
  using states = state_list<typename First::state, typename Rest::state...>;

  MONOFOLD_GPU bool may_change(const tile_type& tile) const {
    return first_.may_change(tile) | rest_.may_change(tile);
  }
  MONOFOLD_GPU void add(const tile_type& tile, int number) {
    first_.add(tile, number);
    rest_.add(tile, number);
  }
  MONOFOLD_GPU states total() const { return {first_.total().first, rest_.total()}; }
  /// The first extremum by warp 0, the other by warp 1.
  template <class States>
  MONOFOLD_GPU static void find(const States& own, int count, States& out,
                                const aligned_range<Item>& range, int warp) {
    one::find(own, count, out, range, warp);
    others::find(own.rest, count, out.rest, range, warp - 1);
  }

 private:
  one first_;
  others rest_;
};

}  // namespace monofold::detail
