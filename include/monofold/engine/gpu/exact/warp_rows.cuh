#pragma once
/// engine/gpu/exact/warp_rows: rows of 16-byte chunks in the registers of a warp, seen as a tile of items.

#include <cstdint>
#include <cstring>

#include "monofold/engine/gpu/load.cuh"
#include "monofold/level/shuffle.cuh"
#include "monofold/level/slot_array.hpp"
#include "monofold/level/thread.cuh"
#include "monofold/platform/host_device.hpp"

namespace monofold::detail {

/// A tile in rows of 16-byte chunks: chunk r * 32 + lane is raw[r] of that lane, and `at` is the index of the tile's
/// first item.
///
/// shape      `at` may be negative: places before the array's first item hold that item
template <class Item, int num_rows>
class warp_rows {
 public:
  using item = Item;
  static constexpr int rows = num_rows;
  static constexpr int chunk_items = static_cast<int>(sizeof(bytes16) / sizeof(Item));
  static constexpr int row_items = warp_lanes * chunk_items;
  static constexpr int tile_items = rows * row_items;
  using chunk = slot_array<Item, chunk_items>;

  MONOFOLD_GPU warp_rows(const bytes16 (&raw)[rows], std::int64_t at) : raw_(raw), at_(at) {}

  template <bool>
  MONOFOLD_GPU chunk get(int r) const {
    chunk out;
    std::memcpy(static_cast<void*>(out.values), &raw_[r], sizeof(bytes16));
    return out;
  }
  MONOFOLD_GPU const bytes16& raw(int r) const { return raw_[r]; }
  template <bool>
  MONOFOLD_GPU int chunk_offset(int r) const {
    return r * row_items + lane_rank() * chunk_items;
  }
  MONOFOLD_GPU std::int64_t index_of(int offset) const {
    return at_ + offset > 0 ? at_ + offset : 0;
  }

 private:
  const bytes16 (&raw_)[rows];
  std::int64_t at_;
};

}  // namespace monofold::detail
