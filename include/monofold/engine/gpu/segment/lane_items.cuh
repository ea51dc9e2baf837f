#pragma once
/// engine/gpu/segment/lane_items: how lanes read the items of short segments.

#include <cstdint>
#include <cstring>

#include "monofold/engine/gpu/load.cuh"
#include "monofold/engine/gpu/thread_copy.cuh"
#include "monofold/level/shuffle.cuh"
#include "monofold/level/slot_array.hpp"
#include "monofold/level/thread.cuh"
#include "monofold/plan/tiles.hpp"
#include "monofold/platform/host_device.hpp"
#include "monofold/shape/view.hpp"

namespace monofold::detail {

/// Whether a warp may copy neighbouring segments to shared memory by 16-byte loads.
template <class View>
inline constexpr bool is_stageable_v = false;
template <contiguous_item_view View>
inline constexpr bool is_stageable_v<View> = sizeof(typename View::item_type) <= 16 &&
                                             (sizeof(typename View::item_type) &
                                              (sizeof(typename View::item_type) - 1)) == 0 &&
                                             alignof(typename View::item_type) ==
                                                 sizeof(typename View::item_type);

/// The shared memory of a warp for a tile of any alignment: 257 chunks of 16 bytes, with an unused chunk behind every
/// eight, so that lanes whose chunks lie a power of two apart do not read the same banks.
template <class Item>
struct stage_shape {
  static constexpr int item_bytes = static_cast<int>(sizeof(Item));
  static constexpr int chunk_items = lane_bytes / item_bytes;
  static constexpr int line_items = 128 / item_bytes;
  static constexpr int chunks = tile_rows * tile_lanes + 1;
  static constexpr int bytes = (chunks + chunks / 8) * lane_bytes;

  MONOFOLD_GPU static int place_of_chunk(int chunk) { return (chunk + chunk / 8) * lane_bytes; }
  MONOFOLD_GPU static int place_of_item(int item) {
    const auto own = static_cast<unsigned>(item);
    return static_cast<int>(own * item_bytes + own / line_items * lane_bytes);
  }
};

/// The neighbouring items that a lane takes at once: those of a 16-byte load.
template <class Item>
using item_chunk = slot_array<Item, tile_shape<Item>::items_per_lane>;

// Where lanes read items: `chunk` gives some neighbours, `index` what a fold is told of item i, and `is_far` that
// many loads should be on their way at once.

/// The items of a segment that begins with item `first` of the warp's stage. `is_aligned`: all segments of the batch
/// begin at chunks.
template <class Item>
struct staged_items {
  static constexpr bool is_far = false;
  const char* stage;
  int first;
  bool is_aligned;

  MONOFOLD_GPU static int index(int i) { return i; }

  /// The chunk of items from i on, a multiple of a chunk's count. Places from `count` on hold any values; `is_whole`:
  /// there are no such places.
  template <bool is_whole = false>
  MONOFOLD_GPU item_chunk<Item> chunk(int i, int count) const {
    using shape = stage_shape<Item>;
    item_chunk<Item> out;
    const char* const place = stage + shape::place_of_item(first + i);
    if (is_aligned) {
      const bytes16 raw = *reinterpret_cast<const bytes16*>(place);
      std::memcpy(static_cast<void*>(out.values), &raw, sizeof(raw));
      return out;
    }
    const int before_pad =
        shape::line_items - static_cast<int>(static_cast<unsigned>(first + i) % shape::line_items);
    MONOFOLD_UNROLL
    for (int v = 0; v < shape::chunk_items; ++v) {
      const char* const own = place + v * shape::item_bytes + (v < before_pad ? 0 : lane_bytes);
      if (is_whole || i + v < count) out[v] = get(own);
    }
    return out;
  }

 private:
  MONOFOLD_GPU static Item get(const char* place) {
#if defined(__CUDA_ARCH__)
    return *reinterpret_cast<const Item*>(place);
#else
    slot_array<Item, 1> out;
    std::memcpy(static_cast<void*>(out.values), place, sizeof(Item));
    return out[0];
#endif
  }
};

/// The items of a segment that begins with item `first` of a view.
template <class View>
struct view_items {
  using item = typename View::item_type;
  static constexpr bool is_far = false;
  const View& view;
  std::int64_t first;

  MONOFOLD_GPU static int index(int i) { return i; }

  template <bool is_whole = false>
  MONOFOLD_GPU item_chunk<item> chunk(int i, int count) const {
    item_chunk<item> out;
    MONOFOLD_UNROLL
    for (int v = 0; v < tile_shape<item>::items_per_lane; ++v) {
      if (is_whole || i + v < count) out[v] = view[first + i + v];
    }
    return out;
  }
};

/// Copies items [from, end) of a view of `size` items to the stage of a warp. Returns the position in the view of the
/// stage's first item: that is up to 15 bytes before `from`, and may be before the view.
///
/// shape      the items fit `chunks` chunks; no byte outside the view is read
/// sync       all lanes of the warp, with barriers before and behind
template <class View>
MONOFOLD_GPU std::int64_t stage_items(const View& view, std::int64_t size, std::int64_t from,
                                      std::int64_t end, char* stage) {
  using item = typename View::item_type;
  using shape = stage_shape<item>;
  const auto* const begin = reinterpret_cast<const char*>(view.data());
  const char* const limit = begin + size * shape::item_bytes;
  const int past = bytes_past_16(begin + from * shape::item_bytes);
  const char* const low = begin + from * shape::item_bytes - past;
  const int chunks = (static_cast<int>(end - from) * shape::item_bytes + past + 15) / lane_bytes;
  const int lane = lane_rank();
  const auto is_inside = [&](int c) {
    return c < chunks && low + c * lane_bytes >= begin && low + (c + 1) * lane_bytes <= limit;
  };
  sync_warp();  // what was staged before has been read
  MONOFOLD_UNROLL
  for (int r = 0; r < tile_rows; ++r) {
    const int c = r * warp_lanes + lane;
    if (!is_inside(c)) continue;
    start_copy(reinterpret_cast<bytes16*>(stage + shape::place_of_chunk(c)),
               reinterpret_cast<const bytes16*>(low + c * lane_bytes));
  }
  // A chunk that is partly outside the view, or the 257th: an item a lane.
  const auto stage_by_items = [&](int c) {
    const char* const from_item = low + c * lane_bytes + lane * shape::item_bytes;
    if (lane >= shape::chunk_items || from_item < begin || from_item >= limit) return;
    *reinterpret_cast<item*>(stage + shape::place_of_chunk(c) + lane * shape::item_bytes) =
        *reinterpret_cast<const item*>(from_item);
  };
  const int last = chunks - 1;
  if (low < begin) stage_by_items(0);
  if (last == shape::chunks - 1 ||
      (low + chunks * lane_bytes > limit && (last > 0 || low >= begin)))
    stage_by_items(last);
  wait_for_copies();
  sync_warp();  // what lanes wrote above others read
  return from - past / shape::item_bytes;
}

}  // namespace monofold::detail
