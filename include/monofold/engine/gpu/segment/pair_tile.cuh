#pragma once
/// engine/gpu/segment/pair_tile: folds tiles of 2-byte items that do not lie at 16-byte boundaries, by words of two
/// items.

#include <cstdint>
#include <type_traits>

#include "monofold/engine/gpu/segment/slot_cells.cuh"
#include "monofold/engine/gpu/segment/slot_page.cuh"
#include "monofold/level/shuffle.cuh"
#include "monofold/level/thread.cuh"
#include "monofold/plan/tiles.hpp"
#include "monofold/platform/bits.hpp"
#include "monofold/platform/host_device.hpp"
#include "monofold/shape/view.hpp"

namespace monofold::detail {

/// Whether tiles of a fold may be folded so.
template <class F, class View>
inline constexpr bool has_pair_tiles_v = false;
template <class F, contiguous_item_view View>
inline constexpr bool has_pair_tiles_v<F, View> = [] {
  using item = typename View::item_type;
  if constexpr (sizeof(item) == 2 && has_cells_for_slots<F, item, void>()) {
    return !slot_cells<F, item, void>::any_order;
  } else {
    return false;
  }
}();

/// Folds tiles `first` to `end` - 1 of a part of an array, one after the other.
///
/// Where items begin in the middle of a word, each lies one place behind the place of its slot, in the whole tile: items
/// are folded where they lie, and then the slots are moved, once a tile.
///
///      word            0       1       2    ..   31      32
///      lane            0       1       2    ..   31       0
///      items         -   0   1   2   3   4  ..  61  62  63  ..       the first place has an item of the tile before
///      their slots   -   0   1   2   3   4  ..  61  62  63  ..       255 in the first place of every 256
///
/// shape      the words of the tiles' items may be read as a whole
/// order      the plan's tree
/// sync       all lanes of the warp, which all get the state of a tile
template <class F, class Part>
class pair_tiles {
 public:
  using item = typename Part::item_type;

  MONOFOLD_GPU pair_tiles(const F& f, const Part& part, std::int64_t first, std::int64_t end)
      : of_{f},
        odd_(static_cast<int>(reinterpret_cast<std::uintptr_t>(part.data()) % 4 / 2)),
        words_(
            kept_pointer(reinterpret_cast<const std::uint32_t*>(part.data() - odd_) + lane_rank())),
        tile_(first) {
    const std::int64_t behind = end * tile_items;
    size_ = behind < part.size() ? behind : part.size();
    MONOFOLD_UNROLL
    for (int h = 0; h < halves; ++h) load(h);
    load_edge();
  }

  MONOFOLD_GPU typename F::state fold_next() {
    const std::int64_t left = size_ - tile_ * tile_items;
    const int places = left < tile_items ? static_cast<int>(left) + odd_ : tile_items;
    cell own[parts][2];
    MONOFOLD_UNROLL
    for (int p = 0; p < parts; ++p) own[p][0] = own[p][1] = of_.absent();
    if (odd_ != 0 && lane_rank() == 0)
      coming_[0] = (coming_[0] & 0xffff0000u) | (zeros() & 0xffffu);
    if (places < tile_items) cut(places);
    ++tile_;
    MONOFOLD_UNROLL
    for (int h = 0; h < halves; ++h) {
      MONOFOLD_UNROLL
      for (int k = h * half_loads; k < (h + 1) * half_loads; ++k) {
        add(own[k % parts][0], coming_[k] & 0xffffu);
        add(own[k % parts][1], coming_[k] >> 16);
      }
      load(h);  // of the next tile, while the rest of this one is folded
    }
    if (odd_ != 0) {
      add(own[0][0], edge_ & 0xffffu);
      rotate(own);
    }
    load_edge();
    cell joined[parts];
    MONOFOLD_UNROLL
    for (int p = 0; p < parts; ++p) joined[p] = of_.join(own[p][0], own[p][1]);
    return cells::own::state_of(of_.f, join_cells<level, level>(of_, joined, 5),
                                left < tile_items ? static_cast<int>(left) : tile_items);
  }

 private:
  using cells = tree_step_cells<F, item, void>;
  using cell = typename cells::cell;
  static constexpr int tile_items = tile_items_v<item>;
  static constexpr int loads = tile_items / 2 / warp_lanes;
  static constexpr int halves = 2;  // one is on its way while the other is folded
  static constexpr int half_loads = loads / halves;
  static constexpr int level = 2;  // 256 slots are those of four words a lane
  static constexpr int parts = 1 << level;
  static_assert(cells::slot_level == 3);

  MONOFOLD_GPU std::uint32_t zeros() const {
    const auto half = std::uint32_t{bits_as<std::uint16_t>(of_.filler())};
    return half << 16 | half;
  }
  MONOFOLD_GPU void add(cell& own, std::uint32_t bits) const {
    own = of_.add({}, own, bits_as<item>(static_cast<std::uint16_t>(bits)), 0);
  }

  /// Loads half of a tile's words; those that have none of the items are zeros.
  MONOFOLD_GPU void load(int half) {
    const std::int64_t at = tile_ * tile_items;
    const std::uint32_t* const from = words_ + at / 2;
    const std::int64_t places = size_ - at + odd_;
    const std::int64_t own = places - 2 * lane_rank();
    MONOFOLD_UNROLL
    for (int k = half * half_loads; k < (half + 1) * half_loads; ++k) {
      coming_[k] = 2 * warp_lanes * k < own ? load_item(from + warp_lanes * k) : zeros();
    }
  }
  /// The last item of a whole tile lies in the first word behind it.
  MONOFOLD_GPU void load_edge() {
    const std::int64_t behind = (tile_ + 1) * tile_items;
    const bool is_there = odd_ != 0 && lane_rank() == 0 && size_ >= behind;
    edge_ = is_there ? load_item(words_ + behind / 2) : zeros();
  }
  /// Puts a zero behind the last of `places` places in its word.
  MONOFOLD_GPU void cut(int places) {
    const int own = places - 2 * lane_rank();
    MONOFOLD_UNROLL
    for (int k = 0; k < loads; ++k) {
      if (own == 2 * warp_lanes * k + 1) {
        coming_[k] = (coming_[k] & 0xffffu) | (zeros() & 0xffff0000u);
      }
    }
  }
  /// Moves what lies in each place one place down; the last place gets what the first one had.
  MONOFOLD_GPU static void rotate(cell (&own)[parts][2]) {
    const cell first = own[0][0];
    MONOFOLD_UNROLL
    for (int p = 0; p < parts; ++p) {
      const cell next = p + 1 < parts ? own[p + 1][0] : first;
      const cell given = lane_rank() == 0 ? next : own[p][0];
      own[p][0] = own[p][1];
      own[p][1] = shuffle_from(given, (lane_rank() + 1) % warp_lanes);
    }
  }

  cells of_;
  int odd_;  // items begin with the second half of a word
  const std::uint32_t* words_;
  std::int64_t tile_;
  std::int64_t size_;  // items behind this belong to nobody, or to others
  std::uint32_t coming_[loads];
  std::uint32_t edge_;
};

}  // namespace monofold::detail
