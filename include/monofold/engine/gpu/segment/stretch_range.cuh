#pragma once
/// engine/gpu/segment/stretch_range: rows that are several stretches of memory, as kernels for exact sums load them.
///
/// A row of an array of which two axes are reduced that memory does not walk as one:
///
///     |>>>>>>>|         gap         |>>>>>>>|         gap         |>>>>>>>|
///      stretch                       stretch

#include <cstdint>
#include <type_traits>

#include "monofold/engine/gpu/load.cuh"
#include "monofold/level/thread.cuh"
#include "monofold/platform/host_device.hpp"
#include "monofold/platform/quotient.hpp"
#include "monofold/shape/axes.hpp"

namespace monofold::detail {

/// The stretches of a row, in words of which each has a number of them.
struct row_stretches {
  std::int32_t word_bytes = 0;  // 0: one stretch, wherever it begins
  short_divisor words;          // of a stretch
  std::int64_t gap = 0;         // words from the end of a stretch to the next one

  /// Where a word lies, from the row's first one.
  MONOFOLD_HD std::int64_t offset_of(std::uint32_t word) const {
    return word + words.quotient_of(word) * gap;
  }

  /// Those of the rows of an array; `word_bytes` is 0 where kernels cannot read them so: the innermost reduced axis has
  /// gaps, or there are more than two, or several kept ones; stretches are no whole words of at least 4 bytes; or a row
  /// has 2^31 words.
  static row_stretches of(const array_rows& rows, const void* first, int item_bytes) {
    if (rows.num_reduced != 2 || rows.reduced[1].stride != 1) return {};
    const axis_step& kept = rows.inner();
    if (rows.num_kept > 1 || kept.number != (rows.num_kept == 0 ? 0 : 1) || kept.stride < 0) {
      return {};
    }
    const axis_step& outer = rows.reduced[0];
    const std::int64_t items = rows.reduced[1].extent;
    const auto places = reinterpret_cast<std::uintptr_t>(first) |
                        static_cast<std::uintptr_t>(items * item_bytes) |
                        static_cast<std::uintptr_t>(outer.stride * item_bytes) |
                        static_cast<std::uintptr_t>(kept.stride * item_bytes);
    const int bytes = places % 16 == 0 ? 16 : item_bytes == 8 ? 8 : 4;
    if (places % static_cast<unsigned>(bytes) != 0) return {};
    if (rows.row_items > (std::int64_t{1} << 31) / item_bytes * bytes - bytes) return {};
    const std::int64_t words = items * item_bytes / bytes;
    return {bytes, short_divisor::of(words), outer.stride * item_bytes / bytes - words};
  }
};

/// Items of a row by positions, which count from a boundary as those of an `aligned_range` do, or, where there are
/// several stretches, from the first item.
template <class Item>
struct stretch_range : aligned_range<Item> {
  row_stretches stretches;

  /// Of several stretches no tile is whole.
  MONOFOLD_HD std::int64_t margin() const { return stretches.word_bytes == 0 ? 0 : this->end; }
};

template <class Item>
MONOFOLD_HD stretch_range<Item> stretch_range_of(const Item* first, std::int64_t count,
                                                 const row_stretches& stretches) {
  if (stretches.word_bytes == 0) return {aligned_range_of(first, count), {}};
  return {{first, 0, count}, stretches};
}

/// Loads rows of 32 chunks, neighbouring words by neighbouring lanes. A chunk has words from all over a row of chunks.
template <class Word, int rows, class Item>
MONOFOLD_GPU void load_stretches(bytes16 (&raw)[rows], const stretch_range<Item>& range,
                                 std::int64_t at, int lane, const bytes16& outside) {
  constexpr int words = static_cast<int>(sizeof(bytes16) / sizeof(Word));
  constexpr int item_bytes = static_cast<int>(sizeof(Item));
  constexpr int word_bytes = static_cast<int>(sizeof(Word));
  const auto* const base = reinterpret_cast<const Word*>(range.base);
  const auto first = static_cast<std::uint32_t>(at * item_bytes / word_bytes) + lane;
  const auto end = static_cast<std::uint32_t>(range.end * item_bytes / word_bytes);
  MONOFOLD_UNROLL
  for (int r = 0; r < rows; ++r) {
    raw[r] = outside;
    MONOFOLD_UNROLL
    for (int w = 0; w < words; ++w) {
      const std::uint32_t word = first + (r * words + w) * warp_lanes;
      if (word >= end) continue;
      const Word* const place = base + range.stretches.offset_of(word);
      if constexpr (words == 1) {
        raw[r] = load_16(place);
      } else {
        const Word own = *place;
        std::memcpy(raw[r].word + w * word_bytes / 4, &own, sizeof(own));
      }
    }
  }
}

/// See `load_ragged_rows` of an aligned_range. Each item of a tile comes once, in any place of it.
template <int rows, class Item>
MONOFOLD_GPU void load_ragged_rows(bytes16 (&raw)[rows], const stretch_range<Item>& range,
                                   std::int64_t at, int lane, const bytes16& outside) {
  using word = std::conditional_t<sizeof(Item) == 8, std::uint64_t, std::uint32_t>;
  if (range.stretches.word_bytes == 0) {
    load_ragged_rows(raw, static_cast<const aligned_range<Item>&>(range), at, lane, outside);
  } else if (range.stretches.word_bytes == sizeof(bytes16)) {
    load_stretches<bytes16>(raw, range, at, lane, outside);
  } else {
    load_stretches<word>(raw, range, at, lane, outside);
  }
}

}  // namespace monofold::detail
