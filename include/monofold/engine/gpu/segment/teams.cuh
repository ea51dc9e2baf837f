#pragma once
/// engine/gpu/segment/teams: how the lanes of a warp share segments of up to a tile.

#include "monofold/fold/fold.hpp"
#include "monofold/level/shuffle.cuh"
#include "monofold/level/thread.cuh"
#include "monofold/plan/tiles.hpp"
#include "monofold/platform/host_device.hpp"

namespace monofold::detail {

/// How lanes share segments of up to `longest` items: a team of 2^level lanes takes a segment. The same for all lanes
/// of the warp.
struct short_teams {
  int level;
  int longest;

  MONOFOLD_GPU int lanes() const { return 1 << level; }
  MONOFOLD_GPU int teams() const { return warp_lanes >> level; }
  MONOFOLD_GPU int team() const { return lane_rank() >> level; }
  MONOFOLD_GPU int member() const { return lane_rank() & (lanes() - 1); }
};

/// A tile of the plan has the slots of 32 lanes, which are called columns here. How many items a column gets of each
/// row; of ordered folds, how many it gets in all.
template <class F, class Item>
inline constexpr int column_items = slot_shape<F, Item>::striped ? tile_shape<Item>::items_per_lane
                                                                 : slot_shape<F, Item>::run_items;

/// How many columns of a tile of `count` items have items.
template <int each>
MONOFOLD_GPU int columns_in_use(int count) {
  const int used = (count + each - 1) / each;
  return used < tile_lanes ? used : tile_lanes;
}

/// The least level so that 2^level >= number.
MONOFOLD_GPU int level_over(int number) {
  int level = 0;
  while ((1 << level) < number) ++level;
  return level;
}

/// How many of `columns` columns each member of a team of 2^level lanes takes: a power of two.
MONOFOLD_GPU int columns_a_member(int columns, int level) {
  const int columns_level = level_over(columns);
  return columns_level > level ? 1 << (columns_level - level) : 1;
}

/// Teams for `segments` segments of up to `longest` items: as large as the warp allows, but no lane without a 16-byte
/// load.
template <class Item>
MONOFOLD_GPU short_teams teams_for(int segments, int longest) {
  const int most = level_over(columns_in_use<tile_shape<Item>::items_per_lane>(longest));
  int level = 0;
  while (level < most && (segments << (level + 1)) <= warp_lanes) ++level;
  return {level, longest};
}

}  // namespace monofold::detail
