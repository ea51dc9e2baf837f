#pragma once
/// reduce_axis: one call that reduces some axes of an array.

#include <cstdint>
#include <vector>

#include "monofold/engine/axes.hpp"
#include "monofold/engine/pair_axes.hpp"
#include "monofold/fold/fold.hpp"
#include "monofold/platform/status.hpp"
#include "monofold/reduce_segments.hpp"
#include "monofold/refused.hpp"
#include "monofold/shape/array_pairs.hpp"
#include "monofold/shape/array_view.hpp"
#include "monofold/shape/axes.hpp"
#include "monofold/shape/segments.hpp"

namespace monofold {

/// An array of answers in row-major order.
template <class Answer>
struct axis_result {
  std::vector<std::int64_t> extents;
  std::vector<Answer> values;
};

namespace detail {

/// The rows of an array, checked.
template <class Array, class F>
class checked_rows;

template <class Item>
void check_first(const array_view<Item>& items) {
  if (items.size() > 0 && items.data_of_first() == nullptr) {
    throw error(status::invalid_argument, "null items");
  }
}

template <class Item, class F>
class checked_rows<array_view<Item>, F> {
 public:
  using bound = bound_fold_t<F, Item>;
  using answer = answer_t<bound>;

  checked_rows(const cpu_engine& engine, const array_view<Item>& items, const axis_numbers& axes,
               const F& f)
      : engine_(engine),
        fold_(bind_fold<Item>(f)),
        first_(items.data_of_first()),
        rows_(rows_of(items.extents(), items.strides(), axes)) {
    check_first(items);
  }

  std::int64_t size() const { return rows_.num_rows; }
  bool has_empty() const { return rows_.num_rows > 0 && rows_.row_items == 0; }
  template <class Indices, class Put>
  void fold(const Put& put) const {
    fold_rows<Indices>(engine_, fold_, first_, rows_, put);
  }

 private:
  cpu_engine engine_;
  bound fold_;
  const Item* first_;
  array_rows rows_;
};

/// The same of pairs.
template <class Left, class Right, class Pair, class F>
class checked_rows<array_pairs<Left, Right, Pair>, F> {
 public:
  using bound = bound_fold_t<F, Pair>;
  using answer = answer_t<bound>;

  checked_rows(const cpu_engine& engine, const array_pairs<Left, Right, Pair>& items,
               const axis_numbers& axes, const F& f)
      : engine_(engine),
        fold_(bind_fold<Pair>(f)),
        left_(items.left().data_of_first()),
        right_(items.right().data_of_first()),
        rows_(rows_of_pair(extents_of_array(items), items.left().strides(), items.right().strides(),
                           axes)) {
    check_first(items.left());
    check_first(items.right());
  }

  std::int64_t size() const { return rows_.left.num_rows; }
  bool has_empty() const { return rows_.left.num_rows > 0 && rows_.left.row_items == 0; }
  template <class Indices, class Put>
  void fold(const Put& put) const {
    fold_rows_of_pairs<Indices, Pair>(engine_, fold_, left_, right_, rows_, put);
  }

 private:
  cpu_engine engine_;
  bound fold_;
  const Left* left_;
  const Right* right_;
  pair_rows rows_;
};

template <class Array>
std::vector<std::int64_t> extents_of_result(const Array& items, const axis_numbers& axes,
                                            keepdims keep) {
  const axis_numbers extents = result_extents(extents_of_array(items), axes, keep);
  return {extents.begin(), extents.end()};
}

}  // namespace detail

/// Reduces some axes of an array: one answer for each index of the others.
///
/// shape      items: an `array_view`, or a `zip` of two of the same extents, whose items are pairs, as `dot` takes
///            them. axes: any of the array's, in any order, negative ones from the last; none: each item is a row. The
///            result has the other extents, with `keepdims::yes` 1 for a reduced one. An axis of no items: as
///            `reduce` of nothing
/// order      the bits of a row are those of `reduce` of its items in row-major order, whatever the array's
///            layout, strides and other extents. Indices (of extrema, say) count along the row; with
///            `global_index` they are row-major ones of the array
/// sync       as `reduce`
/// errors     throws `error`, invalid_argument: an axis that the array does not have, or one twice; null items;
///            two arrays of different extents; out_of_memory: room for the answers, before anything is folded.
///            The answers hold what `finish` returns
/// cost       one pass over the items, in the order of memory as far as order allows; no copy of the array. Pairs
///            are copied side by side, up to some tiles of each row that a thread reads together
/// tested by  tests/api/reduce_axis_test.cpp, tests/api/reduce_axis_pairs_test.cpp
template <array_of_items Array, class F, class Indices = index_in_row>
requires fold_on<F, typename Array::item_type>
auto try_reduce_axis(const cpu_engine& engine, const Array& items, const axis_numbers& axes,
                     const F& f, keepdims keep = keepdims::no, Indices = {}) {
  const detail::checked_rows<Array, F> all(engine, items, axes, f);
  using answer = result<typename decltype(all)::answer>;
  return axis_result<answer>{detail::extents_of_result(items, axes, keep),
                             detail::fill_answers<answer>(all.size(), [&](answer* out) {
                               detail::finish_rows(
                                   out, [&](const auto& put) { all.template fold<Indices>(put); });
                             })};
}

/// The same, of bare values.
///
/// errors     also throws segment_error with the status of the first row without an answer
template <array_of_items Array, class F, class Indices = index_in_row>
requires fold_on<F, typename Array::item_type>
auto reduce_axis(const cpu_engine& engine, const Array& items, const axis_numbers& axes, const F& f,
                 keepdims keep = keepdims::no, Indices = {}) {
  const detail::checked_rows<Array, F> all(engine, items, axes, f);
  using answer = typename decltype(all)::answer;
  return axis_result<answer>{
      detail::extents_of_result(items, axes, keep),
      detail::values_of_rows<answer>(all.size(), "row",
                                     [&](const auto& put) { all.template fold<Indices>(put); })};
}

/// The same, left where `out` points: what `finish` of the fold returns, a value or a `result`, a row.
///
/// errors     also throws `error`, empty_input: rows without items where `finish` returns bare values and there
///            is no identity. Nothing is written then
template <array_of_items Array, class F, class Indices = index_in_row>
requires fold_on<F, typename Array::item_type>
void reduce_axis_into(const cpu_engine& engine, const Array& items, const axis_numbers& axes,
                      const F& f, finished_t<F, typename Array::item_type>* out, Indices = {}) {
  const detail::checked_rows<Array, F> all(engine, items, axes, f);
  if (!detail::can_finish_empty_v<F, typename Array::item_type> && all.has_empty()) {
    throw segment_error(status::empty_input, 0, "row");
  }
  detail::finish_rows(out, [&](const auto& put) { all.template fold<Indices>(put); });
}

}  // namespace monofold
