#pragma once
/// engine/axes: folds the rows of an array on the threads of this machine, each as its own array.

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include "monofold/engine/cpu.hpp"
#include "monofold/engine/long_rows.hpp"
#include "monofold/engine/row_blocks.hpp"
#include "monofold/engine/segments.hpp"
#include "monofold/fold/at_indices.hpp"
#include "monofold/plan/tiles.hpp"
#include "monofold/shape/axes.hpp"

namespace monofold {

namespace detail {

/// The fold of one row: it knows which indices its items have.
template <class Indices, class Item, class F>
decltype(auto) fold_of_row(const F& f, const array_rows& rows, std::int64_t row) {
  if constexpr (std::is_same_v<Indices, index_in_all>) {
    return at_indices<Item>(f, index_in_array{&rows, row});
  } else {
    return f;
  }
}

/// Rows of up to so many items are read one item of each after the other.
inline constexpr std::int64_t tiny_row_items = 48;

/// The states of items [at, at + count) of some rows that are copied to a buffer, a row's every `pitch` items of it.
///
/// fold_of(c) is the fold of row c; gather(at, n) copies items [at, at + n) of each.
template <class F, class Item, class FoldOf, class Gather>
void fold_by_buffer(int width, std::int64_t at, std::int64_t count, const Item* items,
                    std::int64_t pitch, const FoldOf& fold_of, const Gather& gather,
                    typename F::state* out) {
  const std::int64_t piece = gathered_items<F, Item>;
  if (count <= piece) {
    gather(at, count);
    for (int c = 0; c < width; ++c) out[c] = fold_row(fold_of(c), items + c * pitch, count, at);
    return;
  }
  std::vector<F> folds;
  std::vector<node_folder<F, Item>> folders;
  folds.reserve(static_cast<std::size_t>(width));
  folders.reserve(static_cast<std::size_t>(width));
  for (int c = 0; c < width; ++c) {
    folds.push_back(fold_of(c));
    folders.emplace_back(folds.back());
  }
  for (std::int64_t done = 0; done < count; done += piece) {
    const std::int64_t n = std::min(piece, count - done);
    gather(at + done, n);
    for (int c = 0; c < width; ++c) {
      folders[static_cast<std::size_t>(c)].add(items + c * pitch, n, at + done);
    }
  }
  for (int c = 0; c < width; ++c) out[c] = folders[static_cast<std::size_t>(c)].total();
}

/// What a gathered row has more than its items take: rows that are 4 KiB apart would all want the same cache lines.
template <class Item>
inline constexpr std::int64_t row_gap =
    std::max<std::int64_t>(1, 64 / static_cast<std::int64_t>(sizeof(Item)));

/// Folds groups of rows: those along the inner kept axis that are read together.
template <class Indices, class F, class Item>
class row_group_folder {
 public:
  using item = Item;

 private:
  using row_fold = std::remove_cvref_t<decltype(fold_of_row<Indices, Item>(
      std::declval<const F&>(), std::declval<const array_rows&>(), std::int64_t{}))>;
  using slot = accumulator_t<F>;
  // Slots of columns are filled by one fold for all of them, which knows one index for a row of memory.
  static constexpr bool fills_slots =
      std::is_same_v<row_fold, F> && has_slot_columns_v<row_fold, Item>;

 public:
  using state = typename F::state;

  /// What a thread works with.
  struct room {
    explicit room(const row_group_folder& of)
        : states(of.width_),
          items(of.gathers_ ? of.width_ * of.pitch_ : 0),
          slots(of.num_slots()) {}

    heap_array<state> states;
    heap_array<Item> items;
    heap_array<slot> slots;
  };

  row_group_folder(const F& f, const Item* first, const array_rows& rows, int num_threads)
      : fold_(f),
        rows_(rows),
        width_(rows_read_together<fills_slots, row_fold, Item>(rows, most_row_items<Item>,
                                                               num_threads)),
        groups_(first, rows, width_) {
    // Rows of a few items are columns too: joined by vectors across them.
    const bool is_tiny = rows.row_items > 1 && rows.row_items <= tiny_row_items;
    by_slots_ = fills_slots && width_ > 1 && (is_tiny || !rows.is_contiguous());
    gathers_ = !rows.is_contiguous() && !by_slots_;
    pitch_ = std::min(rows.row_items, gathered_items<row_fold, Item>) + row_gap<Item>;
  }

  int width() const { return static_cast<int>(width_); }
  std::int64_t row_of(const row_group<Item>& group, int column) const {
    return group.row + column * rows_.inner().number;
  }
  std::int64_t num_groups() const { return groups_.count(); }
  row_group<Item> group(std::int64_t number) const { return groups_[number]; }

  /// The answers for the rows of a group, which are short.
  template <class Put>
  void answer(const row_group<Item>& group, const room& in, const Put& put) const {
    const std::int64_t count = rows_.row_items;
    if (by_slots_ || count > (gathers_ ? gathered_items<row_fold, Item> : tile_items_v<Item>)) {
      fold(group, 0, count, in, in.states.data());
      for (int c = 0; c < group.width; ++c) {
        put(row_of(group, c), finish_state(fold_, in.states[c]));
      }
      return;
    }
    if (gathers_) gather(rows_, group, 0, count, in.items.data(), pitch_);
    for (int c = 0; c < group.width; ++c) {
      const Item* const items =
          gathers_ ? in.items.data() + c * pitch_ : group.first + c * rows_.inner().stride;
      if constexpr (std::is_same_v<row_fold, F>) {
        put(row_of(group, c), answer_of_row(fold_, items, count, 0));
      } else {
        put(row_of(group, c), finish_state(fold_, fold_row(fold_of(group, c), items, count, 0)));
      }
    }
  }

  /// The states of items [at, at + count) of the rows of a group.
  void fold(const row_group<Item>& group, std::int64_t at, std::int64_t count, const room& in,
            state* out) const {
    if constexpr (fills_slots) {
      if (by_slots_) {
        return fold_columns<F, Item>(fold_, rows_, group, at, count, in.slots.data(), out);
      }
    }
    if (gathers_) return fold_gathered(group, at, count, in.items.data(), out);
    for (int c = 0; c < group.width; ++c) {
      const Item* const items = group.first + c * rows_.inner().stride + at;
      const auto& f = fold_of(group, c);
      out[c] = count <= most_row_items<Item>
                   ? fold_row(f, items, count, at)
                   : fold_node(f, contiguous_view<Item>(items, count), 0, count, at);
    }
  }

 private:
  std::int64_t num_slots() const {
    if constexpr (fills_slots) {
      if (by_slots_)
        return width_ * std::min<std::int64_t>(rows_.row_items, slot_shape<F, Item>::num_slots);
    }
    return 0;
  }
  decltype(auto) fold_of(const row_group<Item>& group, int column) const {
    return fold_of_row<Indices, Item>(fold_, rows_, row_of(group, column));
  }

  void fold_gathered(const row_group<Item>& group, std::int64_t at, std::int64_t count, Item* items,
                     state* out) const {
    fold_by_buffer<row_fold>(
        group.width, at, count, items, pitch_,
        [&](int c) -> decltype(auto) { return fold_of(group, c); },
        [&](std::int64_t from, std::int64_t n) { gather(rows_, group, from, n, items, pitch_); },
        out);
  }

  const F& fold_;
  const array_rows& rows_;
  std::int64_t width_;
  row_groups<Item> groups_;
  std::int64_t pitch_ = 0;
  bool by_slots_ = false;
  bool gathers_ = false;
};

/// Folds rows of some items by a folder of groups of them.
template <class F, class Folder, class Put>
void fold_row_groups(const cpu_engine& engine, const F& f, const Folder& folder,
                     std::int64_t row_items, const Put& put) {
  using state = typename F::state;
  using item = typename Folder::item;
  const int width = folder.width();
  if (row_items <= most_row_items<item>) {
    const std::int64_t bytes =
        width * (row_items * static_cast<std::int64_t>(sizeof(item)) + row_work_bytes);
    const std::int64_t share = std::max<std::int64_t>(1, piece_bytes / bytes);
    const std::int64_t num_groups = folder.num_groups();
    parallel_for(engine.num_threads, (num_groups + share - 1) / share, [&](std::int64_t i) {
      const typename Folder::room room(folder);
      const std::int64_t end = std::min(num_groups, (i + 1) * share);
      for (std::int64_t g = i * share; g < end; ++g) folder.answer(folder.group(g), room, put);
    });
    return;
  }
  constexpr std::int64_t tile = tile_items_v<item>;
  fold_long_rows(
      engine, f, folder.num_groups(), width,
      [&](std::int64_t) { return tile_count<item>(row_items); },
      [&](std::int64_t g, const tree_node& node, state* out) {
        const std::int64_t at = node.first_tile() * tile;
        const std::int64_t end = std::min(node.end_tile() * tile, row_items);
        const typename Folder::room room(folder);
        folder.fold(folder.group(g), at, end - at, room, out);
      },
      [&](std::int64_t g, const state* totals) {
        const auto group = folder.group(g);
        for (int c = 0; c < group.width; ++c) {
          put(folder.row_of(group, c), finish_state(f, totals[c]));
        }
      });
}

}  // namespace detail

/// Folds each row of an array, and hands on its answer.
///
/// shape      `first`: item (0, 0, ...). put(row, answer) takes a `result` for each row of the result, from any
///            thread
/// order      the plan's tree over the row's own tiles, in the order of its indices: the bits of a row are those
///            of its items in an array of their own
/// sync       as fold_tiles of engine/cpu
/// cost       one pass over the items. Rows side by side are read where they lie; neighbouring columns are read
///            together, into slots or buffers of a few cache lines a column
/// tested by  tests/api/reduce_axis_test.cpp
template <class Indices, class F, class Item, class Put>
void fold_rows(const cpu_engine& engine, const F& f, const Item* first, const array_rows& rows,
               const Put& put) {
  if (rows.num_rows == 0) return;
  if (rows.row_items == 0) {
    for (std::int64_t row = 0; row < rows.num_rows; ++row) put(row, finish_empty(f));
    return;
  }
  const detail::row_group_folder<Indices, F, Item> folder(f, first, rows, engine.num_threads);
  detail::fold_row_groups(engine, f, folder, rows.row_items, put);
}

}  // namespace monofold
