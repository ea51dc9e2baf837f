#pragma once
/// engine/gpu/segment/stretch_range: rows that are several stretches of memory, as kernels for exact sums load them.
///
/// A row of an array of which two axes are reduced that memory does not walk as one:
///
///     |>>>>>>>|         gap         |>>>>>>>|         gap         |>>>>>>>|
///      stretch                       stretch

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "monofold/engine/gpu/load.cuh"
#include "monofold/level/thread.cuh"
#include "monofold/platform/host_device.hpp"
#include "monofold/platform/quotient.hpp"
#include "monofold/shape/axes.hpp"

namespace monofold::detail {

/// The stretches of rows, in words of which each has a number of them, and where rows begin, by one step or two.
struct row_stretches {
  std::int32_t word_bytes = 0;  // 0: rows are no stretches
  short_divisor words;          // of a stretch
  std::int64_t gap = 0;         // words from the end of a stretch to the next one
  std::int64_t step = 0;        // items from a row to the next one
  std::int64_t inner = 0;       // rows to an outer step; 0: there is none
  short_divisor by_inner;
  std::int64_t outer_step = 0;

  /// Where a word lies, from the row's first one.
  MONOFOLD_HD std::int64_t offset_of(std::uint32_t word) const {
    return word + words.quotient_of(word) * gap;
  }
  /// Where a row begins, in items.
  MONOFOLD_HD std::int64_t begin(std::int64_t row) const {
    if (inner == 0) return row * step;
    const std::int64_t outer = by_inner.quotient_of(static_cast<std::uint32_t>(row));
    return outer * outer_step + (row - outer * inner) * step;
  }

  /// Those of the rows of an array, which have two reduced axes, the inner one without gaps, and come in the order of the
  /// result. `word_bytes` is 0 where there are no such, more than two kept axes, about 2^31 words or more, or, by two
  /// steps, as many rows.
  static row_stretches of(const array_rows& rows, const void* first, int item_bytes) {
    const axis_step& inner = rows.inner();
    const axis_step& around = rows.kept[0];
    if (rows.num_reduced != 2 || rows.reduced[1].stride != 1 || rows.num_kept > 2 ||
        (rows.num_kept > 0 && inner.number != 1) ||
        (rows.num_kept == 2 &&
         (around.number != inner.extent || rows.num_rows >= std::int64_t{1} << 31))) {
      return {};
    }
    const axis_step& outer = rows.reduced[0];
    const std::int64_t items = rows.reduced[1].extent;
    auto places = reinterpret_cast<std::uintptr_t>(first) |
                  static_cast<std::uintptr_t>(items * item_bytes) |
                  static_cast<std::uintptr_t>(outer.stride * item_bytes);
    for (int k = 0; k < rows.num_kept; ++k) {
      places |= static_cast<std::uintptr_t>(rows.kept[k].stride * item_bytes);
    }
    const int bytes = places % 16 == 0 ? 16 : item_bytes < 4 && places % 4 == 0 ? 4 : item_bytes;
    const std::int64_t words = items * item_bytes / bytes;
    if (rows.row_items / items >= (std::int64_t{1} << 31) / words) return {};
    row_stretches out;
    out.word_bytes = bytes;
    out.words = short_divisor::of(words);
    out.gap = outer.stride * item_bytes / bytes - words;
    out.step = inner.stride;
    if (rows.num_kept == 2) {
      out.inner = inner.extent;
      out.by_inner = short_divisor::of(inner.extent);
      out.outer_step = around.stride;
    }
    return out;
  }
};

/// Items of a row by positions, which count from a boundary as those of an `aligned_range` do; or from the first item,
/// where the row is in `stretches`.
template <class Item>
struct stretch_range : aligned_range<Item> {
  const row_stretches* stretches;  // null: it is not

  /// In stretches, no tile is whole.
  MONOFOLD_HD std::int64_t margin() const { return stretches == nullptr ? 0 : this->end; }
};

/// Loads rows of 32 chunks, neighbouring words by neighbouring lanes. A chunk has words from all over a row of chunks.
template <class Word, int rows, class Item>
MONOFOLD_GPU void load_stretches(bytes16 (&raw)[rows], const stretch_range<Item>& range,
                                 std::int64_t at, int lane, const bytes16& outside) {
  constexpr int words = static_cast<int>(sizeof(bytes16) / sizeof(Word));
  constexpr int item_bytes = static_cast<int>(sizeof(Item));
  constexpr int word_bytes = static_cast<int>(sizeof(Word));
  const row_stretches& stretches = *range.stretches;
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
      const Word* const place = base + stretches.offset_of(word);
      if constexpr (words == 1) {
        raw[r] = load_16(place);
      } else {
        const Word own = *place;
        std::memcpy(reinterpret_cast<char*>(raw[r].word) + w * word_bytes, &own, sizeof(own));
      }
    }
  }
}

/// See `load_ragged_rows` of an aligned_range. Each item of a tile comes once, in any place of it.
template <int rows, class Item>
MONOFOLD_GPU void load_ragged_rows(bytes16 (&raw)[rows], const stretch_range<Item>& range,
                                   std::int64_t at, int lane, const bytes16& outside) {
  using word = std::conditional_t<sizeof(Item) == 8, std::uint64_t, std::uint32_t>;
  if (range.stretches == nullptr) {
    load_ragged_rows(raw, static_cast<const aligned_range<Item>&>(range), at, lane, outside);
  } else if (range.stretches->word_bytes == sizeof(bytes16)) {
    load_stretches<bytes16>(raw, range, at, lane, outside);
  } else if (sizeof(Item) >= 4 || range.stretches->word_bytes == 4) {
    load_stretches<word>(raw, range, at, lane, outside);
  } else {
    load_stretches<std::uint16_t>(raw, range, at, lane, outside);
  }
}

}  // namespace monofold::detail
