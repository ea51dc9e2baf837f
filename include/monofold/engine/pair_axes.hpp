#pragma once
/// engine/pair_axes: folds the rows of two arrays whose items make pairs, on the threads of this machine.

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "monofold/engine/axes.hpp"
#include "monofold/engine/row_blocks.hpp"
#include "monofold/shape/axes.hpp"

namespace monofold {

namespace detail {

/// out[c * pitch + i] = {left[i * stride + c * apart], right[..]}
template <class Left, class Right, class Pair>
void interleave(const Left* left, const axis_step& left_inner, std::int64_t left_stride,
                const Right* right, const axis_step& right_inner, std::int64_t right_stride,
                std::int64_t count, int width, Pair* out, std::int64_t pitch) {
  // Some items of a column at a time: each store then goes where the last one went.
  const std::int64_t group = width == 1 ? count : 8;
  for (std::int64_t at = 0; at < count; at += group) {
    const std::int64_t end = std::min(count, at + group);
    for (int c = 0; c < width; ++c) {
      const Left* const l = left + c * left_inner.stride;
      const Right* const r = right + c * right_inner.stride;
      Pair* const to = out + c * pitch;
      if (left_stride == 1 && right_stride == 1) {
        for (std::int64_t i = at; i < end; ++i) to[i] = {l[i], r[i]};
      } else {
        for (std::int64_t i = at; i < end; ++i) to[i] = {l[i * left_stride], r[i * right_stride]};
      }
    }
  }
}

/// Copies pairs [at, at + count) of the rows of a group, each row's side by side.
template <class Left, class Right, class Pair>
void gather_row_pairs(const pair_rows& rows, const row_group<Left>& left,
                      const row_group<Right>& right, std::int64_t at, std::int64_t count, Pair* out,
                      std::int64_t pitch) {
  if (rows.left.num_reduced == 0) {  // rows of one pair
    return interleave(left.first, rows.left.inner(), 0, right.first, rows.right.inner(), 0, count,
                      left.width, out, pitch);
  }
  // Both arrays have the same axes, so stretches of both end together.
  row_walk on_left(rows.left, at);
  row_walk on_right(rows.right, at);
  for (std::int64_t i = 0; i < count; on_left.next_stretch(), on_right.next_stretch()) {
    const std::int64_t n = std::min(on_left.items_left(), count - i);
    interleave(left.first + on_left.offset(), rows.left.inner(), on_left.stride(),
               right.first + on_right.offset(), rows.right.inner(), on_right.stride(), n,
               left.width, out + i, pitch);
    i += n;
  }
}

/// How many rows are read together, of which `most` fit a second-level cache.
inline std::int64_t pairs_read_together(const pair_rows& rows, std::int64_t most,
                                        std::int64_t least, int num_threads) {
  const std::int64_t inner = rows.left.inner().extent;
  if (rows.left.num_reduced == 0 || rows.are_contiguous()) {
    return std::min(inner,
                    std::clamp<std::int64_t>(most, 1, 64));  // so that finding a group costs little
  }
  return std::max(columns_read_together(rows.left, most, least, num_threads),
                  columns_read_together(rows.right, most, least, num_threads));
}

/// Folds groups of rows of pairs: those along the inner kept axis that are read together.
template <class Indices, class F, class Left, class Right, class Pair>
class pair_group_folder {
 public:
  using item = Pair;

 private:
  using row_fold = std::remove_cvref_t<decltype(fold_of_row<Indices, Pair>(
      std::declval<const F&>(), std::declval<const array_rows&>(), std::int64_t{}))>;
  using state = typename F::state;
  static constexpr std::int64_t most_gathered = gathered_items<row_fold, Pair>;

 public:
  struct group_type {
    row_group<Left> left;
    row_group<Right> right;
    int width;
  };
  /// What a thread works with.
  struct room {
    explicit room(const pair_group_folder& of) : states(of.width_), items(of.width_ * of.pitch_) {}

    heap_array<state> states;
    heap_array<Pair> items;
  };

  pair_group_folder(const F& f, const Left* left, const Right* right, const pair_rows& rows,
                    int num_threads)
      : fold_(f),
        rows_(rows),
        pitch_(std::min(rows.left.row_items, most_gathered) + row_gap<Pair>),
        width_(pairs_read_together(
            rows, block_bytes / (pitch_ * static_cast<std::int64_t>(sizeof(Pair))),
            std::max(least_columns<Left>, least_columns<Right>), num_threads)),
        left_(left, rows.left, width_),
        right_(right, rows.right, width_) {}

  int width() const { return static_cast<int>(width_); }
  std::int64_t row_of(const group_type& group, int column) const {
    return group.left.row + column * rows_.left.inner().number;
  }
  std::int64_t num_groups() const { return left_.count(); }
  group_type group(std::int64_t number) const {
    const row_group<Left> left = left_[number];
    return {left, right_[number], left.width};
  }

  /// The answers for the rows of a group, which are short.
  template <class Put>
  void answer(const group_type& group, const room& in, const Put& put) const {
    const std::int64_t count = rows_.left.row_items;
    if (count > most_gathered) {
      fold(group, 0, count, in, in.states.data());
      for (int c = 0; c < group.width; ++c) {
        put(row_of(group, c), finish_state(fold_, in.states[c]));
      }
      return;
    }
    gather_row_pairs(rows_, group.left, group.right, 0, count, in.items.data(), pitch_);
    for (int c = 0; c < group.width; ++c) {
      put(row_of(group, c),
          finish_state(fold_, fold_row(fold_of(group, c), in.items.data() + c * pitch_, count, 0)));
    }
  }

  /// The states of pairs [at, at + count) of the rows of a group.
  void fold(const group_type& group, std::int64_t at, std::int64_t count, const room& in,
            state* out) const {
    fold_by_buffer<row_fold>(
        group.width, at, count, in.items.data(), pitch_,
        [&](int c) -> decltype(auto) { return fold_of(group, c); },
        [&](std::int64_t from, std::int64_t n) {
          gather_row_pairs(rows_, group.left, group.right, from, n, in.items.data(), pitch_);
        },
        out);
  }

 private:
  decltype(auto) fold_of(const group_type& group, int column) const {
    return fold_of_row<Indices, Pair>(fold_, rows_.left, row_of(group, column));
  }

  const F& fold_;
  const pair_rows& rows_;
  std::int64_t pitch_;
  std::int64_t width_;
  row_groups<Left> left_;
  row_groups<Right> right_;
};

}  // namespace detail

/// Folds each row of pairs of the items of two arrays, and hands on its answer, as fold_rows.
///
/// order      the bits of a row are those of the two rows in arrays of their own
/// cost       one pass over both arrays. A thread copies pairs side by side, up to a tile of each row that it reads
///            together with others
/// tested by  tests/api/reduce_axis_pairs_test.cpp
template <class Indices, class Pair, class F, class Left, class Right, class Put>
void fold_rows_of_pairs(const cpu_engine& engine, const F& f, const Left* left, const Right* right,
                        const pair_rows& rows, const Put& put) {
  const std::int64_t num_rows = rows.left.num_rows;
  if (num_rows == 0) return;
  if (rows.left.row_items == 0) {
    for (std::int64_t row = 0; row < num_rows; ++row) put(row, finish_empty(f));
    return;
  }
  const detail::pair_group_folder<Indices, F, Left, Right, Pair> folder(f, left, right, rows,
                                                                        engine.num_threads);
  detail::fold_row_groups(engine, f, folder, rows.left.row_items, put);
}

}  // namespace monofold
