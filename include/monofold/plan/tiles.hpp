#pragma once
/// plan/tiles: which item lies in which tile and in which slot of it. Arithmetic only.

#include <bit>
#include <cstddef>
#include <cstdint>

#include "monofold/fold/fold.hpp"

namespace monofold {

/// The lanes of a tile: the width of a warp, and a multiple of every SIMD width in use.
inline constexpr int tile_lanes = 32;

/// The rows of a tile: so many 16-byte loads a lane has in flight when a warp takes a tile, and
/// 8 x 16 B x 32 lanes = 4 KiB is a page, an eighth of a first-level cache.
inline constexpr int tile_rows = 8;

/// The bytes a lane takes from a row where items are small enough.
inline constexpr int lane_bytes = 16;

/// An aligned group of 2^span_level tiles is the unit of work that a CPU thread takes: 64 tiles
/// of 4 KiB are 256 KiB, some 10 us of memory reads, 100 times what handing out the work costs.
inline constexpr int span_level = 6;

/// With much data a thread takes larger groups, up to 1024 tiles.
inline constexpr int max_span_level = 10;

/// Accumulators of a lane may take this many bytes together: 32 of the 255 registers that a GPU
/// thread can have, and two doubles for each of 8 items of 2 bytes.
inline constexpr int lane_accumulator_bytes = 128;

/// How items of a size lie in tiles.
///
/// A tile is `tile_rows` rows of `tile_lanes` lanes of `items_per_lane` neighbouring items. It
/// depends on the size of an item alone, so that shards cut at tiles suit every fold.
template <class Item>
struct tile_shape {
  static constexpr int items_per_lane =
      sizeof(Item) >= lane_bytes ? 1 : int{std::bit_floor(unsigned{lane_bytes / sizeof(Item)})};
  static constexpr int row_items = tile_lanes * items_per_lane;
  static constexpr int items = tile_rows * row_items;
};

template <class Item>
inline constexpr int tile_items_v = tile_shape<Item>::items;

/// How many tiles `n` items take; the last may be partly filled.
template <class Item>
constexpr std::int64_t tile_count(std::int64_t n) {
  return n / tile_items_v<Item> + (n % tile_items_v<Item> != 0 ? 1 : 0);
}

/// Which accumulator ("slot") of a tile takes which item.
///
/// commutative folds: item i of a tile lies in row i / row_items, lane (i / items_per_lane) mod 32,
///     place v = i mod items_per_lane, and goes to slot lane * chains + v mod chains. A slot takes
///     its items in ascending order. `chains` is items_per_lane, or less where the accumulators of
///     a lane would not fit in its registers. With chains == items_per_lane this is slot = i mod
///     num_slots.
/// ordered folds: slot i / run_items; a slot takes a run of `run_items` neighbours in order.
///
/// Slots that got no item (in the last tile) are absent. Slots are joined by the tree of
/// plan/tree.hpp, neighbours first.
template <class F, class Item>
struct slot_shape {
  static constexpr bool striped = is_commutative_v<F>;
  static constexpr int affordable =
      sizeof(accumulator_t<F>) >= lane_accumulator_bytes
          ? 1
          : int{std::bit_floor(unsigned{lane_accumulator_bytes / sizeof(accumulator_t<F>)})};
  static constexpr int items_per_lane = tile_shape<Item>::items_per_lane;
  static constexpr int chains =
      !striped ? 1 : (affordable < items_per_lane ? affordable : items_per_lane);
  static constexpr int num_slots = tile_lanes * chains;
  static constexpr int run_items = tile_items_v<Item> / num_slots;  // items of a full slot

  /// The slot of item `i` of a tile.
  static constexpr int slot_of(int i) {
    if constexpr (striped) {
      const int lane = (i / items_per_lane) % tile_lanes;
      return lane * chains + (i % items_per_lane) % chains;
    } else {
      return i / run_items;
    }
  }
};

}  // namespace monofold
