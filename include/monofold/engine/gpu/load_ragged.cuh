#pragma once
/// engine/gpu/load_ragged: rows of items that lie in part outside a range, without a read outside it.

#include <cstdint>
#include <cstring>

#include "monofold/engine/gpu/load.cuh"
#include "monofold/level/shuffle.cuh"
#include "monofold/level/slot_array.hpp"
#include "monofold/platform/host_device.hpp"

namespace monofold::detail {

/// Items in memory by positions that count from a 16-byte boundary at or before the first item.
///
/// Where any schedule gives the same result, tiles begin at such boundaries, and all but the first and
/// the last one are loaded by aligned loads wherever the items begin.
template <class Item>
struct aligned_range {
  using item = Item;
  const Item* base;    // the boundary
  std::int64_t first;  // position of the first item
  std::int64_t end;    // behind the last

  MONOFOLD_GPU bool holds(std::int64_t position) const {
    return position >= first && position < end;
  }
  /// Items that whole loads take beyond a tile on either side.
  MONOFOLD_HD int margin() const { return 0; }
};

/// The range of items in memory.
template <class Item>
aligned_range<Item> aligned_range_of(const Item* first, std::int64_t count) {
  const auto ahead = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(first) %
                                               sizeof(bytes16) / sizeof(Item));
  return {first - ahead, ahead, ahead + count};
}

template <class Item>
MONOFOLD_GPU void set_item(bytes16& chunk, int v, const Item& item) {
  constexpr int words = sizeof(Item) == 8 ? 2 : 1;
  constexpr std::uint32_t mask = sizeof(Item) >= 4 ? ~0u : (1u << (8 * sizeof(Item) % 32)) - 1;
  const int first = v * static_cast<int>(sizeof(Item)) / 4;
  const int shift = v * static_cast<int>(sizeof(Item)) % 4 * 8;
  std::uint32_t own[words] = {};
  std::memcpy(own, &item, sizeof(Item));
  MONOFOLD_UNROLL
  for (int w = 0; w < 4; ++w) {
    if (w / words * words != first) continue;
    chunk.word[w] = (chunk.word[w] & ~(mask << shift)) | (own[w % words] << shift);
  }
}

/// A chunk of one item over and over.
template <class Item>
MONOFOLD_GPU bytes16 repeated(const Item& item) {
  constexpr int count = static_cast<int>(sizeof(bytes16) / sizeof(Item));
  slot_array<Item, count> items;
  MONOFOLD_UNROLL
  for (int v = 0; v < count; ++v) items[v] = item;
  bytes16 out;
  std::memcpy(&out, static_cast<const void*>(items.values), sizeof(out));
  return out;
}

template <class Item>
MONOFOLD_GPU bool is_chunk_inside(const aligned_range<Item>& range, std::int64_t from) {
  constexpr int chunk_items = static_cast<int>(sizeof(bytes16) / sizeof(Item));
  return range.holds(from) && range.holds(from + chunk_items - 1);
}

/// The 16 bytes at position `from`, a boundary; `outside` where they are not in the range.
template <class Item>
MONOFOLD_GPU bytes16 part_of_chunk(const aligned_range<Item>& range, std::int64_t from,
                                   const bytes16& outside) {
  constexpr int chunk_items = static_cast<int>(sizeof(bytes16) / sizeof(Item));
  bytes16 out = outside;
  MONOFOLD_ROLL
  for (int v = 0; v < chunk_items; ++v) {
    if (range.holds(from + v)) set_item(out, v, range.base[from + v]);
  }
  return out;
}

/// Rows of 32 chunks from position `at`, a boundary, all of them in the range.
template <int rows, class Item>
MONOFOLD_GPU void load_rows(bytes16 (&raw)[rows], const aligned_range<Item>& range, std::int64_t at,
                            int lane) {
  load_aligned_rows(raw, reinterpret_cast<const char*>(range.base + at), lane);
}

/// Rows of 32 chunks from position `at`, a boundary: chunk r * 32 + lane to raw[r]. Chunks that lie in
/// the range by aligned loads, of those at its ends each item by itself, `outside` beyond them.
template <int rows, class Item>
MONOFOLD_GPU void load_ragged_rows(bytes16 (&raw)[rows], const aligned_range<Item>& range,
                                   std::int64_t at, int lane, const bytes16& outside) {
  constexpr int chunk_items = static_cast<int>(sizeof(bytes16) / sizeof(Item));
  constexpr int row_items = warp_lanes * chunk_items;
  const std::int64_t own = at + lane * chunk_items;
  MONOFOLD_UNROLL
  for (int r = 0; r < rows; ++r) {
    const std::int64_t from = own + r * row_items;
    raw[r] = is_chunk_inside(range, from) ? load_16(range.base + from) : outside;
  }
  MONOFOLD_ROLL
  for (int side = 0; side < 2; ++side) {
    // The chunk of the range's first item, then that of its last.
    const std::int64_t inside = side == 0 ? range.first : range.end - 1;
    const std::int64_t from = inside - inside % chunk_items;
    const std::int64_t ahead = from - own;
    if (ahead < 0 || ahead >= rows * row_items || ahead % row_items != 0) continue;
    const bytes16 bytes = part_of_chunk(range, from, outside);
    const int row = static_cast<int>(ahead / row_items);
    MONOFOLD_UNROLL
    for (int r = 0; r < rows; ++r) {
      MONOFOLD_UNROLL
      for (int w = 0; w < 4; ++w) raw[r].word[w] = r == row ? bytes.word[w] : raw[r].word[w];
    }
  }
}

}  // namespace monofold::detail
