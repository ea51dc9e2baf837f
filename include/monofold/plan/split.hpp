#pragma once
/// plan/split: which part of an array is whose, where several share it. Arithmetic only.

#include <cstdint>

#include "monofold/plan/tiles.hpp"

namespace monofold {

/// Neighbouring items of an array.
struct item_range {
  std::int64_t first;
  std::int64_t count;
};

/// The items of part `part` of `num_parts`, cut where tiles of `tile_items` begin.
///
/// shape      parts stand in order, differ by a tile at most, and may be empty; 0 <= part < num_parts
/// tested by  tests/plan/split_test.cpp
constexpr item_range tile_split(std::int64_t num_items, std::int64_t num_parts, std::int64_t part,
                                std::int64_t tile_items) {
  const std::int64_t tiles = num_items / tile_items + (num_items % tile_items != 0 ? 1 : 0);
  // tiles * part / num_parts, without the product, which may be too large.
  const auto first_tile = [&](std::int64_t p) {
    return tiles / num_parts * p + tiles % num_parts * p / num_parts;
  };
  const auto item_at = [&](std::int64_t tile) {
    return tile == tiles ? num_items : tile * tile_items;
  };
  const std::int64_t first = item_at(first_tile(part));
  return {first, item_at(first_tile(part + 1)) - first};
}

/// The same for items of a type: what rank `part` reads, so that no tile is torn and no item travels.
template <class Item>
constexpr item_range tile_split(std::int64_t num_items, std::int64_t num_parts, std::int64_t part) {
  return tile_split(num_items, num_parts, part, tile_items_v<Item>);
}

}  // namespace monofold
