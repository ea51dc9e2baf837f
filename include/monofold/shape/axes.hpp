#pragma once
/// shape/axes: which items of an array make one row when some of its axes are reduced. Arithmetic only.

#include <cstdint>
#include <string>
#include <utility>

#include "monofold/platform/host_device.hpp"
#include "monofold/platform/status.hpp"
#include "monofold/shape/array_view.hpp"

namespace monofold {

/// Whether reduced axes stay in the result, with extent 1.
enum class keepdims { no, yes };

/// An axis as it is walked.
struct axis_step {
  std::int64_t extent;
  std::int64_t stride;  // items of memory from one index to the next
  std::int64_t
      number;  // of a kept axis: rows of the result; of a reduced one: row-major indices of the array
};

/// The rows of an array: each is what one item of the result is made of.
///
/// Neighbouring axes that are walked as one are one here, and axes of extent 1 are none. The reduced axes stay in
/// the order of their indices, outermost first: items of a row are numbered in it. The kept axes come in the order
/// of their strides, the largest first: rows next to each other in memory are neighbours, whatever the result's
/// order. With rows side by side there is one kept axis, and the reduced one has stride 1.
struct array_rows {
  std::int64_t num_rows = 1;
  std::int64_t row_items = 1;
  int num_kept = 0;
  int num_reduced = 0;
  axis_step kept[max_axes] = {};
  axis_step reduced[max_axes] = {};
  // The kept axes again, in the order of the result; `number`: row-major indices of the array.
  int num_result_axes = 0;
  axis_step result_axes[max_axes] = {};

  /// The items of a row lie side by side.
  MONOFOLD_HD constexpr bool is_contiguous() const {
    return num_reduced == 0 || (num_reduced == 1 && reduced[0].stride == 1);
  }
  /// The kept axis whose rows lie nearest to each other.
  MONOFOLD_HD constexpr axis_step inner() const {
    return num_kept == 0 ? axis_step{1, 0, 0} : kept[num_kept - 1];
  }
  /// Where item `i` of a row lies, from the row's first one.
  MONOFOLD_HD constexpr std::int64_t offset_of_item(std::int64_t i) const {
    std::int64_t offset = 0;
    for (int k = num_reduced; k-- > 0; i /= reduced[k].extent) {
      offset += i % reduced[k].extent * reduced[k].stride;
    }
    return offset;
  }
  /// The row-major index in the array of item `i` of row `row` of the result.
  MONOFOLD_HD constexpr std::int64_t index_of(std::int64_t row, std::int64_t i) const {
    std::int64_t index = 0;
    for (int k = num_reduced; k-- > 0; i /= reduced[k].extent) {
      index += i % reduced[k].extent * reduced[k].number;
    }
    for (int k = num_result_axes; k-- > 0; row /= result_axes[k].extent) {
      index += row % result_axes[k].extent * result_axes[k].number;
    }
    return index;
  }
};

namespace detail {

/// The row-major index in an array of item `i` of one of its rows.
struct index_in_array {
  const array_rows* rows;
  std::int64_t row;

  MONOFOLD_HD constexpr std::int64_t operator()(std::int64_t i) const {
    return rows->index_of(row, i);
  }
};

/// Which axes are named; a negative number counts from the last one.
struct axis_set {
  bool has[max_axes] = {};

  MONOFOLD_INLINE constexpr axis_set(int rank, const axis_numbers& axes) {
    for (const std::int64_t axis : axes) {
      const std::int64_t k = axis < 0 ? axis + rank : axis;
      if (k < 0 || k >= rank) {
        throw error(status::invalid_argument,
                    "axis " + std::to_string(axis) + " of an array of " + std::to_string(rank));
      }
      if (has[k]) throw error(status::invalid_argument, "axis " + std::to_string(axis) + " twice");
      has[k] = true;
    }
  }
};

constexpr std::int64_t distance(std::int64_t stride) { return stride < 0 ? -stride : stride; }

/// Axes of some arrays, in the order of all their strides together.
template <class... Steps>
constexpr void sort_by_strides(int count, Steps*... steps) {
  const auto is_before = [&](int i, int k) {
    return (distance(steps[i].stride) + ...) < (distance(steps[k].stride) + ...);
  };
  for (int i = 1; i < count; ++i) {
    for (int k = i; k > 0 && is_before(k - 1, k); --k) (std::swap(steps[k - 1], steps[k]), ...);
  }
}

/// Whether neighbouring axes are walked as one.
constexpr bool are_one(const axis_step& outer, const axis_step& inner) {
  return outer.stride == inner.extent * inner.stride && outer.number == inner.extent * inner.number;
}

/// Makes neighbouring axes one where all the arrays walk them as one; how many are left.
template <class... Steps>
constexpr int join_axes(int count, Steps*... steps) {
  int left = 0;
  for (int k = 0; k < count; ++k) {
    if (left > 0 && (are_one(steps[left - 1], steps[k]) && ...)) {
      --left;
      ((steps[left] = {steps[left].extent * steps[k].extent, steps[k].stride, steps[k].number}),
       ...);
    } else {
      ((steps[left] = steps[k]), ...);
    }
    ++left;
  }
  return left;
}

/// The rows of an array, whose kept axes are those of the result; no two axes are joined.
MONOFOLD_INLINE constexpr array_rows separate_axes(const axis_numbers& extents,
                                                   const axis_numbers& strides,
                                                   const axis_numbers& axes) {
  const int rank = extents.size();
  const axis_set is_reduced(rank, axes);
  std::int64_t index_strides[max_axes] = {};
  std::int64_t row_strides[max_axes] = {};
  array_rows rows;
  std::int64_t index_stride = 1;
  bool fits = true;
  for (int k = rank; k-- > 0;) {
    std::int64_t& items = is_reduced.has[k] ? rows.row_items : rows.num_rows;
    index_strides[k] = index_stride;
    row_strides[k] = rows.num_rows;
    fits = !__builtin_mul_overflow(items, extents[k], &items) && fits;
    // Where this is too large there are no items, and no index.
    static_cast<void>(__builtin_mul_overflow(index_stride, extents[k], &index_stride));
  }
  if (!fits) throw error(status::invalid_argument, "more rows than can be counted");
  if (rows.num_rows == 0 || rows.row_items == 0) return rows;
  for (int k = 0; k < rank; ++k) {
    if (extents[k] == 1) continue;
    const axis_step step{extents[k], strides[k], index_strides[k]};
    if (is_reduced.has[k]) {
      rows.reduced[rows.num_reduced++] = step;
    } else {
      rows.result_axes[rows.num_result_axes++] = step;
      rows.kept[rows.num_kept++] = {extents[k], strides[k], row_strides[k]};
    }
  }
  return rows;
}

/// Sorts and joins the axes of arrays that have the same ones.
template <class... Rows>
constexpr void join_rows(array_rows& first, Rows&... others) {
  sort_by_strides(first.num_kept, first.kept, others.kept...);
  first.num_kept = join_axes(first.num_kept, first.kept, others.kept...);
  first.num_reduced = join_axes(first.num_reduced, first.reduced, others.reduced...);
  ((others.num_kept = first.num_kept, others.num_reduced = first.num_reduced), ...);
}

}  // namespace detail

/// The rows that reducing `axes` makes of an array with these extents and strides.
///
/// shape      no axes: each item is a row. An axis of no items: rows of none, or no rows
/// errors     throws `error`, invalid_argument: an axis that the array does not have, or one named twice; more
///            rows than can be counted
/// tested by  tests/shape/array_view_test.cpp
constexpr array_rows rows_of(const axis_numbers& extents, const axis_numbers& strides,
                             const axis_numbers& axes) {
  array_rows rows = detail::separate_axes(extents, strides, axes);
  detail::join_rows(rows);
  return rows;
}

/// The rows of two arrays of the same extents that are walked together: both have the same axes, so an axis is one
/// only where each array walks it as one.
struct pair_rows {
  array_rows left;
  array_rows right;

  MONOFOLD_HD constexpr bool are_contiguous() const {
    return left.is_contiguous() && right.is_contiguous();
  }
};

/// The same of two arrays.
///
/// tested by  tests/api/reduce_axis_pairs_test.cpp
constexpr pair_rows rows_of_pair(const axis_numbers& extents, const axis_numbers& left_strides,
                                 const axis_numbers& right_strides, const axis_numbers& axes) {
  pair_rows rows{detail::separate_axes(extents, left_strides, axes),
                 detail::separate_axes(extents, right_strides, axes)};
  detail::join_rows(rows.left, rows.right);
  return rows;
}

/// The extents of the result.
constexpr axis_numbers result_extents(const axis_numbers& extents, const axis_numbers& axes,
                                      keepdims keep) {
  const detail::axis_set is_reduced(extents.size(), axes);
  axis_numbers out;
  for (int k = 0; k < extents.size(); ++k) {
    if (!is_reduced.has[k]) {
      out.push_back(extents[k]);
    } else if (keep == keepdims::yes) {
      out.push_back(1);
    }
  }
  return out;
}

}  // namespace monofold
