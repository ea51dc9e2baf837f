#pragma once
/// engine/gpu/warp_extremum: the smallest (or largest) item that a warp has seen, and in which tile.

#include <cstdint>
#include <type_traits>

#include "monofold/engine/gpu/lane_best.cuh"
#include "monofold/fold/extrema.hpp"
#include "monofold/level/lanes.cuh"
#include "monofold/level/shuffle.cuh"
#include "monofold/level/thread.cuh"
#include "monofold/level/warp.cuh"
#include "monofold/platform/host_device.hpp"

namespace monofold::detail {

/// Each lane keeps the best key of its items so far. In place of an index it keeps the place of the tile from which
/// that key came: the item's index is looked for when all tiles have been seen.
///
/// shape      tiles in the registers of the warp (warp_tile, warp_rows), in ascending order; `place`: any number from
///            0 on that grows from tile to tile. An object that was made without arguments must be assigned to before
///            it is used
/// shape      may_be_coarse: tiles are first asked whether they may change anything, where that takes less
/// order      any: the fold is exact; a tile added twice counts once
template <class Fold, class Place = std::int64_t, bool may_be_coarse = true>
class warp_extremum {
 public:
  using fold = Fold;
  using key = typename fold::key;
  using state = typename fold::state;
  static constexpr int lane_bytes = 16;
  static constexpr bool is_coarse = may_be_coarse && has_coarse_best_v<fold>;

  warp_extremum() = default;
  MONOFOLD_GPU explicit warp_extremum(const fold&) : key_(fold::worst), place_(-1) {}

  /// Whether the lane's items may change what the warp has. A tile for which this is false in all lanes need not be
  /// added. Only where `is_coarse`: if not, all tiles are added.
  template <class Tile>
  MONOFOLD_GPU bool may_change(const Tile& tile) const {
    return coarse_.may_improve(tile);
  }
  /// sync       all lanes of the warp, where it is coarse
  template <class Tile>
  MONOFOLD_GPU void add(const Tile& tile, Place place) {
    add_best(best_in_lane_of<fold, !may_be_coarse>(tile), place);
  }
  /// The same by the best key of a tile's items.
  MONOFOLD_GPU void add_best(key mine, Place place) {
    constexpr bool nan_wins = fold::nan_below == fold::picks_smallest;
    bool is_there = true;
    if constexpr (fold::keys::has_nan) {
      // All NaN are one value, which wins or is none.
      const bool is_nan = fold::is_nan_key(mine);
      if (nan_wins && is_nan) mine = fold::best;
      is_there = nan_wins || !is_nan;
    }
    const bool is_new = is_there && (place_ < 0 || fold::better(mine, key_));
    if (is_new) {
      key_ = mine;
      place_ = place;
    }
    if constexpr (is_coarse) coarse_.set(extreme_of_lanes<fold::picks_smallest>(key_));
  }
  /// Takes another state, which lane 0 has.
  MONOFOLD_GPU void merge(const fold& f, const state& other) {
    const state both = f.combine({key_, place_}, other);
    key_ = both.key;
    place_ = static_cast<Place>(both.index);
  }
  /// The best key of the warp and the first place that has it, in all lanes.
  ///
  /// sync       all lanes of the warp
  MONOFOLD_GPU state total() const { return extremum_of_lanes<fold>({key_, place_}, warp_lanes); }

 private:
  struct nothing {};

  key key_;
  Place place_;
  std::conditional_t<is_coarse, coarse_best<fold>, nothing> coarse_;
};

/// The index of the first item of a tile whose key is `found`.
///
/// sync       all lanes of the warp, which all get it
template <class Fold, class Tile>
MONOFOLD_GPU std::int64_t index_in_tile(const Tile& tile, const typename Fold::key& found) {
  return tile.index_of(smallest_of_lanes(first_in_lane<Fold>(tile, found)));
}

}  // namespace monofold::detail
