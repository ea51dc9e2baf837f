#pragma once
/// engine/gpu/segment/staged_columns: neighbouring columns, which a block brings to shared memory page by page.
///
/// A lane that loads its own column asks for an item here and there. Here a thread asks for 16 bytes, a warp for 512
/// neighbouring ones (of float32), and no register waits for them.

#include <cstdint>

#include "monofold/engine/gpu/load.cuh"
#include "monofold/engine/gpu/segment/lane_items.cuh"
#include "monofold/engine/gpu/segment/teams.cuh"
#include "monofold/engine/gpu/thread_copy.cuh"
#include "monofold/level/block.cuh"
#include "monofold/plan/tiles.hpp"
#include "monofold/platform/host_device.hpp"

namespace monofold::detail {

/// The columns of a block: one a thread of each team.
inline constexpr int staged_columns = 128;

/// A page has tile_rows chunks of each column: 16 KiB. Three of them are there or on their way.
template <class Item>
struct page_shape {
  static constexpr int each = tile_shape<Item>::items_per_lane;
  static constexpr int items = tile_rows * each;  // of a column
  static constexpr int row_chunks = staged_columns / each;
  static constexpr int pages = 3;
  static constexpr int page_chunks = tile_rows * staged_columns;
  static constexpr int bytes = pages * page_chunks * lane_bytes;
};

/// The pages of a team: one is read while two are on their way.
///
/// shape      blocks of teams of staged_columns threads, each with page_shape::bytes of shared memory; chunks are whole:
///            `first`, item 0 of the block's first column, is aligned to 16 bytes; `stride`, from item to item, and
///            `columns` are multiples of a chunk's items
template <class Item>
class page_ring {
 public:
  using shape = page_shape<Item>;

  /// `own`: this thread's rank in its team.
  MONOFOLD_GPU page_ring(void* pages, int own, const Item* first, std::int64_t stride,
                         std::int64_t columns)
      : to_(static_cast<bytes16*>(pages) + own),
        page_(static_cast<const Item*>(pages) + (own < columns ? own : 0)),
        from_(first + own % shape::row_chunks * shape::each),
        stride_(stride),
        row_(own / shape::row_chunks),
        has_chunk_(own % shape::row_chunks * shape::each < columns) {}

  /// Begins to bring the first pages; begin(ring, page) brings the next one, if there is one.
  template <class Begin>
  MONOFOLD_GPU void fill(const Begin& begin) {
    MONOFOLD_UNROLL
    for (int p = 0; p < shape::pages - 1; ++p) {
      begin(*this, p);
      end_group_of_copies();
    }
  }
  /// Brings `each` items of all columns from `row` on, the same `step` further, and so on, as far as they are below `end`.
  MONOFOLD_GPU void bring(int page, std::int64_t row, int step, std::int64_t end) const {
    std::int64_t at = row + row_;
    const Item* from = from_ + at * stride_;
    bytes16* const to = to_ + page * shape::page_chunks;
    MONOFOLD_UNROLL
    for (int r = 0; r < tile_rows; ++r) {
      if (has_chunk_ && at < end) {
        start_copy(to + r * staged_columns, reinterpret_cast<const bytes16*>(from));
      }
      at += step;
      from += step * stride_;
    }
  }
  /// The next page, this thread's column of it: items of a chunk, and chunks, lie staged_columns apart.
  ///
  /// sync       all threads of the block; what the page before had has been used
  template <class Begin>
  MONOFOLD_GPU const Item* next(const Begin& begin) {
    wait_for_copies_but<shape::pages - 2>();
    sync_block();  // what others have brought is read; the page before is overwritten below
    begin(*this, at_ == 0 ? shape::pages - 1 : at_ - 1);
    end_group_of_copies();
    const Item* const page = page_ + at_ * (shape::page_chunks * shape::each);
    at_ = at_ == shape::pages - 1 ? 0 : at_ + 1;
    return page;
  }

 private:
  bytes16* to_;
  const Item* page_;
  const Item* from_;
  std::int64_t stride_;
  int row_;
  bool has_chunk_;
  int at_ = 0;
};

/// The pages of tiles [begin, end) for one of 2^level teams: a column of slots each, of those that the team takes.
template <class Item>
class tile_pages {
 public:
  MONOFOLD_GPU tile_pages(const page_ring<Item>& ring, std::int64_t row_items, std::int64_t begin,
                          std::int64_t end, int team, int level)
      : ring_(ring), row_items_(row_items), tile_(begin), end_(end), team_(team), level_(level) {
    open_tile();
    ring_.fill([this](const page_ring<Item>& ring, int page) { begin_page(ring, page); });
  }

  /// As page_ring::next.
  MONOFOLD_GPU const Item* next() {
    return ring_.next([this](const page_ring<Item>& ring, int page) { begin_page(ring, page); });
  }

 private:
  using shape = tile_shape<Item>;

  MONOFOLD_GPU void open_tile() {
    const std::int64_t left = row_items_ - tile_ * tile_items_v<Item>;
    const int count = left < tile_items_v<Item> ? static_cast<int>(left) : tile_items_v<Item>;
    const int width = columns_a_member(columns_in_use<shape::items_per_lane>(count), level_);
    column_ = team_ * width;
    behind_ = column_ + width;
  }
  MONOFOLD_GPU void begin_page(const page_ring<Item>& ring, int page) {
    if (tile_ == end_) return;
    const std::int64_t row = tile_ * tile_items_v<Item> + column_ * shape::items_per_lane;
    const std::int64_t behind = (tile_ + 1) * tile_items_v<Item>;
    ring.bring(page, row, shape::row_items, behind < row_items_ ? behind : row_items_);
    if (++column_ < behind_) return;
    if (++tile_ < end_) open_tile();
  }

  page_ring<Item> ring_;
  std::int64_t row_items_;
  std::int64_t tile_;
  std::int64_t end_;
  int team_;
  int level_;
  int column_;
  int behind_;
};

/// The items of a tile of a thread's column, by tile_pages. Columns of slots are folded one after the other, each once.
template <class Item>
class paged_items {
 public:
  static constexpr bool is_far = true;

  MONOFOLD_GPU paged_items(tile_pages<Item>& pages, std::int64_t base)
      : pages_(pages), base_(base) {}

  MONOFOLD_GPU std::int64_t index(int i) const { return base_ + i; }

  /// Before the chunks of a column of slots are taken.
  ///
  /// sync       all threads of the block
  MONOFOLD_GPU void turn_page() const { page_ = pages_.next(); }

  template <bool is_whole = false>
  MONOFOLD_GPU item_chunk<Item> chunk(int i, int count) const {
    constexpr int each = page_shape<Item>::each;
    item_chunk<Item> out;
    const Item* const own = page_ + i / tile_shape<Item>::row_items * (each * staged_columns);
    MONOFOLD_UNROLL
    for (int v = 0; v < each; ++v) {
      if (is_whole || i + v < count) out[v] = own[v * staged_columns];
    }
    return out;
  }

 private:
  tile_pages<Item>& pages_;
  mutable const Item* page_ = nullptr;
  std::int64_t base_;
};

/// A count that is known when it is compiled.
template <int count>
struct known_count {
  MONOFOLD_HD constexpr operator int() const { return count; }  // NOLINT: it is that number
};

/// Calls take(first, count) for the pages of a team's items of a thread's column, among [begin, end), of which `teams`
/// teams take one after the other. Items lie staged_columns apart; `count` is a known_count where the page is whole.
///
/// sync       all threads of the block, whose teams have the same ends
template <class Item, class Take>
MONOFOLD_GPU void take_pages(page_ring<Item> ring, std::int64_t begin, std::int64_t end, int team,
                             int teams, const Take& take) {
  constexpr int each = page_shape<Item>::each;
  constexpr int items = page_shape<Item>::items;
  std::int64_t coming = begin + team * items;
  const auto begin_page = [&](const page_ring<Item>& own, int page) {
    own.bring(page, coming, each, end);
    coming += teams * items;
  };
  ring.fill(begin_page);
  MONOFOLD_ROLL
  for (std::int64_t first = begin; first < end; first += teams * items) {
    const Item* const page = ring.next(begin_page);
    const std::int64_t left = end - first - team * items;
    if (left >= items) {
      take(page, known_count<items>{});
    } else if (left > 0) {
      take(page, static_cast<int>(left));
    }
  }
}

}  // namespace monofold::detail
