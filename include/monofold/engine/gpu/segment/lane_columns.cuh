#pragma once
/// engine/gpu/segment/lane_columns: some rows of a lane whose items lie apart, neighbours or a warp's lanes from each
/// other.

#include <cstdint>

#include "monofold/engine/gpu/load.cuh"
#include "monofold/engine/gpu/segment/slot_cells.cuh"
#include "monofold/level/slot_array.hpp"
#include "monofold/platform/bits.hpp"
#include "monofold/platform/host_device.hpp"
#include "monofold/platform/numbers.hpp"

namespace monofold::detail {

/// Rows of a lane at most.
inline constexpr int most_lane_rows = 4;

/// Some items of the rows of this lane, of which the first of the first row lies at `first`. Bits say which rows there
/// are.
template <class Item>
struct lane_columns {
  const Item* first;
  std::int64_t stride;      // from item to item of a row
  std::int64_t row_stride;  // from row to row of the lane
  std::int64_t count;
  std::uint32_t rows;
  bool are_neighbours =
      false;  // and lie so that one load may bring an item of each: all are there, or none
};

/// Items `from`, `from` + 1, .. of each row; `filler` where there are none.
template <class Item, int ahead, int columns>
MONOFOLD_GPU void load_columns(const lane_columns<Item>& at, std::int64_t from, const Item& filler,
                               Item (&out)[ahead][columns]) {
  const Item* place = at.first + from * at.stride;
  if constexpr (columns > 1 && is_floating_v<Item> && sizeof(Item) <= 4) {
    using word = slot_array<Item, columns>;
    if (at.are_neighbours) {
      MONOFOLD_UNROLL
      for (int k = 0; k < ahead; ++k, place += at.stride) {
        word own;
        MONOFOLD_UNROLL
        for (int c = 0; c < columns; ++c) own[c] = filler;
        if (from + k < at.count && at.rows != 0) {
          if constexpr (sizeof(word) == 16) {
            own = bits_as<word>(load_16(place));
          } else {
            own = bits_as<word>(load_item(reinterpret_cast<const std::uint64_t*>(place)));
          }
        }
        MONOFOLD_UNROLL
        for (int c = 0; c < columns; ++c) out[k][c] = own[c];
      }
      return;
    }
  }
  MONOFOLD_UNROLL
  for (int k = 0; k < ahead; ++k, place += at.stride) {
    MONOFOLD_UNROLL
    for (int c = 0; c < columns; ++c) {
      const bool is_there = from + k < at.count && (at.rows >> c & 1) != 0;
      out[k][c] = is_there ? load_item(place + c * at.row_stride) : filler;
    }
  }
}

}  // namespace monofold::detail
