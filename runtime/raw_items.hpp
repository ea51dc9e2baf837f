#pragma once
/// runtime/raw_items: items of which only the size is known, and where they lie.

#include <cstdint>

#include "monofold/plan/tiles.hpp"

namespace monofold::runtime {

/// Neighbouring items; pairs lie in one array as they are, or their halves in two.
struct raw_items {
  const char* left;
  const char* right;  // null: there is one array
  std::int64_t count;
  int item_bytes;  // of an item, or of a pair

  /// The bytes of an item of one array.
  std::int64_t stride() const { return right != nullptr ? item_bytes / 2 : item_bytes; }
  raw_items part(std::int64_t at, std::int64_t n) const {
    return {left + at * stride(), right != nullptr ? right + at * stride() : nullptr, n,
            item_bytes};
  }
};

/// The items of a tile: every size of item here divides a tile's bytes.
constexpr std::int64_t tile_items_of(int item_bytes) {
  return tile_rows * tile_lanes * lane_bytes / item_bytes;
}
static_assert(tile_items_of(1) == tile_items_v<char> && tile_items_of(8) == tile_items_v<double>);

constexpr std::int64_t tiles_of(std::int64_t count, int item_bytes) {
  return (count + tile_items_of(item_bytes) - 1) / tile_items_of(item_bytes);
}

/// Copies items to one array: the halves of a pair side by side.
void copy_items(const raw_items& items, void* to);

}  // namespace monofold::runtime
