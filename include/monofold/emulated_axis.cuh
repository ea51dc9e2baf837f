#pragma once
/// emulated_axis: calls that reduce some axes of an array in host memory, on the emulated device.

#include <cstdint>
#include <cstring>
#include <utility>

#include "monofold/emulated.cuh"
#include "monofold/reduce_axis.cuh"
#include "monofold/refused.cuh"
#include "monofold/shape/array_pairs.hpp"
#include "monofold/shape/array_view.hpp"
#include "monofold/shape/segments.hpp"

namespace monofold {

namespace detail {

/// A copy of an array of host memory in the emulated device's, with the same strides, so that kernels walk it in the
/// same way. Of what lies between items, nothing is read.
template <class Array>
class emulated_array;

template <class Item>
class emulated_array<array_view<Item>> {
 public:
  explicit emulated_array(const array_view<Item>& from) : view_(from) {
    if (from.size() == 0 || from.data_of_first() == nullptr) return;  // refused, or no items
    std::int64_t lowest = 0;                                          // from item (0, 0, ...)
    std::int64_t highest = 0;
    for (int k = 0; k < from.rank(); ++k) {
      const std::int64_t reach = (from.extents()[k] - 1) * from.strides()[k];
      (reach < 0 ? lowest : highest) += reach;
    }
    throw_if(copy_.make_room(highest - lowest + 1));
    Item* const first = copy_.data() - lowest;  // hosts may write there: it is no other device's
    for (std::int64_t i = 0; i < from.size(); ++i) {
      const Item& item = from[i];
      std::memcpy(first + (&item - from.data_of_first()), &item, sizeof(Item));
    }
    view_ = array_view<Item>(first, from.extents(), from.strides());
  }
  const array_view<Item>& view() const { return view_; }

 private:
  emulated_copy<Item> copy_;
  array_view<Item> view_;
};

template <class Left, class Right, class Pair>
class emulated_array<array_pairs<Left, Right, Pair>> {
 public:
  explicit emulated_array(const array_pairs<Left, Right, Pair>& from)
      : left_(from.left()), right_(from.right()) {}
  array_pairs<Left, Right, Pair> view() const { return {left_.view(), right_.view()}; }

 private:
  emulated_array<array_view<Left>> left_;
  emulated_array<array_view<Right>> right_;
};

}  // namespace detail

/// Reduces some axes of an array in host memory, by the kernels of the GPU engine: a `result` a row.
///
/// shape      as `reduce_axis` on the CPU; the items are copied, with the same strides
/// order      as on the CPU, with its bits
/// sync       as `reduce` of the emulated device
/// errors     as `try_reduce_axis` of a GPU
/// cost       memory from the first item to the last, whatever lies between
/// tested by  tests/emulation/axes_test.cu
template <class Item, class F, class Indices = index_in_row>
requires gpu_fold_on<F, Item>
auto try_reduce_axis(const emulated_engine&, const array_view<Item>& items,
                     const axis_numbers& axes, const F& f, keepdims keep = keepdims::no,
                     Indices = {}) {
  const detail::emulated_array<array_view<Item>> copy(items);
  return try_reduce_axis(gpu, copy.view(), axes, f, keep, Indices{});
}

/// The same, of bare values.
///
/// errors     also throws segment_error with the status of the first row without an answer
template <class Item, class F, class Indices = index_in_row>
requires gpu_fold_on<F, Item>
auto reduce_axis(const emulated_engine&, const array_view<Item>& items, const axis_numbers& axes,
                 const F& f, keepdims keep = keepdims::no, Indices = {}) {
  const detail::emulated_array<array_view<Item>> copy(items);
  return reduce_axis(gpu, copy.view(), axes, f, keep, Indices{});
}

/// The same of the pairs of two arrays, as `zip` makes them and `dot` takes them.
///
/// tested by  tests/emulation/axes_test.cu
template <class Left, class Right, class Pair, class F>
requires gpu_folded_range<array_pairs<Left, Right, Pair>, F>
auto try_reduce_axis(const emulated_engine&, const array_pairs<Left, Right, Pair>& items,
                     const axis_numbers& axes, const F& f, keepdims keep = keepdims::no) {
  const detail::emulated_array<array_pairs<Left, Right, Pair>> copy(items);
  return try_reduce_axis(gpu, copy.view(), axes, f, keep);
}
template <class Left, class Right, class Pair, class F>
requires gpu_folded_range<array_pairs<Left, Right, Pair>, F>
auto reduce_axis(const emulated_engine&, const array_pairs<Left, Right, Pair>& items,
                 const axis_numbers& axes, const F& f, keepdims keep = keepdims::no) {
  const detail::emulated_array<array_pairs<Left, Right, Pair>> copy(items);
  return reduce_axis(gpu, copy.view(), axes, f, keep);
}

}  // namespace monofold
