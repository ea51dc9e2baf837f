#pragma once
/// engine/gpu/warp_extremum: the smallest (or largest) item that a warp has seen, tile after tile.

#include <type_traits>

#include "monofold/engine/gpu/lane_best.cuh"
#include "monofold/fold/extrema.hpp"
#include "monofold/level/lanes.cuh"
#include "monofold/level/shuffle.cuh"
#include "monofold/level/thread.cuh"
#include "monofold/platform/host_device.hpp"

namespace monofold::detail {

/// All lanes know the warp's best key so far; where it is first is looked for only when a tile improves
/// it.
///
/// shape      tiles in the registers of the warp (warp_tile, warp_rows), in ascending order. A default one
///            is assigned before it is used
/// order      any: the fold is exact; a tile added twice counts once
/// sync       all lanes of the warp
template <class Fold>
class warp_extremum {
 public:
  using fold = Fold;
  using key = typename fold::key;
  using state = typename fold::state;
  static constexpr int lane_bytes = 16;

  warp_extremum() = default;
  MONOFOLD_GPU explicit warp_extremum(const fold& f) : own_(f.identity()) {}

  /// Whether the lane's items may change what the warp has: `add` does nothing where no lane's do.
  template <class Tile>
  MONOFOLD_GPU bool may_change(const Tile& tile) const {
    if constexpr (has_coarse_best_v<fold>) {
      return coarse_.may_improve(tile);
    } else {
      return is_better(best_in_lane<fold>(tile));
    }
  }
  template <class Tile>
  MONOFOLD_GPU void add(const fold&, const Tile& tile) {
    if (!any_lane(may_change(tile))) return;
    const key mine = best_in_lane<fold>(tile);
    if (any_lane(is_better(mine))) find(tile, mine);
  }
  /// `tile` is lane 0's.
  MONOFOLD_GPU void merge(const fold& f, const state& tile) {
    own_ = f.combine(own_, shuffle_from(tile, 0));
  }
  MONOFOLD_GPU state total(const fold&) const { return own_; }

 private:
  /// Tiles come in ascending order, so an equal key is not better. The state is the same in all lanes.
  MONOFOLD_GPU bool is_better(key mine) const {
    return own_.index < 0 || fold::better(mine, own_.key);
  }
  template <class Tile>
  MONOFOLD_GPU void find(const Tile& tile, key mine) {
    mine = best_of_lanes<fold>(mine);
    const bool nan = fold::keys::has_nan && fold::is_nan_key(mine);
    constexpr bool nan_wins = fold::nan_below == fold::picks_smallest;
    if (nan && !nan_wins) return;  // nothing but NaN here
    const int first = smallest_of_lanes(first_in_lane<fold>(tile, mine));
    own_ = fold{}.combine(own_, {nan ? fold::best : mine, tile.index_of(first)});
    if constexpr (has_coarse_best_v<fold>) coarse_.set(own_.key);
  }

  struct nothing {};

  state own_;
  std::conditional_t<has_coarse_best_v<fold>, coarse_best<fold>, nothing> coarse_;
};

}  // namespace monofold::detail
