#pragma once
/// engine/gpu/top/warp_top_tile: how a warp loads a tile, and picks out of it the candidates for the k best.

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "monofold/engine/gpu/lane_best.cuh"
#include "monofold/engine/gpu/load.cuh"
#include "monofold/engine/gpu/top/warp_candidates.cuh"
#include "monofold/fold/nan.hpp"
#include "monofold/fold/top_rank.hpp"
#include "monofold/level/shuffle.cuh"
#include "monofold/level/slot_array.hpp"
#include "monofold/plan/tiles.hpp"
#include "monofold/platform/host_device.hpp"

namespace monofold::detail {

/// A range of positions, and how they become parts of scores.
template <class Item>
struct top_range : aligned_range<Item> {
  int index_shift;  // see `score_of`
};

/// A tile in the registers of a warp, as `warp_tile` has it.
template <class Item, bool smallest, nan_rule rule>
class top_tile {
 public:
  using item = Item;
  using ranks = top_rank<Item, smallest>;
  static constexpr int rows = tile_rows;
  static constexpr int chunk_items = tile_shape<Item>::items_per_lane;
  static constexpr int row_items = tile_shape<Item>::row_items;
  static constexpr int tile_items = tile_shape<Item>::items;
  static_assert(sizeof(Item) * chunk_items == sizeof(bytes16));

  MONOFOLD_GPU const bytes16& raw(int r) const { return raw_[r]; }
  template <bool striped>
  MONOFOLD_GPU slot_array<Item, chunk_items> get(int r) const {
    static_assert(striped);
    return items_of(raw_[r]);
  }

  MONOFOLD_GPU static bool is_inside(const top_range<Item>& range, std::int64_t at) {
    return at >= range.first && at + tile_items <= range.end;
  }

  /// Loads the tile at position `at`; what lies outside the range becomes some item.
  MONOFOLD_GPU void load(const top_range<Item>& range, std::int64_t at) {
    if (is_inside(range, at)) {
      load_aligned_rows(raw_, reinterpret_cast<const char*>(range.base + at), lane_rank());
    } else {
      load_ragged_rows(raw_, range, at, lane_rank(), outside());
    }
  }

  /// The best rank among the lane's items.
  MONOFOLD_GPU typename ranks::type best() const {
    return ranks::of_key(best_in_lane<typename ranks::extremum_type>(*this));
  }

  /// Whether an item of the tile at `at`, of the lane's best rank, may be a candidate.
  MONOFOLD_GPU static bool may_pass(const top_bound& bound, typename ranks::type rank,
                                    std::int64_t at, int shift) {
    if constexpr (rule == nan_rule::omit && ranks::has_nan) {
      if (rank == 0) return false;
    }
    return bound.passes(score_of(rank, at, shift), at);
  }

  /// An entry that an item of the lane, of its best rank, is at least as good as. None for the first and
  /// the last tile, where that may lie outside the range.
  MONOFOLD_GPU static top_entry best_entry(const top_range<Item>& range, std::int64_t at,
                                           typename ranks::type rank, bool wanted) {
    if (!wanted || !is_inside(range, at)) return {};
    const std::int64_t last = at + tile_items - 1;
    return {score_of(rank, last, range.index_shift), last};
  }

  /// The rows in which a lane has candidates, as bits.
  MONOFOLD_GPU std::uint32_t rows_with_candidates(const top_bound& bound, std::int64_t at,
                                                  int shift) const {
    using extremum_type = typename ranks::extremum_type;
    constexpr std::uint32_t all_rows = (1u << tile_rows) - 1;
    // Of 128 bytes a lane the bests of rows take more registers than there are; ties make candidates rare.
    if constexpr (chunk_items > 8) return all_rows;
    std::uint32_t rows = 0;
    MONOFOLD_UNROLL
    for (int r = 0; r < tile_rows; ++r) {
      // Loaded rows stay as they are: what `best` made of them would need memory until here.
      const auto items = items_of(looked_at_again(raw_[r]));
      const auto best = best_of<extremum_type>(extremum_type::key_of(items[0]), items);
      if (any_lane(may_pass(bound, ranks::of_key(best), at, shift))) rows |= 1u << r;
    }
    return rows;
  }

  /// Adds the items that pass, of the rows `rows` of the tile at `at`, to the pool. The rows for which
  /// there was no room, from the first such on; nothing of them was added.
  ///
  /// The rows come from memory once more: few have candidates, and registers that keep them all would be in
  /// the way of other loads.
  ///
  /// sync       all lanes of the warp
  MONOFOLD_GPU static std::uint32_t collect(const top_range<Item>& range, std::int64_t at,
                                            std::uint32_t rows, const top_bound& bound,
                                            candidate_pool& pool) {
    std::int64_t first = at + lane_rank() * chunk_items;
    MONOFOLD_ROLL
    for (std::uint32_t row = 1; row <= rows; row *= 2, first += row_items) {
      if ((rows & row) == 0) continue;
      const bytes16 chunk = chunk_at(range, first);
      std::uint32_t chosen = 0;
      int wanted = 0;
      MONOFOLD_ROLL
      for (int v = 0; v < chunk_items; ++v) {
        const std::int64_t position = first + v;
        const bool passes =
            may_pass(bound, ranks::of(item_of(chunk, v)), position, range.index_shift) &&
            range.holds(position);
        chosen |= passes ? 1u << v : 0u;
        wanted += passes ? 1 : 0;
      }
      if (!any_lane(wanted != 0)) continue;
      std::uint32_t place = pool.take_places(wanted);
      if (place == candidate_pool::no_place) return rows & ~(row - 1);
      MONOFOLD_ROLL
      for (int v = 0; chosen != 0; ++v, chosen >>= 1) {
        if ((chosen & 1u) == 0) continue;
        const auto rank = ranks::of(item_of(chunk, v));
        pool.put(place++, {score_of(rank, first + v, range.index_shift), first + v});
      }
    }
    return 0;
  }

 private:
  MONOFOLD_GPU static slot_array<Item, chunk_items> items_of(const bytes16& bytes) {
    slot_array<Item, chunk_items> out;
    std::memcpy(static_cast<void*>(out.values), &bytes, sizeof(bytes));
    return out;
  }

  /// The same bytes, of which compilers cannot know that.
  MONOFOLD_GPU static bytes16 looked_at_again(bytes16 bytes) {
#if defined(__CUDA_ARCH__)
    asm volatile(""
                 : "+r"(bytes.word[0]), "+r"(bytes.word[1]), "+r"(bytes.word[2]),
                   "+r"(bytes.word[3]));
#endif
    return bytes;
  }

  /// Item `v` of a chunk, by selections: an index that is not a constant would move it to memory.
  MONOFOLD_GPU static Item item_of(const bytes16& chunk, int v) {
    constexpr int words = sizeof(Item) == 8 ? 2 : 1;
    const int first = v * static_cast<int>(sizeof(Item)) / 4;
    std::uint32_t own[words];
    MONOFOLD_UNROLL
    for (int i = 0; i < words; ++i) {
      own[i] = chunk.word[i];
      MONOFOLD_UNROLL
      for (int w = words; w + i < 4; w += words) own[i] = w == first ? chunk.word[w + i] : own[i];
    }
    own[0] >>= v * static_cast<int>(sizeof(Item)) % 4 * 8;
    Item out;
    std::memcpy(&out, own, sizeof(Item));  // little-endian, as every device is
    return out;
  }

  /// The 16 bytes at a boundary.
  MONOFOLD_GPU static bytes16 chunk_at(const top_range<Item>& range, std::int64_t from) {
    if (is_chunk_inside(range, from)) return load_16(range.base + from);
    return part_of_chunk(range, from, outside());
  }

  MONOFOLD_GPU static bytes16 outside() { return repeated(ranks::item_of(0)); }

  bytes16 raw_[tile_rows];
};

}  // namespace monofold::detail
