#pragma once
/// shape/array_pairs: two arrays of the same extents, whose items with the same indices make pairs.

#include "monofold/platform/status.hpp"
#include "monofold/shape/array_view.hpp"
#include "monofold/shape/axes.hpp"
#include "monofold/shape/view.hpp"

namespace monofold {

/// As `zip` makes them of two array views.
template <class Left, class Right, class Pair>
using array_pairs = zipped_view<array_view<Left>, array_view<Right>, Pair>;

namespace detail {

template <class Array>
inline constexpr bool is_array_v = false;
template <class Item>
inline constexpr bool is_array_v<array_view<Item>> = true;
template <class Left, class Right, class Pair>
inline constexpr bool is_array_v<array_pairs<Left, Right, Pair>> = true;

template <class Item>
constexpr const axis_numbers& extents_of_array(const array_view<Item>& items) {
  return items.extents();
}
/// errors     throws `error`, invalid_argument: they differ
template <class Left, class Right, class Pair>
constexpr const axis_numbers& extents_of_array(const array_pairs<Left, Right, Pair>& items) {
  if (!(items.left().extents() == items.right().extents())) {
    throw error(status::invalid_argument, "two arrays of different extents");
  }
  return items.left().extents();
}

/// The same items with other axes: the kept ones first, so that an index counts row after row; those that are walked
/// as one are one.
template <class Item>
constexpr array_view<Item> row_after_row(const array_view<Item>& items, const axis_numbers& axes) {
  const axis_set is_reduced(items.rank(), axes);
  axis_step steps[max_axes] = {};
  int count = 0;
  for (const bool reduced : {false, true}) {
    for (int k = 0; k < items.rank(); ++k) {
      if (is_reduced.has[k] != reduced || items.extents()[k] == 1) continue;
      steps[count++] = {items.extents()[k], items.strides()[k], 0};
    }
  }
  count = join_axes(count, steps);
  axis_numbers extents;
  axis_numbers strides;
  for (int k = 0; k < count; ++k) {
    extents.push_back(steps[k].extent);
    strides.push_back(steps[k].stride);
  }
  return {items.data_of_first(), extents, strides};
}

}  // namespace detail

/// What has axes: an array, or the pairs of two.
template <class Array>
concept array_of_items = detail::is_array_v<Array>;

}  // namespace monofold
