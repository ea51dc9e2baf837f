#pragma once
/// emulated_groups: calls that give one answer for each key of host memory, on the emulated device.

#include "monofold/emulated.cuh"
#include "monofold/emulated_segments.cuh"
#include "monofold/group_by.cuh"
#include "monofold/refused.cuh"
#include "monofold/shape/keys.hpp"
#include "monofold/shape/segments.hpp"
#include "monofold/shape/view.hpp"

namespace monofold {

namespace detail {

/// Keys and values as the emulated device gets them.
template <class Keys, class Range, class F>
struct emulated_groups {
  emulated_groups(const Keys& of_keys, const Range& of_values)
      : keys(view_of(of_keys)), values(view_for<F>(of_values)) {}

  emulated_view<view_of_t<Keys>> keys;
  emulated_view<folded_view_t<Range, F>> values;
};

}  // namespace detail

/// Folds the items of each key, wherever they lie in host memory, by the kernels of the GPU engine.
///
/// shape      as `group_by` on a GPU; keys and values that lie side by side are copied, others are computed from host
///            memory
/// order      as on the CPU, with its bits
/// sync       as `reduce` of the emulated device
/// errors     as `group_by` of a GPU
/// cost       no kernel sorts: where a GPU runs CUB's radix sort, the host's std::stable_sort orders the words of keys
/// NaN        as on the CPU
/// tested by  tests/emulation/groups_test.cu
template <class Keys, class Range, class F>
requires gpu_grouped_ranges<Keys, Range, F>
auto group_by(const emulated_engine&, const Keys& keys, const Range& values, const F& f,
              key_order order = key_order::sorted, index_in_row = {}) {
  const detail::emulated_groups<Keys, Range, F> own(keys, values);
  return group_by(gpu, own.keys.view(), own.values.view(), f, order);
}

template <class Keys, class Range, class F>
requires gpu_grouped_ranges<Keys, Range, F>
auto try_group_by(const emulated_engine&, const Keys& keys, const Range& values, const F& f,
                  key_order order = key_order::sorted, index_in_row = {}) {
  const detail::emulated_groups<Keys, Range, F> own(keys, values);
  return try_group_by(gpu, own.keys.view(), own.values.view(), f, order);
}

/// Folds the items of each run of equal keys: one answer a run, in their order; a key may come again.
///
/// shape      as for `group_by`
/// order      as for `group_by`
/// errors     as for `group_by`
/// NaN        neighbours that are NaN are one run, and so are -0 and +0
/// tested by  tests/emulation/groups_test.cu
template <class Keys, class Range, class F>
requires gpu_grouped_ranges<Keys, Range, F>
auto reduce_by_key(const emulated_engine&, const Keys& keys, const Range& values, const F& f,
                   index_in_row = {}) {
  const detail::emulated_groups<Keys, Range, F> own(keys, values);
  return reduce_by_key(gpu, own.keys.view(), own.values.view(), f);
}

template <class Keys, class Range, class F>
requires gpu_grouped_ranges<Keys, Range, F>
auto try_reduce_by_key(const emulated_engine&, const Keys& keys, const Range& values, const F& f,
                       index_in_row = {}) {
  const detail::emulated_groups<Keys, Range, F> own(keys, values);
  return try_reduce_by_key(gpu, own.keys.view(), own.values.view(), f);
}

}  // namespace monofold
