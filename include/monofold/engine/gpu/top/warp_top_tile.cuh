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

/// A range of items, and how their positions become parts of scores.
template <class Item>
struct top_range : aligned_range<Item> {
  int index_shift;  // see `score_of`

  MONOFOLD_GPU bool is_kept() const {
    return is_partly_kept((this->end - this->first) * static_cast<std::int64_t>(sizeof(Item)));
  }
};

/// A tile in the registers of a warp, with the layout of `warp_tile`.
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

  /// Loads the tile at position `at`. Some item of the range stands for what lies outside it.
  MONOFOLD_GPU void load(const top_range<Item>& range, std::int64_t at) {
    if (!is_inside(range, at)) {
      load_ragged_rows(raw_, range, at, lane_rank(), outside());
    } else {
      load_inside(range, at);
    }
  }
  /// Loads a tile that `is_inside`.
  MONOFOLD_GPU void load_inside(const top_range<Item>& range, std::int64_t at) {
    const auto* const bytes = reinterpret_cast<const char*>(range.base + at);
    if (range.is_kept()) {
      load_aligned_rows<tile_rows, true>(raw_, bytes, lane_rank());
    } else {
      load_aligned_rows(raw_, bytes, lane_rank());
    }
  }

  /// The best rank among the lane's items.
  MONOFOLD_GPU typename ranks::type best() const {
    return ranks::of_key(quick_best_in_lane<typename ranks::extremum_type, 1>(*this));
  }

  /// A word for a lane's best item, of rank `rank`: the larger, the better. Below short ranks it has bits of the
  /// tile's number, since many items have the same rank. 0 stands for no item, or for one that may not count.
  MONOFOLD_GPU static std::uint32_t word_of(typename ranks::type rank, std::int64_t tile_rank) {
    if constexpr (sizeof(Item) > 2)
      return static_cast<std::uint32_t>(rank >> (8 * sizeof(rank) - 32));
    if (rank == 0) return 0;
    return rank << 16 |
           (0xffff - (tile_rank < 0xffff ? static_cast<std::uint32_t>(tile_rank) : 0xffff));
  }
  /// The bound that items with at least this word pass.
  MONOFOLD_GPU static top_bound bound_of(std::uint32_t word, int shift) {
    if constexpr (sizeof(Item) > 2) return {std::uint64_t{word} << 32};
    const std::uint32_t tile_rank = 0xffff - (word & 0xffff);
    if (word == 0 || tile_rank == 0xffff) return {std::uint64_t{word >> 16} << 32};
    const std::int64_t last = (std::int64_t{tile_rank} + 1) * tile_items - 1;
    return {score_of(static_cast<typename ranks::type>(word >> 16), last, shift), last};
  }

  /// Whether an item of this rank counts: under `omit`, NaN do not.
  MONOFOLD_GPU static bool counts(typename ranks::type rank) {
    return rule != nan_rule::omit || !ranks::has_nan || rank != 0;
  }

  /// Whether an item of this rank, at position `at` or behind, may be a candidate.
  MONOFOLD_GPU static bool may_pass(const top_bound& bound, typename ranks::type rank,
                                    std::int64_t at, int shift) {
    return counts(rank) && bound.passes(score_of(rank, at, shift), at);
  }

  /// An entry that is at most as good as the lane's best item, of rank `rank`. None for rank 0, whose item may lie
  /// outside the range.
  MONOFOLD_GPU static top_entry best_entry(const top_range<Item>& range, std::int64_t at,
                                           typename ranks::type rank) {
    if (rank == 0) return {};
    const std::int64_t end = at + tile_items < range.end ? at + tile_items : range.end;
    return {score_of(rank, end - 1, range.index_shift), end - 1};
  }

  static constexpr std::uint32_t all_rows = (1u << tile_rows) - 1;

  /// In which rows the lane has items of at least this rank, as bits.
  MONOFOLD_GPU std::uint32_t rows_with(typename ranks::type wanted) const {
    std::uint32_t found = 0;
    const auto look = [&](int r, const tile_row& row) {
      const auto rank = ranks::of_key(best_in_lane<typename ranks::extremum_type>(row));
      if (rank >= wanted) found |= 1u << r;
    };
    if constexpr (chunk_items <= 8) {
      MONOFOLD_UNROLL
      for (int r = 0; r < tile_rows; ++r) {
        // Loaded rows stay as they are: what `best` made of them would need memory until here.
        look(r, tile_row{looked_at_again(raw_[r])});
      }
    } else {
      MONOFOLD_ROLL
      for (int r = 0; r < tile_rows; ++r) look(r, tile_row{row_at(r)});
    }
    return found;
  }

  /// Adds to the pool the items that pass, of rows `rows` of the tile at `at`. Returns the rows for which there was no
  /// room, of which nothing was added.
  ///
  /// sync       all lanes of the warp
  MONOFOLD_GPU std::uint32_t collect(const top_range<Item>& range, std::int64_t at,
                                     std::uint32_t rows, const top_bound& bound,
                                     candidate_pool& pool) const {
    const std::int64_t own = at + lane_rank() * chunk_items;
    const bool is_whole = is_inside(range, at);
    std::uint32_t left = 0;
    MONOFOLD_ROLL
    for (; any_lane(rows != 0); rows &= rows - 1) {  // together, see mailbox::wait
      if (rows == 0) continue;
      const int row = lowest_lane(rows);
      const bytes16 chunk = row_at(row);
      const std::int64_t first = own + row * row_items;
      std::uint32_t chosen = 0;
      for_each_item([&](int v) {
        const bool is_one =
            may_pass(bound, ranks::of(item_of(chunk, v)), first + v, range.index_shift) &&
            (is_whole || range.holds(first + v));
        chosen |= is_one ? 1u << v : 0u;
      });
      if (chosen == 0) continue;
      std::uint32_t place = pool.take_places(static_cast<std::uint32_t>(count_bits(chosen)));
      if (place == candidate_pool::no_place) {
        left |= 1u << row;
        continue;
      }
      for_each_item([&](int v) {
        if ((chosen >> v & 1u) == 0) return;
        const auto rank = ranks::of(item_of(chunk, v));
        pool.put(place++, {score_of(rank, first + v, range.index_shift), first + v});
      });
    }
    return left;
  }

  /// The same for a tile that is loaded once more: in registers it would take the place of other loads.
  MONOFOLD_GPU_CALL static std::uint32_t collect_again(top_range<Item> range, std::int64_t at,
                                                       std::uint32_t rows, top_bound bound,
                                                       candidate_pool& pool) {
    top_tile tile;
    tile.load(range, at);
    if (rows != 0) rows &= tile.rows_with(rank_of_score<typename ranks::type>(bound.score));
    return tile.collect(range, at, rows, bound, pool);
  }

 private:
  /// Calls see(v) for each item v of a chunk, in a loop where they are many.
  template <class See>
  MONOFOLD_GPU static void for_each_item(const See& see) {
    if constexpr (chunk_items <= 4) {
      MONOFOLD_UNROLL
      for (int v = 0; v < chunk_items; ++v) see(v);
    } else {
      MONOFOLD_ROLL
      for (int v = 0; v < chunk_items; ++v) see(v);
    }
  }

  /// One row of a tile, to be treated as a tile.
  struct tile_row {
    using item = Item;
    static constexpr int rows = 1;
    bytes16 bytes;
    MONOFOLD_GPU const bytes16& raw(int) const { return bytes; }
    template <bool striped>
    MONOFOLD_GPU slot_array<Item, chunk_items> get(int) const {
      return items_of(bytes);
    }
  };

  /// The chunk in row `row`. It is found by selections: an index that is no constant would put the tile into memory.
  MONOFOLD_GPU bytes16 row_at(int row) const {
    bytes16 out = raw_[0];
    MONOFOLD_UNROLL
    for (int r = 1; r < tile_rows; ++r) {
      MONOFOLD_UNROLL
      for (int w = 0; w < 4; ++w) out.word[w] = r == row ? raw_[r].word[w] : out.word[w];
    }
    return out;
  }

  MONOFOLD_GPU static slot_array<Item, chunk_items> items_of(const bytes16& bytes) {
    slot_array<Item, chunk_items> out;
    std::memcpy(static_cast<void*>(out.values), &bytes, sizeof(bytes));
    return out;
  }

  /// Returns `bytes`, in a way that hides from compilers that they are the same.
  MONOFOLD_GPU static bytes16 looked_at_again(bytes16 bytes) {
#if defined(__CUDA_ARCH__)
    asm volatile(""
                 : "+r"(bytes.word[0]), "+r"(bytes.word[1]), "+r"(bytes.word[2]),
                   "+r"(bytes.word[3]));
#endif
    return bytes;
  }

  /// Item `v` of a chunk. It is found by selections: an index that is no constant would put the chunk into memory.
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

  MONOFOLD_GPU static bytes16 outside() { return repeated(ranks::item_of(0)); }

  bytes16 raw_[tile_rows];
};

}  // namespace monofold::detail
