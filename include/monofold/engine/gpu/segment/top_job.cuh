#pragma once
/// engine/gpu/segment/top_job: what kernels have to do that find the k best items of each row.

#include <cstdint>

#include "monofold/engine/gpu/load.cuh"
#include "monofold/engine/gpu/segment/job.cuh"
#include "monofold/engine/gpu/segment/top_keys.cuh"
#include "monofold/engine/gpu/segment/top_list.cuh"
#include "monofold/engine/gpu/segment/warp_top.cuh"
#include "monofold/engine/gpu/segment/work_list.cuh"
#include "monofold/fold/word_order.hpp"
#include "monofold/level/lanes.cuh"
#include "monofold/level/thread.cuh"
#include "monofold/plan/tiles.hpp"
#include "monofold/platform/host_device.hpp"
#include "monofold/platform/status.hpp"

namespace monofold::detail {

/// Where answers go, k for each row, row after row; null where they are not asked for. `failed` gets the complement of
/// the lowest row without an answer and, in its lowest 4 bits, that of the status; null: the list reports rows that
/// are too short.
template <class Word>
struct top_row_places {
  Word* values;
  std::int64_t* indices;
  unsigned long long* failed;
};

/// The k best items of each segment of a range. `from_view`: indices count from the range's first item.
template <class Word, class Segments>
struct top_job {
  using word = Word;
  using keys = top_keys<Word>;
  using key = typename keys::key;
  using rank = typename keys::rank;
  static constexpr int tile_items = tile_items_v<Word>;

  std::int32_t bytes;  // of this, as the host lays it out
  std::int32_t k;
  std::int32_t short_tiles;  // a warp takes rows of up to so many; 0: none
  bool from_view;
  const Word* items;
  std::int64_t size;
  word_order<Word> order;
  top_row_places<Word> out;
  Segments segments;

  MONOFOLD_GPU segment_ends ends_of(std::int64_t segment) const {
    return {static_cast<std::int64_t>(segments.begin(segment)),
            static_cast<std::int64_t>(segments.end(segment))};
  }
  MONOFOLD_GPU bool is_good(const segment_ends& ends) const {
    if constexpr (lists_rows<Segments>) {
      if (segments.are_rows()) return true;
    }
    return ends.begin >= 0 && ends.end >= ends.begin && ends.end <= size;
  }
  /// Items [first, first + count) of a segment.
  MONOFOLD_GPU strided_range<Word> part(const segment_ends& ends, std::int64_t first,
                                        std::int64_t count) const {
    if constexpr (lists_rows<Segments>) {
      const std::int64_t stride = segments.item_stride();
      if (stride != 1) return {{items + ends.begin + first * stride, 0, count}, stride};
    }
    return {aligned_range_of(items + ends.begin + first, count), 1};
  }
  MONOFOLD_GPU static std::int64_t tiles_of(const segment_ends& ends) {
    return (ends.count() + tile_items - 1) / tile_items;
  }
  /// Whether the items of a segment have to be read: if it has k of them; or, where a NaN is an error, if it has any.
  MONOFOLD_GPU bool is_wanted(const segment_ends& ends) const {
    return ends.count() >= (order.place == nan_place::first ? 1 : k);
  }
  /// Whether one warp finds the k best items by itself.
  MONOFOLD_GPU bool is_short(const segment_ends& ends) const {
    return ends.count() <= std::int64_t{short_tiles} * tile_items;
  }

  /// The number of a segment in the result.
  MONOFOLD_GPU std::int64_t number_of(std::int64_t segment) const {
    if constexpr (lists_rows<Segments>) return segments.number(segment);
    return segment;
  }
  MONOFOLD_GPU void put(std::int64_t number, int place, rank own, std::int64_t index) const {
    if (out.values != nullptr) out.values[number * k + place] = order.word_of(own);
    if (out.indices != nullptr) out.indices[number * k + place] = index;
  }
  MONOFOLD_GPU void fail(const work_list& list, std::int64_t number, status code) const {
    if (out.failed == nullptr) return list.report_empty(number);
    atomicMax(out.failed, ~(static_cast<unsigned long long>(number) << 4 |
                            static_cast<unsigned long long>(code)));
  }
  /// The status of a segment whose best key is `first` and whose k-th best is `last`.
  MONOFOLD_GPU status code_of(key first, key last) const {
    if (order.place == nan_place::first && order.is_nan_rank(keys::rank_of(first))) {
      return status::nan_found;
    }
    return last == 0 ? status::empty_input : status::ok;
  }

  /// Stores what a warp has found and sorted. `index_of` maps the index in a key to that of the item.
  ///
  /// sync       all lanes of the warp
  template <class IndexOf>
  MONOFOLD_GPU void store(const work_list& list, const warp_top<Word>& found, std::int64_t segment,
                          const IndexOf& index_of) const {
    const std::int64_t number = number_of(segment);
    const bool are_enough = found.count() >= k;
    const status code = code_of(found.at(0), are_enough ? found.at(k - 1) : key{0});
    if (code != status::ok) {
      if (lane_rank() == 0) fail(list, number, code);
      return;
    }
    MONOFOLD_ROLL
    for (int place = lane_rank(); place < k; place += warp_lanes) {
      const key own = found.at(place);
      put(number, place, keys::rank_of(own), index_of(keys::index_of(own)));
    }
  }
};

}  // namespace monofold::detail
