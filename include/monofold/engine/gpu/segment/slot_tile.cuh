#pragma once
/// engine/gpu/segment/slot_tile: folds tiles that do not lie at 16-byte boundaries, if each item has a slot of its
/// own.

#include <cstdint>

#include "monofold/engine/gpu/segment/slot_cells.cuh"
#include "monofold/engine/gpu/segment/slot_page.cuh"
#include "monofold/fold/shift_indices.hpp"
#include "monofold/level/thread.cuh"
#include "monofold/plan/tiles.hpp"
#include "monofold/platform/host_device.hpp"
#include "monofold/shape/view.hpp"

namespace monofold::detail {

/// Whether tiles of a fold are folded so: to shift chunks of 16 bytes takes twice the time of reading them. Smaller
/// items are so many that it is faster.
template <class F, class View>
inline constexpr bool has_slot_tiles_v = false;
template <class F, contiguous_item_view View>
inline constexpr bool has_slot_tiles_v<F, View> =
    sizeof(typename View::item_type) >= 4 &&
    has_cells_for_slots<F, typename View::item_type, void>();

/// Folds tiles `first` to `end` - 1 of a part of an array, one after the other.
///
/// order      the plan's tree
/// sync       all lanes of the warp, which all get the state of a tile
template <class F, class Part>
class slot_tiles {
 public:
  using item = typename Part::item_type;

  MONOFOLD_GPU slot_tiles(const F& f, const Part& part, std::int64_t first, std::int64_t end)
      : of_{f}, items_(kept_pointer(part.data() + lane_rank())), tile_(first) {
    const std::int64_t behind = end * tile_items;
    size_ = behind < part.size() ? behind : part.size();
    load(tile_ * tile_items);
  }

  MONOFOLD_GPU typename F::state fold_next() {
    const std::int64_t at = tile_ * tile_items;
    cell own[parts];
    MONOFOLD_UNROLL
    for (int p = 0; p < parts; ++p) own[p] = of_.absent();
    MONOFOLD_ROLL
    for (int first = 0; first < tile_items; first += loads * warp_lanes) {
      item x[loads];
      MONOFOLD_UNROLL
      for (int k = 0; k < loads; ++k) x[k] = coming_[k];
      load(at + first + loads * warp_lanes);
      MONOFOLD_UNROLL
      for (int k = 0; k < loads; ++k) {
        own[k % parts] = of_.add({}, own[k % parts], x[k], first + lane_rank() + warp_lanes * k);
      }
    }
    ++tile_;
    const std::int64_t left = size_ - at;
    const int count = left < tile_items ? static_cast<int>(left) : tile_items;
    auto total = cells::own::state_of(of_.f, join_cells<level, level>(of_, own, 5), count);
    shift_indices(total, at);
    return total;
  }

 private:
  using cells = tree_step_cells<F, item, void>;
  using cell = typename cells::cell;
  static constexpr int tile_items = tile_items_v<item>;
  static constexpr int level = cells::slot_level < 3 ? cells::slot_level : 3;
  static constexpr int parts = 1 << level;
  static constexpr int loads = tile_items / warp_lanes < 32 ? tile_items / warp_lanes : 32;
  static_assert(loads % parts == 0);

  /// Loads the next items, while those before them are added.
  MONOFOLD_GPU void load(std::int64_t at) {
    const std::int64_t left = size_ - at - lane_rank();
    MONOFOLD_UNROLL
    for (int k = 0; k < loads; ++k) {
      coming_[k] = warp_lanes * k < left ? load_item(items_ + at + warp_lanes * k) : of_.filler();
    }
  }

  cells of_;
  const item* items_;
  std::int64_t tile_;
  std::int64_t size_;  // items behind this belong to nobody, or to others
  item coming_[loads];
};

}  // namespace monofold::detail
