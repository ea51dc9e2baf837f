#pragma once
/// engine/gpu/exact/load_pairs: rows of pairs of items that lie in two arrays, however those are aligned.

#include <cstdint>

#include "monofold/engine/gpu/load.cuh"
#include "monofold/platform/host_device.hpp"

namespace monofold::detail {

/// Sixteen bytes of each array, from the same index on.
struct pair_bytes {
  bytes16 left;
  bytes16 right;
};

/// Two arrays in memory by positions that count from a 16-byte boundary of the left one.
template <class Item>
struct pair_range {
  const Item* base;
  const Item* right;  // at the same positions
  std::int64_t first;
  std::int64_t end;

  MONOFOLD_GPU bool holds(std::int64_t position) const {
    return position >= first && position < end;
  }
  /// How many items beyond a tile are loaded with it on either side: a chunk where the right items do not begin at a
  /// boundary of 16 bytes, since they are then loaded by shifted loads.
  MONOFOLD_HD int margin() const {
    constexpr int chunk_bytes = static_cast<int>(sizeof(bytes16));
    const bool is_aligned = reinterpret_cast<std::uintptr_t>(right) % chunk_bytes == 0;
    return is_aligned ? 0 : chunk_bytes / static_cast<int>(sizeof(Item));
  }
};

template <class Item>
pair_range<Item> pair_range_of(const Item* left, const Item* right, std::int64_t count) {
  const aligned_range<Item> own = aligned_range_of(left, count);
  return {own.base, right - own.first, own.first, own.end};
}

/// Loads rows from position `at`, a boundary. All of them, and the margin, must lie in the range.
template <int rows, class Item>
MONOFOLD_GPU void load_rows(pair_bytes (&raw)[rows], const pair_range<Item>& range, std::int64_t at,
                            int lane) {
  bytes16 left[rows];
  bytes16 right[rows];
  load_aligned_rows(left, reinterpret_cast<const char*>(range.base + at), lane);
  const char* const from = reinterpret_cast<const char*>(range.right + at);
  const int past = bytes_past_16(from);
  if (past == 0) {
    load_aligned_rows(right, from, lane);
  } else {
    load_shifted_rows(right, from, past, lane);
  }
  MONOFOLD_UNROLL
  for (int r = 0; r < rows; ++r) raw[r] = {left[r], right[r]};
}

/// Loads rows that may lie outside the range in part, item by item; `outside` stands for items that are not in it.
template <int rows, class Item>
MONOFOLD_GPU void load_ragged_rows(pair_bytes (&raw)[rows], const pair_range<Item>& range,
                                   std::int64_t at, int lane, const pair_bytes& outside) {
  constexpr int chunk_items = static_cast<int>(sizeof(bytes16) / sizeof(Item));
  MONOFOLD_UNROLL
  for (int r = 0; r < rows; ++r) {
    raw[r] = outside;
    const std::int64_t from = at + (r * warp_lanes + lane) * chunk_items;
    MONOFOLD_UNROLL
    for (int v = 0; v < chunk_items; ++v) {
      if (!range.holds(from + v)) continue;
      set_item(raw[r].left, v, range.base[from + v]);
      set_item(raw[r].right, v, range.right[from + v]);
    }
  }
}

}  // namespace monofold::detail
