#pragma once
/// engine/gpu/tree/warp_tile: how a warp loads a tile of the plan.

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "monofold/engine/gpu/load.cuh"
#include "monofold/fold/fold.hpp"
#include "monofold/level/shuffle.cuh"
#include "monofold/level/slot_array.hpp"
#include "monofold/level/thread.cuh"
#include "monofold/plan/tiles.hpp"
#include "monofold/shape/view.hpp"

namespace monofold::detail {

/// Where a tile lies: `count` items from position `at` of a view of `size` items.
struct tile_place {
  std::int64_t at;
  std::int64_t size;
  int count;
};

/// How much shared memory a warp needs to exchange rows of a tile for runs of neighbouring items.
inline constexpr int staging_bytes = tile_rows * tile_lanes * lane_bytes;

/// A tile in the registers of a warp.
///
/// A lane's *chunk* is items_per_lane neighbouring items. In striped folds, chunk r of a lane is in row r of the tile;
/// in ordered folds, chunk k of a lane is in its run of neighbours, which the warp makes in shared memory. Chunks of
/// 16 bytes are held in registers. Others (of items of more than 16 bytes, or of 3, 5, 6, 7, 9.. bytes) are read from
/// the view when they are folded.
///
/// shape      the view must live longer than this
template <class View>
class warp_tile {
 public:
  using view_type = View;
  using item = typename View::item_type;
  static_assert(std::is_trivially_copyable_v<item>, "items on a device must be trivially copyable");
  static constexpr int rows = tile_rows;
  static constexpr int chunk_items = tile_shape<item>::items_per_lane;
  static constexpr int row_items = tile_shape<item>::row_items;
  static constexpr int tile_items = tile_shape<item>::items;
  static constexpr int run_items = tile_items / tile_lanes;
  static constexpr bool held = sizeof(item) * chunk_items == sizeof(bytes16);
  using chunk = slot_array<item, chunk_items>;

  MONOFOLD_GPU warp_tile(const View& view, const tile_place& place)
      : view_(&view), place_(place), lane_(lane_rank()) {}

  MONOFOLD_GPU int count() const { return place_.count; }
  MONOFOLD_GPU int lane() const { return lane_; }
  MONOFOLD_GPU const View& view() const { return *view_; }
  MONOFOLD_GPU const tile_place& place() const { return place_; }
  MONOFOLD_GPU std::int64_t index_of(int offset) const { return place_.at + offset; }

  /// How many whole tiles of a view, from its first on, can be loaded by aligned 16-byte loads: all whole tiles or
  /// none. Tiles of items that are computed count as such.
  MONOFOLD_GPU static std::int64_t aligned_tiles(const View& view, std::int64_t size) {
    if constexpr (held && contiguous_item_view<View>) {
      if (bytes_past_16(view.data()) != 0) return 0;
    }
    return size / tile_items;
  }

  /// Whether all chunks of a tile can be loaded by aligned 16-byte loads.
  MONOFOLD_GPU static bool is_aligned(const View& view, const tile_place& place) {
    if (place.count < tile_items) return false;
    if constexpr (held && contiguous_item_view<View>) return bytes_past_16(view.data()) == 0;
    return true;
  }

  /// Whether all chunks of a tile can be loaded by 16-byte loads that stay inside the view.
  MONOFOLD_GPU static bool is_whole(const View& view, const tile_place& place) {
    if (is_aligned(view, place)) return true;
    // Shifted loads reach into the chunks around the tile.
    const std::int64_t behind = place.size - place.at - tile_items;
    return place.at * static_cast<int>(sizeof(item)) >= lane_bytes &&
           behind * static_cast<int>(sizeof(item)) >= lane_bytes;
  }

  /// Loads a tile that `is_aligned`. `is_kept`: by loads for arrays that are partly kept in the second-level cache.
  template <bool is_kept = false>
  MONOFOLD_GPU void load_aligned() {
    if constexpr (held && contiguous_item_view<View>) {
      const auto* const bytes = reinterpret_cast<const char*>(view_->data() + place_.at);
      load_aligned_rows<tile_rows, is_kept>(raw_, bytes, lane_);
    } else if constexpr (held) {
      MONOFOLD_UNROLL
      for (int r = 0; r < tile_rows; ++r) raw_[r] = packed(r);
    }
  }

  /// Loads the first `count` items of a tile that begins at a 16-byte boundary, and puts `padding` behind them.
  MONOFOLD_GPU void load_padded(int count, const item& padding) {
    if (count == tile_items) return load_aligned();
    const item* const items = view_->data() + place_.at;
    chunk pad;
    MONOFOLD_UNROLL
    for (int v = 0; v < chunk_items; ++v) pad[v] = padding;
    bytes16 pad_bytes;
    std::memcpy(&pad_bytes, static_cast<const void*>(pad.values), sizeof(pad_bytes));
    MONOFOLD_UNROLL
    for (int r = 0; r < tile_rows; ++r) {
      const int offset = chunk_offset<true>(r);
      raw_[r] = offset + chunk_items <= count ? load_16(items + offset) : pad_bytes;
    }
    if (count % chunk_items == 0) return;
    // The chunk in which the range ends.
    const int last = count - count % chunk_items;
    MONOFOLD_UNROLL
    for (int v = 0; v + 1 < chunk_items; ++v) {
      if (v < count % chunk_items) pad[v] = items[last + v];
    }
    std::memcpy(&pad_bytes, static_cast<const void*>(pad.values), sizeof(pad_bytes));
    MONOFOLD_UNROLL
    for (int r = 0; r < tile_rows; ++r) {
      if (chunk_offset<true>(r) == last) raw_[r] = pad_bytes;
    }
  }

  /// Loads a tile that `is_whole` and not `is_aligned`; `is_kept`: see load_aligned.
  template <bool is_kept = false>
  MONOFOLD_GPU void load_shifted() {
    if constexpr (held && contiguous_item_view<View>) {
      const auto* const bytes = reinterpret_cast<const char*>(view_->data() + place_.at);
      load_shifted_rows<alignof(item), is_kept>(raw_, bytes, bytes_past_16(bytes), lane_);
    }
  }

  /// Loads any tile. The tile's items of a chunk that is only partly its own are loaded if the tile `is_filled` up
  /// later, and nothing of it if not. `may_be_kept`: the view may be one that is partly kept.
  template <bool is_filled = false, bool may_be_kept = false>
  MONOFOLD_GPU void load_any() {
    if constexpr (held) {
      if constexpr (contiguous_item_view<View>) {
        if (bytes_past_16(view_->data()) != 0 && is_whole(*view_, place_)) {
          if (may_be_kept && is_partly_kept(place_.size * static_cast<int>(sizeof(item)))) {
            return load_shifted<true>();
          }
          return load_shifted();
        }
      } else {
        if (place_.count == tile_items) return load_aligned();
      }
      const int whole = whole_chunks<true>();
      load_chunks(whole);
      if constexpr (is_filled) {
        if (const int left = items_behind(whole); left > 0) set_raw(whole, packed(whole, left));
      }
    }
  }

  /// Puts `padding` behind the last item of a tile that `load_any` has loaded.
  MONOFOLD_GPU void fill(const item& padding) {
    const bytes16 pad = repeated(padding);
    const int whole = whole_chunks<true>();
    const int left = items_behind(whole);
    std::uint32_t kept[4];
    MONOFOLD_UNROLL
    for (int w = 0; w < 4; ++w) {
      const int bits = 8 * static_cast<int>(sizeof(item)) * left - 32 * w;
      kept[w] = bits <= 0 ? 0u : bits >= 32 ? ~0u : (1u << bits) - 1;
    }
    MONOFOLD_UNROLL
    for (int r = 0; r < tile_rows; ++r) {
      MONOFOLD_UNROLL
      for (int w = 0; w < 4; ++w) {
        const std::uint32_t mask = r < whole ? ~0u : r == whole ? kept[w] : 0u;
        raw_[r].word[w] = (raw_[r].word[w] & mask) | (pad.word[w] & ~mask);
      }
    }
  }

  /// Writes the tile to `buffer`: staging_bytes of shared memory, of this warp alone.
  ///
  /// sync       all lanes of the warp
  MONOFOLD_GPU void stage(bytes16* buffer) {
    if constexpr (held) {
      sync_warp();  // reads of the tile before are done
      MONOFOLD_UNROLL
      for (int r = 0; r < tile_rows; ++r) buffer[place_of_chunk(r * warp_lanes + lane_)] = raw_[r];
      sync_warp();  // what lanes wrote above they read below
      staged_ = buffer;
    }
  }

  /// The offset of the first item of a lane's chunk `k` from the tile's first item.
  template <bool striped>
  MONOFOLD_GPU int chunk_offset(int k) const {
    return striped ? k * row_items + lane_ * chunk_items : lane_ * run_items + k * chunk_items;
  }

  /// How many of a lane's chunks lie in the tile as a whole; these are its first chunks.
  template <bool striped>
  MONOFOLD_GPU int whole_chunks() const {
    constexpr int step = striped ? row_items : chunk_items;
    const int room = place_.count - chunk_offset<striped>(0) - chunk_items;
    const int whole = room < 0 ? 0 : room / step + 1;
    return whole < tile_rows ? whole : tile_rows;
  }

  template <bool striped>
  MONOFOLD_GPU chunk get(int k) const {
    chunk out;
    if constexpr (held) {
      const bytes16 bytes = striped ? raw_[k] : staged_[place_of_chunk(lane_ * tile_rows + k)];
      std::memcpy(static_cast<void*>(out.values), &bytes, sizeof(bytes));
    } else {
      MONOFOLD_UNROLL
      for (int v = 0; v < chunk_items; ++v) out[v] = get_item(chunk_offset<striped>(k) + v);
    }
    return out;
  }

  /// The 16 bytes of a lane's chunk in row `r`; for chunks that are held.
  MONOFOLD_GPU const bytes16& raw(int r) const { return raw_[r]; }

  MONOFOLD_GPU item get_item(int offset) const { return (*view_)[place_.at + offset]; }

 private:
  /// Lanes write neighbouring chunks and read chunks 128 bytes apart. Exchanging the lowest three bits
  /// of a chunk's number spreads both over all banks: each eight lanes that are served together
  /// touch eight different groups of four.
  MONOFOLD_GPU static int place_of_chunk(int chunk) { return chunk ^ ((chunk >> 3) & 7); }

  /// The first `count` items of a lane's chunk in row `r`.
  MONOFOLD_GPU bytes16 packed(int r, int count = chunk_items) const {
    chunk items{};
    MONOFOLD_UNROLL
    for (int v = 0; v < chunk_items; ++v) {
      if (v < count) items[v] = get_item(chunk_offset<true>(r) + v);
    }
    bytes16 out;
    std::memcpy(&out, static_cast<const void*>(items.values), sizeof(out));
    return out;
  }

  /// How many items the tile has of the chunk behind a lane's first `whole` chunks. 0 or less: it has none.
  MONOFOLD_GPU int items_behind(int whole) const {
    return whole < tile_rows ? place_.count - chunk_offset<true>(whole) : 0;
  }

  MONOFOLD_GPU void set_raw(int row, const bytes16& bytes) {
    MONOFOLD_UNROLL
    for (int r = 0; r < tile_rows; ++r) {
      MONOFOLD_UNROLL
      for (int w = 0; w < 4; ++w) raw_[r].word[w] = r == row ? bytes.word[w] : raw_[r].word[w];
    }
  }

  /// Loads a lane's first `count` chunks.
  MONOFOLD_GPU void load_chunks(int count) {
    if constexpr (contiguous_item_view<View>) {
      // One branch for all: code that is skipped has to be fetched too.
      const item* const from = view_->data() + place_.at + chunk_offset<true>(0);
      if (bytes_past_16(from) == 0) {
        MONOFOLD_UNROLL
        for (int r = 0; r < tile_rows; ++r) {
          if (r < count) raw_[r] = load_16(from + r * row_items);
        }
        return;
      }
    }
    MONOFOLD_UNROLL
    for (int r = 0; r < tile_rows; ++r) {
      if (r < count) raw_[r] = packed(r);
    }
  }

  const View* view_;
  tile_place place_;
  int lane_;
  const bytes16* staged_ = nullptr;
  bytes16 raw_[held ? tile_rows : 1];
};

/// The place of tile `tile` of a view of `size` items.
template <class View>
MONOFOLD_GPU tile_place place_of_tile(std::int64_t size, std::int64_t tile) {
  constexpr int tile_items = warp_tile<View>::tile_items;
  const std::int64_t at = tile * tile_items;
  return {at, size, size - at < tile_items ? static_cast<int>(size - at) : tile_items};
}

}  // namespace monofold::detail
