#pragma once
/// engine/row_blocks: rows of an array that do not lie side by side, read as they lie in memory.

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

#include "monofold/engine/detail/parallel.hpp"
#include "monofold/fold/all.hpp"
#include "monofold/fold/fold.hpp"
#include "monofold/level/core.hpp"
#include "monofold/plan/tiles.hpp"
#include "monofold/plan/tree.hpp"
#include "monofold/shape/axes.hpp"

namespace monofold::detail {

/// Neighbours along the inner kept axis: the first item of the first row, its number in the result, and
/// how many rows there are.
template <class Item>
struct row_group {
  const Item* first;
  std::int64_t row;
  int width;
};

/// The rows of an array as groups of up to `width` neighbours.
template <class Item>
class row_groups {
 public:
  row_groups(const Item* first, const array_rows& rows, std::int64_t width)
      : first_(first),
        rows_(rows),
        width_(width),
        blocks_((rows.inner().extent + width - 1) / width) {}

  std::int64_t count() const { return rows_.num_rows / rows_.inner().extent * blocks_; }
  row_group<Item> operator[](std::int64_t number) const {
    const axis_step inner = rows_.inner();
    const std::int64_t begin = number % blocks_ * width_;
    row_group<Item> out{first_ + begin * inner.stride, begin * inner.number,
                        static_cast<int>(std::min(width_, inner.extent - begin))};
    std::int64_t outer = number / blocks_;
    for (int k = rows_.num_kept - 1; k-- > 0; outer /= rows_.kept[k].extent) {
      const std::int64_t at = outer % rows_.kept[k].extent;
      out.first += at * rows_.kept[k].stride;
      out.row += at * rows_.kept[k].number;
    }
    return out;
  }

 private:
  const Item* first_;
  const array_rows& rows_;
  std::int64_t width_;
  std::int64_t blocks_;
};

/// What the slots or the buffers of a block of columns take: they stay in a second-level cache. With less of
/// each row of memory read at a time, new pages cost more than the cache gives.
inline constexpr std::int64_t block_bytes = 256 << 10;

/// Columns read together fill two cache lines or more, which memory gives at a time.
template <class Item>
inline constexpr std::int64_t least_columns =
    std::max<std::int64_t>(1, 128 / static_cast<std::int64_t>(sizeof(Item)));

/// More of them than this help no more.
inline constexpr std::int64_t most_columns = 4096;

/// Whether the slots of neighbouring columns can be filled side by side: folds whose slots are the items of
/// a tile's row, by loops over columns.
template <class F, class Item>
inline constexpr bool has_slot_columns_v =
    slot_shape<F, Item>::striped && !has_absorb_run_v<F, Item> && !may_repeat_v<F> &&
    !is_all_fold<F>::value && slot_shape<F, Item>::chains == tile_shape<Item>::items_per_lane &&
    std::is_default_constructible_v<accumulator_t<F>>;

/// Items of a row that are copied at a time; folds by runs take any number.
template <class F, class Item>
inline constexpr std::int64_t gathered_items = has_absorb_run_v<F, Item>
                                                   ? std::min<std::int64_t>(256, tile_items_v<Item>)
                                                   : tile_items_v<Item>;

/// How many rows that do not lie side by side are read together, of which `most` fit; at least `least`, where they are
/// columns.
inline std::int64_t columns_read_together(const array_rows& rows, std::int64_t most,
                                          std::int64_t least, int num_threads) {
  const axis_step inner = rows.inner();
  if (distance(rows.reduced[rows.num_reduced - 1].stride) <= distance(inner.stride)) return 1;
  // Some blocks for each thread.
  const std::int64_t share = rows.num_rows / (std::int64_t{4} * concurrency(num_threads));
  return std::min(inner.extent, std::max(std::min({most, most_columns, share}), least));
}
template <class Item>
std::int64_t columns_read_together(const array_rows& rows, std::int64_t most, int num_threads) {
  return columns_read_together(rows, most, least_columns<Item>, num_threads);
}

/// How many rows along the inner kept axis are read together.
template <bool fills_slots, class F, class Item>
std::int64_t rows_read_together(const array_rows& rows, std::int64_t most_short_items,
                                int num_threads) {
  const axis_step inner = rows.inner();
  if (rows.is_contiguous()) {
    // So that finding a group costs little.
    return rows.row_items > most_short_items ? 1 : std::min<std::int64_t>(inner.extent, 64);
  }
  std::int64_t column_bytes = 0;
  if constexpr (fills_slots) {
    column_bytes = std::min<std::int64_t>(rows.row_items, slot_shape<F, Item>::num_slots) *
                   static_cast<std::int64_t>(sizeof(accumulator_t<F>));
  } else {
    column_bytes =
        std::min(rows.row_items, gathered_items<F, Item>) * static_cast<std::int64_t>(sizeof(Item));
  }
  return columns_read_together<Item>(rows, block_bytes / column_bytes, num_threads);
}

/// Walks the items of a row in stretches along its innermost axis.
class row_walk {
 public:
  row_walk(const array_rows& rows, std::int64_t at) : rows_(rows) {
    for (int k = rows.num_reduced; k-- > 0; at /= rows.reduced[k].extent) {
      index_[k] = at % rows.reduced[k].extent;
      offset_ += index_[k] * rows.reduced[k].stride;
    }
  }

  std::int64_t offset() const { return offset_; }
  std::int64_t stride() const { return last().stride; }
  /// Items from here to the end of the stretch.
  std::int64_t items_left() const { return last().extent - index_[rows_.num_reduced - 1]; }
  void next_stretch() {
    int k = rows_.num_reduced - 1;
    offset_ += items_left() * last().stride;
    index_[k] = last().extent;
    while (k > 0 && index_[k] == rows_.reduced[k].extent) {
      offset_ += rows_.reduced[k - 1].stride - rows_.reduced[k].extent * rows_.reduced[k].stride;
      index_[k] = 0;
      ++index_[--k];
    }
  }

 private:
  const axis_step& last() const { return rows_.reduced[rows_.num_reduced - 1]; }

  const array_rows& rows_;
  std::int64_t index_[max_axes] = {};
  std::int64_t offset_ = 0;
};

/// Calls visit(items, stride, i, n) for the stretches of items [at, at + count) of a row: n of them from item
/// at + i on.
template <class Item, class Visit>
void for_each_stretch_of(const array_rows& rows, const Item* first, std::int64_t at,
                         std::int64_t count, const Visit& visit) {
  row_walk walk(rows, at);
  for (std::int64_t i = 0; i < count; walk.next_stretch()) {
    const std::int64_t n = std::min(walk.items_left(), count - i);
    visit(first + walk.offset(), walk.stride(), i, n);
    i += n;
  }
}

#if defined(__GNUC__)
/// Squares of items in vectors of 16 bytes, which every processor with vectors has.
template <int item_bytes>
struct item_square;
template <>
struct item_square<4> {
  using vector = std::uint32_t __attribute__((vector_size(16)));
  static constexpr int items = 4;
  MONOFOLD_INLINE static void turn(vector* rows) {
    const vector a = __builtin_shufflevector(rows[0], rows[1], 0, 4, 1, 5);
    const vector b = __builtin_shufflevector(rows[2], rows[3], 0, 4, 1, 5);
    const vector c = __builtin_shufflevector(rows[0], rows[1], 2, 6, 3, 7);
    const vector e = __builtin_shufflevector(rows[2], rows[3], 2, 6, 3, 7);
    rows[0] = __builtin_shufflevector(a, b, 0, 1, 4, 5);
    rows[1] = __builtin_shufflevector(a, b, 2, 3, 6, 7);
    rows[2] = __builtin_shufflevector(c, e, 0, 1, 4, 5);
    rows[3] = __builtin_shufflevector(c, e, 2, 3, 6, 7);
  }
};
template <>
struct item_square<8> {
  using vector = std::uint64_t __attribute__((vector_size(16)));
  static constexpr int items = 2;
  MONOFOLD_INLINE static void turn(vector* rows) {
    const vector a = rows[0];
    rows[0] = __builtin_shufflevector(a, rows[1], 0, 2);
    rows[1] = __builtin_shufflevector(a, rows[1], 1, 3);
  }
};

/// Eight items of `width` columns side by side to eight neighbours of each; returns how many columns it took.
template <class Item>
int transpose_eight(const Item* items, std::int64_t stride, int width, Item* out,
                    std::int64_t pitch) {
  using square = item_square<sizeof(Item)>;
  constexpr int n = square::items;
  int c = 0;
  for (; c + n <= width; c += n) {
    for (int part = 0; part < 8; part += n) {
      typename square::vector rows[n];
      for (int k = 0; k < n; ++k) {
        std::memcpy(&rows[k], items + (part + k) * stride + c, sizeof rows[k]);
      }
      square::turn(rows);
      for (int k = 0; k < n; ++k)
        std::memcpy(out + (c + k) * pitch + part, &rows[k], sizeof rows[k]);
    }
  }
  return c;
}
template <class Item>
inline constexpr bool has_squares_v = std::is_trivially_copyable_v<Item> &&
                                      (sizeof(Item) == 4 || sizeof(Item) == 8);
#else
template <class Item>
inline constexpr bool has_squares_v = false;
#endif

/// out[c * pitch + i] = items[i * stride + c * apart]
template <class Item>
void transpose(const Item* items, std::int64_t stride, std::int64_t count, std::int64_t apart,
               int width, Item* out, std::int64_t pitch) {
  if (width == 1) {
    for (std::int64_t i = 0; i < count; ++i) out[i] = items[i * stride];
    return;
  }
  // Eight items of a column at a time: each store then goes where the last one went.
  constexpr std::int64_t group = 8;
  std::int64_t i = 0;
  for (; i + group <= count; i += group) {
    int c = 0;
    if constexpr (has_squares_v<Item>) {
      if (apart == 1) c = transpose_eight(items + i * stride, stride, width, out + i, pitch);
    }
    for (; c < width; ++c) {
      const Item* const from = items + i * stride + c * apart;
      Item* const to = out + c * pitch + i;
      for (std::int64_t k = 0; k < group; ++k) to[k] = from[k * stride];
    }
  }
  for (; i < count; ++i) {
    for (int c = 0; c < width; ++c) out[c * pitch + i] = items[i * stride + c * apart];
  }
}

/// Copies items [at, at + count) of the rows of a group, each row's side by side.
template <class Item>
void gather(const array_rows& rows, const row_group<Item>& group, std::int64_t at,
            std::int64_t count, Item* out, std::int64_t pitch) {
  for_each_stretch_of(rows, group.first, at, count,
                      [&](const Item* items, std::int64_t stride, std::int64_t i, std::int64_t n) {
                        transpose(items, stride, n, rows.inner().stride, group.width, out + i,
                                  pitch);
                      });
}

/// Columns that loops of fixed length take at a time: compilers make vectors of those.
inline constexpr int columns_at_once = 16;

/// Calls body(c) for 0 <= c < width, where no step reads what another one writes.
template <class Body>
MONOFOLD_INLINE void for_columns(int width, const Body& body) {
  int c = 0;
  for (; c + columns_at_once <= width; c += columns_at_once) {
#if defined(__clang__)
#pragma clang loop vectorize(assume_safety)
#elif defined(__GNUC__)
#pragma GCC ivdep
#endif
    for (int k = 0; k < columns_at_once; ++k) body(c + k);
  }
  for (; c < width; ++c) body(c);
}

/// The slots of a tile of neighbouring columns, `width` side by side.
template <class F, class Item>
class slot_columns {
 public:
  using slot = accumulator_t<F>;
  using access = fold_access<F, Item>;
  static constexpr int num_slots = slot_shape<F, Item>::num_slots;

  slot_columns(slot* slots, int width) : slots_(slots), width_(width) {}

  /// Item `i` of the tile, of each column.
  void take(const F& f, const Item* items, std::int64_t apart, int i, std::int64_t index) {
    slot* const own = slots_ + i % num_slots * width_;
    if (apart == 1 && i < num_slots) {
      for_columns(width_, [&](int c) { own[c] = access::open(f, items[c], index); });
    } else if (apart == 1) {
      for_columns(width_, [&](int c) { access::absorb(f, own[c], items[c], index); });
    } else if (i < num_slots) {
      for (int c = 0; c < width_; ++c) own[c] = access::open(f, items[c * apart], index);
    } else {
      for (int c = 0; c < width_; ++c) access::absorb(f, own[c], items[c * apart], index);
    }
  }

  /// The states of the columns, of `count` items each.
  void finish(const F& f, int count, typename F::state* out) {
    for (int m = std::min(count, num_slots); m > 1; m = (m + 1) / 2) {
      for (int s = 0; s < m / 2; ++s) {
        const slot* const left = slots_ + 2 * s * width_;
        const slot* const right = left + width_;
        slot* const both = slots_ + s * width_;
        for_columns(width_, [&](int c) { both[c] = access::join(f, left[c], right[c]); });
      }
      if (m % 2 != 0) std::copy_n(slots_ + (m - 1) * width_, width_, slots_ + m / 2 * width_);
    }
    for (int c = 0; c < width_; ++c) out[c] = access::flush(f, slots_[c], count);
  }

 private:
  slot* slots_;
  int width_;
};

/// The states of items [at, at + count) of the columns of a group; `slots`: room for their slots.
template <class F, class Item>
void fold_columns(const F& f, const array_rows& rows, const row_group<Item>& group, std::int64_t at,
                  std::int64_t count, accumulator_t<F>* slots, typename F::state* out) {
  constexpr int tile = tile_items_v<Item>;
  const std::int64_t apart = rows.inner().stride;
  slot_columns<F, Item> columns(slots, group.width);
  std::vector<node_joiner<typename F::state, max_span_level>> joiners(
      count > tile ? static_cast<std::size_t>(group.width) : 0);
  int in_tile = 0;
  const auto end_tile = [&] {
    columns.finish(f, in_tile, out);
    in_tile = 0;
    for (std::size_t c = 0; c < joiners.size(); ++c) joiners[c].push(f, out[c]);
  };
  for_each_stretch_of(rows, group.first, at, count,
                      [&](const Item* items, std::int64_t stride, std::int64_t i, std::int64_t n) {
                        for (std::int64_t k = 0; k < n; ++k) {
                          columns.take(f, items + k * stride, apart, in_tile, at + i + k);
                          if (++in_tile == tile) end_tile();
                        }
                      });
  if (in_tile != 0) end_tile();
  for (std::size_t c = 0; c < joiners.size(); ++c) out[c] = joiners[c].total(f);
}

}  // namespace monofold::detail
