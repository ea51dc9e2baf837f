#pragma once
/// group_by: one answer for each key, on a GPU.

#include <cuda_runtime_api.h>

#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include "monofold/engine/gpu/at_each.cuh"
#include "monofold/engine/gpu/device_list.cuh"
#include "monofold/engine/gpu/dispatch.cuh"
#include "monofold/engine/gpu/engine.cuh"
#include "monofold/engine/gpu/key/group_answers.cuh"
#include "monofold/engine/gpu/key/groups.cuh"
#include "monofold/engine/gpu/key/runs_fold.cuh"
#include "monofold/engine/gpu/segment/job.cuh"
#include "monofold/engine/gpu/workspace.cuh"
#include "monofold/fold/fold.hpp"
#include "monofold/group_by.hpp"
#include "monofold/platform/status.hpp"
#include "monofold/reduce_segments.cuh"
#include "monofold/refused.cuh"
#include "monofold/shape/keys.hpp"
#include "monofold/shape/segments.hpp"
#include "monofold/shape/view.hpp"

namespace monofold {

namespace why {

struct on_a_gpu_a_key_is_a_number_or_an_array_of_up_to_8_bytes;
struct on_a_gpu_indices_count_in_their_group_there_is_no_global_index;
struct on_a_gpu_the_items_of_groups_must_be_trivially_copyable;

}  // namespace why

/// What `group_by` and `reduce_by_key` take on a GPU.
template <class Keys, class Range, class F>
concept gpu_grouped_ranges = reducible<Keys> && detail::device_key<item_of_t<Keys>> &&
    gpu_folded_range<Range, F> && std::is_trivially_copyable_v<folded_item_t<Range, F>>;

namespace detail {

template <class Keys, class Range, class F>
struct gpu_groups_why_not {
  using type = why::on_a_gpu_a_key_is_a_number_or_an_array_of_up_to_8_bytes;
};
template <reducible Keys, class Range, class F>
requires(device_key<item_of_t<Keys>> &&
         !gpu_folded_range<Range, F>) struct gpu_groups_why_not<Keys, Range, F>
    : gpu_why_not<Range, F> {
};
template <reducible Keys, class Range, class F>
requires(device_key<item_of_t<Keys>>&&
             gpu_folded_range<Range, F>) struct gpu_groups_why_not<Keys, Range, F> {
  using type = why::on_a_gpu_the_items_of_groups_must_be_trivially_copyable;
};
template <class Keys, class Range, class F>
using gpu_groups_why_not_t = typename gpu_groups_why_not<Keys, Range, F>::type;

template <class F, class View>
void check_group_calls() {
  check_calls<F, View>();
  if constexpr (!is_all_fold<F>::value && !is_top_fold_v<F>) {
    static_cast<void>(&device_calls<F, typename View::item_type>::finish_needs_MONOFOLD_HD);
  }
}

template <class T>
auto brought(const device_stream& on, const device_list<T>& list) {
  using value = typename on_host<T>::type;
  static_assert(sizeof(value) == sizeof(T));
  return fill_answers<value>(list.size(), [&](value* to) {
    throw_if(failure_of(
        cudaMemcpyAsync(to, list.data(), static_cast<std::size_t>(list.size()) * sizeof(T),
                        cudaMemcpyDeviceToHost, on.stream),
        "cudaMemcpyAsync"));
    throw_if(failure_of(cudaStreamSynchronize(on.stream), "cudaStreamSynchronize"));
  });
}

/// What is left of each group, in the order of the answer, on the device.
///
/// shape      out: memory for it, of one a group; none: it is allocated
/// sync       does not wait; uses the workspace of this thread
template <class F, class View, class Key>
device_list<left_of_group_t<F>> left_of_groups(const device_stream& on, const F& f,
                                               const View& view, const device_groups<Key>& groups,
                                               device_list<left_of_group_t<F>> out = {}) {
  using left = left_of_group_t<F>;
  using sinks =
      std::conditional_t<is_all_fold<F>::value, segment_states<left>, segment_answers<left>>;
  const offset_segments segments(groups.offsets.data(), groups.count());
  const auto path = path_of(on, f, view, segments);
  awaited_state& place = awaited_state::of_device(on.device);
  throw_if(place.reserve(0, path.workspace_bytes()));
  if (out.data() == nullptr) out = device_list<left>(on, groups.count());
  throw_if(
      segments_into_async<false>(on, path, view, segments, place.workspace(), sinks{out.data()}));
  if (groups.are_in_order()) return out;
  device_list<left> in_order(on, groups.count());
  at_each(
      on, groups.count(),
      gather_items<contiguous_view<left>, std::uint32_t>{
          contiguous_view<left>(out.data(), groups.count()), groups.order.data(), in_order.data()});
  return in_order;
}

/// Folds runs of equal keys.
///
/// sync       waits for the number of runs; uses the workspace of this thread
template <class F, class View, class KeyView>
auto fold_runs(const device_stream& on, const F& f, const View& view, const KeyView& keys) {
  using left = left_of_group_t<F>;
  using fold = runs_fold<F, View, KeyView, left, is_all_fold<F>::value || is_top_fold_v<F>>;
  fold own(on, f, view, keys);
  device_runs<typename KeyView::item_type, left> out = own.start();
  if (own.are_folded()) return out;
  auto groups = own.groups(std::move(out.keys));
  out.left = left_of_groups(on, f, view, groups, std::move(out.left));
  out.keys = std::move(groups.keys);
  return out;
}

/// Answers of groups, from what is left of them.
template <class Out, class F, class Left>
std::vector<Out> answers_of_left(const F& f, std::vector<Left> left) {
  using answer = answer_t<F>;
  if constexpr (std::is_same_v<Out, Left> && !is_all_fold<F>::value) {
    return left;
  } else {
    const auto count = static_cast<std::int64_t>(left.size());
    return answers_of_groups<Out, answer>(count, [&](const auto& put) {
      for (std::int64_t p = 0; p < count; ++p) {
        const auto& own = left[static_cast<std::size_t>(p)];
        if constexpr (is_all_fold<F>::value) {
          put(p, finish_state(f, own));
        } else {
          put(p, result<answer>(own));
        }
      }
    });
  }
}

/// What bring() gives. Where it throws, a kernel may have left things in the workspace of this thread.
template <class Bring>
auto brought_or_discarded(const device_stream& on, const Bring& bring) {
  try {
    return bring();
  } catch (...) {
    awaited_state::of_device(on.device).discard_workspace();
    throw;
  }
}

/// The answers of groups, waited for.
template <class Out, class F, class View, class Key>
std::vector<Out> wait_for_groups(const device_stream& on, const F& f, const View& view,
                                 const device_groups<Key>& groups) {
  using answer = answer_t<F>;
  if constexpr (is_top_fold_v<F>) {
    std::int64_t bad = -1;  // no group is none
    const offset_segments segments(groups.offsets.data(), groups.count());
    const auto found = path_of(on, f, view, segments).wait(on, false, bad);
    const std::vector<std::uint32_t> order = brought(on, groups.order);
    return answers_of_groups<Out, answer>(groups.count(), [&](const auto& put) {
      for (std::int64_t p = 0; p < groups.count(); ++p) {
        const auto at = static_cast<std::size_t>(p);
        put(p, found[groups.are_in_order() ? at : order[at]]);
      }
    });
  } else {
    return answers_of_left<Out>(f, brought_or_discarded(on, [&] {
                                  return brought(on, left_of_groups(on, f, view, groups));
                                }));
  }
}

/// Checks what a caller gave; false: there are no items.
template <class KeyView, class View>
bool open_groups(const gpu_engine& engine, const KeyView& keys, const View& values,
                 device_stream& on) {
  check_lengths(keys.size(), static_cast<std::int64_t>(values.size()));
  throw_if(open_stream(engine, on));
  throw_if(check_waitable(on));
  throw_if(check_view(keys, on.device));
  throw_if(check_view(values, on.device));
  return keys.size() > 0;
}

template <class Out, class Keys, class Range, class F>
grouped<item_of_t<Keys>, Out> group_and_wait(const gpu_engine& engine, const Keys& keys,
                                             const Range& values, const F& f, key_order order) {
  using fold = bound_fold_t<F, folded_item_t<Range, F>>;
  using key_view = view_of_t<Keys>;
  using view = folded_view_t<Range, F>;
  check_group_calls<fold, view>();
  check_calls<word_range_fold<item_of_t<Keys>>, key_view>();
  const key_view own_keys = view_of(keys);
  const view own = view_for<F>(values);
  device_stream on{};
  if (!open_groups(engine, own_keys, own, on)) return {};
  const key_sort<key_view, view> sorted(on, own_keys, own, order);
  const auto bound = bind_fold<folded_item_t<Range, F>>(f);
  auto answers = wait_for_groups<Out>(on, bound, sorted.items(), sorted.groups());
  return {brought(on, sorted.groups().keys), std::move(answers)};
}

template <class Out, class Keys, class Range, class F>
grouped<item_of_t<Keys>, Out> runs_and_wait(const gpu_engine& engine, const Keys& keys,
                                            const Range& values, const F& f) {
  using fold = bound_fold_t<F, folded_item_t<Range, F>>;
  using key_view = view_of_t<Keys>;
  using view = folded_view_t<Range, F>;
  check_group_calls<fold, view>();
  check_calls<word_range_fold<item_of_t<Keys>>, key_view>();
  const key_view own_keys = view_of(keys);
  const view own = view_for<F>(values);
  device_stream on{};
  if (!open_groups(engine, own_keys, own, on)) return {};
  const auto bound = bind_fold<folded_item_t<Range, F>>(f);
  using key = item_of_t<Keys>;
  if constexpr (is_top_fold_v<fold>) {
    const auto groups =
        groups_of<key>(on, run_starts(on, own_keys), own_keys, 0, key_order::sorted);
    auto answers = wait_for_groups<Out>(on, bound, own, groups);
    return {brought(on, groups.keys), std::move(answers)};
  } else {
    auto found = brought_or_discarded(on, [&] {
      const auto runs = fold_runs(on, bound, own, own_keys);
      return std::pair(brought(on, runs.keys), brought(on, runs.left));
    });
    return {std::move(found.first), answers_of_left<Out>(bound, std::move(found.second))};
  }
}

template <class Range, class F>
using gpu_group_answer_t = answer_t<bound_fold_t<F, folded_item_t<Range, F>>>;

}  // namespace detail

/// Folds the items of each key, wherever they lie in memory that the device can read, and waits.
///
/// shape      as many keys as values, fewer than 2^32 of each; keys: numbers, or arrays of up to 8 bytes; each a
///            contiguous range or any view of device memory. The answer lies in the host's memory
/// order      as on the CPU, with its bits: those of `reduce` of each group's items in their order. Indices count
///            from the group's first item
/// sync       waits; the stream must not be captured
/// errors     as on the CPU, of the same words; as `reduce` of a GPU; unsupported: 2^32 items or more
/// cost       memory while it runs, of the device's pool: docs/groups.md. A sort of as many bits as keys differ in
/// NaN        as on the CPU
/// tested by  tests/gpu/group_by_sums_test.cu
template <class Keys, class Range, class F>
requires gpu_grouped_ranges<Keys, Range, F>
auto group_by(const gpu_engine& engine, const Keys& keys, const Range& values, const F& f,
              key_order order = key_order::sorted, index_in_row = {})
    -> grouped<item_of_t<Keys>, detail::gpu_group_answer_t<Range, F>> {
  return detail::group_and_wait<detail::gpu_group_answer_t<Range, F>>(engine, keys, values, f,
                                                                      order);
}

template <class Keys, class Range, class F>
requires gpu_grouped_ranges<Keys, Range, F>
auto try_group_by(const gpu_engine& engine, const Keys& keys, const Range& values, const F& f,
                  key_order order = key_order::sorted, index_in_row = {})
    -> grouped<item_of_t<Keys>, result<detail::gpu_group_answer_t<Range, F>>> {
  return detail::group_and_wait<result<detail::gpu_group_answer_t<Range, F>>>(engine, keys, values,
                                                                              f, order);
}

/// Folds the items of each run of equal keys, and waits: one answer a run, in their order; a key may come again.
///
/// shape      as for `group_by`, of any number
/// order      as for `group_by`
/// errors     as for `group_by`
/// cost       a pass over the keys, one over the values, none of which is copied; a bit a key; a run's key, answer and 8
///            bytes, or of up to 512 MiB as much a key
/// NaN        neighbours that are NaN are one run, and so are -0 and +0
/// tested by  tests/gpu/group_by_sums_test.cu, tests/gpu/found_runs_test.cu, tests/gpu/far_runs_test.cu
template <class Keys, class Range, class F>
requires gpu_grouped_ranges<Keys, Range, F>
auto reduce_by_key(const gpu_engine& engine, const Keys& keys, const Range& values, const F& f,
                   index_in_row = {})
    -> grouped<item_of_t<Keys>, detail::gpu_group_answer_t<Range, F>> {
  return detail::runs_and_wait<detail::gpu_group_answer_t<Range, F>>(engine, keys, values, f);
}

template <class Keys, class Range, class F>
requires gpu_grouped_ranges<Keys, Range, F>
auto try_reduce_by_key(const gpu_engine& engine, const Keys& keys, const Range& values, const F& f,
                       index_in_row = {})
    -> grouped<item_of_t<Keys>, result<detail::gpu_group_answer_t<Range, F>>> {
  return detail::runs_and_wait<result<detail::gpu_group_answer_t<Range, F>>>(engine, keys, values,
                                                                             f);
}

#if defined(__CUDACC__)
template <class Keys, class Range, class F, class... More,
          class Why = detail::gpu_groups_why_not_t<Keys, Range, F>>
requires(!gpu_grouped_ranges<Keys, Range, F>) void group_by(const gpu_engine&, const Keys&,
                                                            const Range&, const F&,
                                                            More...) = delete;
template <class Keys, class Range, class F, class... More,
          class Why = detail::gpu_groups_why_not_t<Keys, Range, F>>
requires(!gpu_grouped_ranges<Keys, Range, F>) void try_group_by(const gpu_engine&, const Keys&,
                                                                const Range&, const F&,
                                                                More...) = delete;
template <class Keys, class Range, class F, class... More,
          class Why = detail::gpu_groups_why_not_t<Keys, Range, F>>
requires(!gpu_grouped_ranges<Keys, Range, F>) void reduce_by_key(const gpu_engine&, const Keys&,
                                                                 const Range&, const F&,
                                                                 More...) = delete;
template <class Keys, class Range, class F, class... More,
          class Why = detail::gpu_groups_why_not_t<Keys, Range, F>>
requires(!gpu_grouped_ranges<Keys, Range, F>) void try_reduce_by_key(const gpu_engine&, const Keys&,
                                                                     const Range&, const F&,
                                                                     More...) = delete;
#endif
template <class Keys, class Range, class F,
          class Why = why::on_a_gpu_indices_count_in_their_group_there_is_no_global_index>
requires gpu_grouped_ranges<Keys, Range, F>
void group_by(const gpu_engine&, const Keys&, const Range&, const F&, key_order,
              index_in_all) = delete;
template <class Keys, class Range, class F,
          class Why = why::on_a_gpu_indices_count_in_their_group_there_is_no_global_index>
requires gpu_grouped_ranges<Keys, Range, F>
void try_group_by(const gpu_engine&, const Keys&, const Range&, const F&, key_order,
                  index_in_all) = delete;
template <class Keys, class Range, class F,
          class Why = why::on_a_gpu_indices_count_in_their_group_there_is_no_global_index>
requires gpu_grouped_ranges<Keys, Range, F>
void reduce_by_key(const gpu_engine&, const Keys&, const Range&, const F&, index_in_all) = delete;
template <class Keys, class Range, class F,
          class Why = why::on_a_gpu_indices_count_in_their_group_there_is_no_global_index>
requires gpu_grouped_ranges<Keys, Range, F>
void try_reduce_by_key(const gpu_engine&, const Keys&, const Range&, const F&,
                       index_in_all) = delete;

}  // namespace monofold
