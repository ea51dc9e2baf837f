#pragma once
/// engine/gpu/exact/warp_extrema: the smallest and largest items of tiles, whose places are looked for at the end.

#include <cstdint>
#include <type_traits>

#include "monofold/engine/gpu/exact/warp_rows.cuh"
#include "monofold/engine/gpu/lane_best.cuh"
#include "monofold/engine/gpu/load_ragged.cuh"
#include "monofold/engine/gpu/warp_extremum.cuh"
#include "monofold/fold/all.hpp"
#include "monofold/fold/extrema.hpp"
#include "monofold/level/shuffle.cuh"
#include "monofold/level/thread.cuh"
#include "monofold/platform/host_device.hpp"

namespace monofold::detail {

/// Each lane has the best key of its items so far, and the number of the tile that brought it: nothing else
/// is done while tiles stream by.
///
/// shape      tiles of `rows` rows in ascending order, counted from a boundary of 16 bytes
/// order      any: the fold is exact; a tile added twice counts once
template <class Fold, class Item, int rows>
class warp_end {
 public:
  using key = typename Fold::key;
  using state = typename Fold::state;
  using tile_type = warp_rows<Item, rows>;
  static constexpr bool is_coarse = has_coarse_best_v<Fold>;
  static_assert(Fold::nan_below == Fold::picks_smallest, "all NaN are one value, and win");

  /// Whether a tile has to be added. Where the end is not coarse there is no such question: all have.
  MONOFOLD_GPU bool may_change(const tile_type& tile) const { return coarse_.may_improve(tile); }

  /// sync       all lanes of the warp
  MONOFOLD_GPU void add(const tile_type& tile, int number) {
    key mine = best_in_lane<Fold>(tile);
    if (Fold::is_nan_key(mine)) mine = Fold::best;
    if (number_ < 0 || Fold::better(mine, own_)) {
      own_ = mine;
      number_ = number;
    }
    if constexpr (is_coarse) coarse_.set(best_of_lanes<Fold>(own_));
  }

  /// The best key of the warp; for the time being `index` is the number of the first tile that has it. The
  /// same in all lanes.
  ///
  /// sync       all lanes of the warp
  MONOFOLD_GPU state total() const {
    const key best = best_of_lanes<Fold>(own_);
    // -1 is the largest unsigned number.
    const auto number = static_cast<std::uint32_t>(own_ == best ? number_ : -1);
    return {best, static_cast<std::int32_t>(smallest_of_lanes(number))};
  }

  /// The index of the first item with the key of such a state, from its tile.
  ///
  /// sync       all lanes of the warp
  MONOFOLD_GPU static std::int64_t index_of(const state& found, const aligned_range<Item>& range) {
    const std::int64_t at = found.index * tile_type::tile_items;
    bytes16 raw[rows];
    load_ragged_rows(raw, range, at, lane_rank(), repeated(range.base[range.first]));
    const tile_type tile(raw, at - range.first);
    return tile.index_of(smallest_of_lanes(first_in_lane<Fold>(tile, found.key)));
  }

 private:
  struct nothing {};

  key own_ = Fold::worst;
  int number_ = -1;
  std::conditional_t<is_coarse, coarse_best<Fold>, nothing> coarse_;
};

/// The extrema that the folds of a list find.
template <class Folds, class Item, int rows>
class warp_extrema;
template <class First, class Item, int rows>
class warp_extrema<fold_list<First>, Item, rows> {
 public:
  using end = warp_end<First, Item, rows>;
  using tile_type = typename end::tile_type;
  using states = state_list<typename First::state>;
  static constexpr bool is_coarse = end::is_coarse;

  MONOFOLD_GPU bool may_change(const tile_type& tile) const { return own_.may_change(tile); }
  MONOFOLD_GPU void add(const tile_type& tile, int number) { own_.add(tile, number); }
  MONOFOLD_GPU states total() const { return {own_.total()}; }
  /// Puts the index in the place of the tile, by warp 0.
  template <class States>
  MONOFOLD_GPU static void find(States& found, const aligned_range<Item>& range, int warp) {
    if (warp != 0) return;
    const std::int64_t index = end::index_of(found.first, range);
    sync_warp();  // what lanes have read is written
    if (lane_rank() == 0) found.first.index = index;
  }

 private:
  end own_;
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
  /// An end a warp.
  template <class States>
  MONOFOLD_GPU static void find(States& found, const aligned_range<Item>& range, int warp) {
    one::find(found, range, warp);
    others::find(found.rest, range, warp - 1);
  }

 private:
  one first_;
  others rest_;
};

}  // namespace monofold::detail
