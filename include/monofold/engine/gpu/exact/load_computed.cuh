#pragma once
/// engine/gpu/exact/load_computed: rows of items that a view computes from their indices.

#include <cstdint>

#include "monofold/engine/gpu/exact/load_pairs.cuh"
#include "monofold/engine/gpu/load.cuh"
#include "monofold/fold/dot.hpp"
#include "monofold/level/shuffle.cuh"
#include "monofold/platform/host_device.hpp"

namespace monofold::detail {

/// How many items a chunk has: 16 bytes of them; of pairs, 16 bytes of their left items.
template <class Item>
inline constexpr int computed_chunk_items = static_cast<int>(sizeof(bytes16) / sizeof(Item));
template <class Left, class Right>
inline constexpr int computed_chunk_items<item_pair<Left, Right>> = computed_chunk_items<Left>;

template <class Item>
MONOFOLD_GPU void set_item(pair_bytes& chunk, int v, const item_pair<Item, Item>& item) {
  set_item(chunk.left, v, item.left);
  set_item(chunk.right, v, item.right);
}

/// The items of a view as a range from which rows are loaded, for sums that take items in any order.
template <class View>
struct computed_range {
  using item = typename View::item_type;
  static constexpr std::int64_t first = 0;
  View view;
  std::int64_t end;

  MONOFOLD_HD int margin() const { return 0; }

  /// Computes the rows from position `at` on; beyond the end they have `outside`. Neighbouring items go to
  /// neighbouring lanes, so that a view that reads memory reads whole lines.
  MONOFOLD_CALLS_USER
  template <bool all_inside, int rows, class Chunk>
  MONOFOLD_GPU void load(Chunk (&raw)[rows], std::int64_t at, int lane,
                         const Chunk& outside) const {
    constexpr int chunk_items = computed_chunk_items<item>;
    MONOFOLD_UNROLL
    for (int r = 0; r < rows; ++r) {
      raw[r] = outside;
      MONOFOLD_UNROLL
      for (int v = 0; v < chunk_items; ++v) {
        const std::int64_t i = at + (r * chunk_items + v) * warp_lanes + lane;
        if (!all_inside && i >= end) continue;
        const item x = view[i];
        set_item(raw[r], v, x);
      }
    }
  }
};

template <int rows, class Chunk, class View>
MONOFOLD_GPU void load_rows(Chunk (&raw)[rows], const computed_range<View>& range, std::int64_t at,
                            int lane) {
  range.template load<true>(raw, at, lane, Chunk{});
}

template <int rows, class Chunk, class View>
MONOFOLD_GPU void load_ragged_rows(Chunk (&raw)[rows], const computed_range<View>& range,
                                   std::int64_t at, int lane, const Chunk& outside) {
  range.template load<false>(raw, at, lane, outside);
}

}  // namespace monofold::detail
