#pragma once
/// engine/gpu/segment/slot_tile: a tile whose items lie at no 16-byte boundary, each in a slot of its own.

#include <cstdint>

#include "monofold/engine/gpu/segment/slot_cells.cuh"
#include "monofold/engine/gpu/segment/slot_page.cuh"
#include "monofold/fold/shift_indices.hpp"
#include "monofold/level/thread.cuh"
#include "monofold/plan/tiles.hpp"
#include "monofold/platform/host_device.hpp"
#include "monofold/shape/view.hpp"

namespace monofold::detail {

/// Whether tiles of a fold may be taken so: shifting the chunks of 16 bytes takes twice the time of reading them.
template <class F, class View>
inline constexpr bool has_slot_tiles_v = false;
template <class F, contiguous_item_view View>
inline constexpr bool has_slot_tiles_v<F, View> =
    has_cells_for_slots<F, typename View::item_type, void>();

/// The state of the first `count` items at a place, at most a tile of them, in all lanes; `index` is that of the first.
///
/// order      the plan's tree
/// sync       all lanes of the warp
template <class F, class Item>
MONOFOLD_GPU typename F::state fold_slot_tile(const F& f, const Item* items, int count,
                                              std::int64_t index) {
  using cells = tree_step_cells<F, Item, void>;
  using cell = typename cells::cell;
  constexpr int level = cells::slot_level < 3 ? cells::slot_level : 3;
  constexpr int parts = 1 << level;
  constexpr int row_items = parts * warp_lanes;
  constexpr int rows = 32 / parts;  // whose loads are on their way together
  const cells of{f};
  const Item* const own_items = kept_pointer(items + lane_rank());
  cell own[parts];
  MONOFOLD_UNROLL
  for (int p = 0; p < parts; ++p) own[p] = of.absent();
  MONOFOLD_ROLL
  for (int first = 0; first < tile_items_v<Item>; first += rows * row_items) {
    const int left = count - first - lane_rank();
    Item x[rows * parts];
    MONOFOLD_UNROLL
    for (int k = 0; k < rows * parts; ++k) {
      x[k] = warp_lanes * k < left ? load_item(own_items + first + warp_lanes * k) : of.filler();
    }
    MONOFOLD_UNROLL
    for (int k = 0; k < rows * parts; ++k) {
      own[k % parts] = of.add({}, own[k % parts], x[k], first + lane_rank() + warp_lanes * k);
    }
  }
  auto total = cells::own::state_of(f, join_cells<level, level>(of, own, 5), count);
  shift_indices(total, index);
  return total;
}

}  // namespace monofold::detail
