#pragma once
/// engine/gpu/tree/locate: finds the indices of extrema, once it is known in which tiles they are.

#include <cstdint>

#include "monofold/engine/gpu/kernel.cuh"
#include "monofold/engine/gpu/load.cuh"
#include "monofold/engine/gpu/tree/warp_fold.cuh"
#include "monofold/engine/gpu/tree/warp_tile.cuh"
#include "monofold/engine/gpu/warp_extremum.cuh"
#include "monofold/fold/all.hpp"
#include "monofold/fold/extrema.hpp"
#include "monofold/level/shuffle.cuh"
#include "monofold/platform/host_device.hpp"

namespace monofold::detail {

/// Whether states of a fold have the index of a tile's first item in place of an extremum's index, until `locate`.
template <class F>
inline constexpr bool is_located_v = finds_extrema_v<F>;
template <class... Folds>
inline constexpr bool is_located_v<all_fold<Folds...>> = (is_located_v<Folds> || ...);

/// Loads the tile that the state names, and puts the index of the first item with the state's key into the state.
///
/// shape      the same state in all lanes. If its tile was not loaded whole, it has the extremum's index already
/// sync       all lanes of the warp
template <class Fold, class View>
MONOFOLD_GPU void locate_extremum(const View& view, std::int64_t size, typename Fold::state& own) {
  constexpr int tile_items = warp_tile<View>::tile_items;
  if (own.index < 0) return;
  const std::int64_t at = own.index / tile_items * tile_items;
  warp_tile<View> tile(view, tile_place{at, size, tile_items});
  bool is_shifted = false;
  if constexpr (contiguous_item_view<View>) is_shifted = bytes_past_16(view.data()) != 0;
  if (at / tile_items < warp_tile<View>::aligned_tiles(view, size)) {
    tile.load_aligned();
  } else if (is_shifted) {
    if (!warp_tile<View>::is_whole(view, tile.place())) return;
    tile.load_shifted();
  } else if constexpr (is_padded_v<Fold, View>) {
    load_filled<Fold>(tile, static_cast<int>(size - at));
  } else {
    return;
  }
  own.index = index_in_tile<Fold>(tile, own.key);
}
template <class F, class View>
MONOFOLD_GPU void locate(const F&, const View& view, std::int64_t size, typename F::state& own) {
  if constexpr (is_extremum_fold_v<F>) {
    locate_extremum<F>(view, size, own);
  } else if constexpr (is_extrema_fold_v<F>) {
    locate_extremum<typename F::low>(view, size, own.min);
    locate_extremum<typename F::high>(view, size, own.max);
  }
}
template <class View, class First, class... Rest>
MONOFOLD_GPU void locate_members(const fold_list<First, Rest...>& folds, const View& view,
                                 std::int64_t size,
                                 typename fold_list<First, Rest...>::states& own) {
  locate(folds.first, view, size, own.first);
  if constexpr (sizeof...(Rest) > 0) locate_members(folds.rest, view, size, own.rest);
}
template <class... Folds, class View>
MONOFOLD_GPU void locate(const all_fold<Folds...>& f, const View& view, std::int64_t size,
                         typename all_fold<Folds...>::state& own) {
  locate_members(f.members, view, size, own);
}

/// The state of lane 0, with indices of extrema in place of those of tiles.
///
/// sync       all lanes of the warp
template <class F, class View>
MONOFOLD_GPU typename F::state located(const F& f, const View& view, std::int64_t size,
                                       typename F::state total) {
  if constexpr (is_located_v<F>) {
    total = shuffle_from(total, 0);
    locate(f, view, size, total);
  }
  return total;
}

/// Gives the sink the state of lane 0, with indices of extrema in place of those of tiles.
///
/// sync       all lanes of the warp
template <class F, class View, class Sink>
MONOFOLD_GPU void store_total(const F& f, const View& view, std::int64_t size,
                              typename F::state total, const Sink& sink) {
  total = located(f, view, size, total);
  if (lane_rank() == 0) sink(f, total);
}

}  // namespace monofold::detail
