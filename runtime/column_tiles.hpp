#pragma once
/// runtime/column_tiles: which items of columns come to a loop over lanes together, tile by tile.

#include <algorithm>
#include <cstdint>

#include "monofold/engine/row_blocks.hpp"
#include "monofold/platform/instruction_set.hpp"
#include "monofold/shape/axes.hpp"

namespace monofold::runtime {

/// How loops read columns, eight items of each at a time.
///
/// asked       rows in their order; memory is asked for what comes later
/// unasked     the same, and the processor fetches ahead by itself
/// in_streams  where the order of items does not matter: from eight stretches of memory that go on from tile to tile
enum class column_reading { asked, unasked, in_streams };

/// What AMD's processors with AVX2 read fastest (measured on one of Zen 3, one and two threads). Over `asked`, `unasked`
/// takes 0.6 to 1.1 of the time in caches and with long rows; streams take 0.45 to 0.85 from memory where rows are short.
/// Not measured with AVX-512.
inline column_reading reading_of(const array_rows& rows_in_bytes, std::int64_t array_bytes,
                                 bool is_in_any_order) {
  if (!monofold::detail::fetches_in_line() || instruction_set_in_use() != instruction_set::avx2) {
    return column_reading::asked;
  }
  const std::int64_t step =
      monofold::detail::distance(rows_in_bytes.reduced[rows_in_bytes.num_reduced - 1].stride);
  const bool has_long_streams = rows_in_bytes.row_items * step >= 256 << 10;
  return is_in_any_order && has_long_streams && step <= 2048 && array_bytes > 1 << 20
             ? column_reading::in_streams
             : column_reading::unasked;
}

/// The items [begin, end) of each column, a tile of them after the other; `tile`: a multiple of 8.
class column_tiles {
 public:
  static constexpr std::int64_t most_items = 4096;  // of a tile

  column_tiles(const array_rows& rows_in_bytes, std::int64_t begin, std::int64_t end,
               std::int64_t tile, bool in_streams)
      : rows_(rows_in_bytes), next_(begin), end_(end), tile_(tile), in_streams_(in_streams) {}

  /// False: there is none left.
  bool next() {
    first_ = next_;
    count_ = std::min(tile_, end_ - next_);
    if (count_ <= 0) return false;
    next_ += count_;
    if (!in_streams_ || count_ < tile_) {
      list(first_, count_, offsets_, 1);
      return true;
    }
    if (turn_ == turns_) begin_streams();
    const std::int64_t run = tile_ / streams;
    for (int s = 0; s < streams; ++s) {
      list(streams_at_ + (s * turns_ + turn_) * run, run, offsets_ + s, streams);
    }
    ++turn_;
    return true;
  }
  /// Where its items begin, in bytes.
  const std::int64_t* offsets() const { return offsets_; }
  std::int64_t count() const { return count_; }
  /// The index of its first item, where items are in their order.
  std::int64_t first_index() const { return first_; }

 private:
  static constexpr int streams = 8;
  static constexpr std::int64_t stream_bytes = 32 << 10;  // shorter ones are read more slowly

  /// From the tile at hand on: as many tiles as make streams long enough, if there are.
  void begin_streams() {
    const std::int64_t run_bytes =
        tile_ / streams * monofold::detail::distance(rows_.reduced[rows_.num_reduced - 1].stride);
    const std::int64_t wanted = stream_bytes / std::max<std::int64_t>(1, run_bytes) + 1;
    streams_at_ = first_;
    turns_ = std::min(wanted, (end_ - first_) / tile_);
    turn_ = 0;
  }
  void list(std::int64_t at, std::int64_t count, std::int64_t* to, std::int64_t step) const {
    monofold::detail::row_walk walk(rows_, at);
    for (std::int64_t i = 0; i < count; walk.next_stretch()) {
      const std::int64_t stop = std::min(count, i + walk.items_left());
      for (std::int64_t k = 0; i < stop; ++i, ++k) {
        to[i * step] = walk.offset() + k * walk.stride();
      }
    }
  }

  const array_rows& rows_;
  std::int64_t next_, end_, tile_;
  bool in_streams_;
  std::int64_t first_ = 0, count_ = 0;
  std::int64_t streams_at_ = 0, turns_ = 0, turn_ = 0;  // tiles of the streams, and those taken
  std::int64_t offsets_[most_items];
};

}  // namespace monofold::runtime
