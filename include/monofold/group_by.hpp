#pragma once
/// group_by: one answer for each key.

#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "monofold/engine/group.hpp"
#include "monofold/engine/group_order.hpp"
#include "monofold/engine/runs.hpp"
#include "monofold/fold/fold.hpp"
#include "monofold/platform/status.hpp"
#include "monofold/reduce_segments.hpp"
#include "monofold/refused.hpp"
#include "monofold/shape/keys.hpp"
#include "monofold/shape/segments.hpp"
#include "monofold/shape/view.hpp"

namespace monofold {

/// A key and an answer for each group, at the same place of two lists.
template <class Key, class Answer>
struct grouped {
  std::vector<Key> keys;
  std::vector<Answer> answers;
};

namespace detail {

template <class Range, class F>
using group_fold_t = bound_fold_t<F, folded_item_t<Range, F>>;
template <class Range, class F>
using group_answer_t = answer_t<group_fold_t<Range, F>>;

inline void check_lengths(std::int64_t keys, std::int64_t values) {
  if (keys == values && keys >= 0) return;
  throw error(status::invalid_argument,
              std::to_string(keys) + " keys and " + std::to_string(values) + " values");
}

/// The answers of groups, as they are or without the results around them, which names the first group that
/// has none.
template <class Out, class Answer, class Fold>
std::vector<Out> answers_of_groups(std::int64_t count, const Fold& fold) {
  if constexpr (std::is_same_v<Out, Answer>) {
    return values_of_rows<Answer>(count, "group", fold);
  } else {
    return fill_answers<Out>(count, [&](Out* out) {
      fold([out](std::int64_t group, const result<Answer>& answer) { out[group] = answer; });
    });
  }
}

/// The answers of groups in the order asked for.
template <class Out, class Answer, class Key, class List>
grouped<Key, Out> in_order(int num_threads, const std::vector<List>& lists, key_order order) {
  const group_order places(num_threads, stored_key<Key>{}, lists, order);
  grouped<Key, Out> out;
  out.answers = answers_of_groups<Out, Answer>(places.size(), [&](const auto& put) {
    places.visit(num_threads, lists, [&](std::int64_t group, const List& list, std::size_t at) {
      put(group, list.answers[at]);
    });
  });
  out.keys = fill_answers<Key>(places.size(), [&](Key* to) {
    places.visit(num_threads, lists, [&](std::int64_t group, const List& list, std::size_t at) {
      to[group] = stored_key<Key>::key_of(list.keys[at]);
    });
  });
  return out;
}

template <class Out, class Indices, class Keys, class Range, class F>
grouped<item_of_t<Keys>, Out> group_into(const cpu_engine& engine, const Keys& keys,
                                         const Range& values, const F& f, key_order order) {
  using key = item_of_t<Keys>;
  const auto view = view_for<F>(values);
  const auto key_view = view_of(keys);
  check_lengths(key_view.size(), view.size());
  const auto bound = bind_fold<folded_item_t<Range, F>>(f);
  if constexpr (!stored_key<key>::is_word && !contiguous_item_view<view_of_t<Keys>>) {
    // The bytes of keys that are made when asked for must lie somewhere.
    std::vector<key> held;
    for (std::int64_t i = 0; i < key_view.size(); ++i) held.push_back(key_view[i]);
    return group_into<Out, Indices>(engine, held, values, f, order);
  } else {
    using view_type = folded_view_t<Range, F>;
    using folder_type =
        group_folder<Indices, group_fold_t<Range, F>, typename view_type::item_type>;
    const folder_type folder(engine.num_threads, bound);
    grouping<stored_key<key>, folder_type, view_of_t<Keys>, view_type> all(engine, key_view, view,
                                                                           folder, order);
    return in_order<Out, group_answer_t<Range, F>, key>(engine.num_threads, all.groups(), order);
  }
}

template <class Out, class Indices, class Keys, class Range, class F>
grouped<item_of_t<Keys>, Out> runs_into(const cpu_engine& engine, const Keys& keys,
                                        const Range& values, const F& f) {
  using key = item_of_t<Keys>;
  const auto key_view = view_of(keys);
  check_lengths(key_view.size(), view_of(values).size());
  const std::vector<std::int64_t> offsets = run_offsets(engine, key_view);
  const auto count = static_cast<std::int64_t>(offsets.size()) - 1;
  const checked_segments all(engine, values, offset_segments(offsets.data(), count), f);
  grouped<key, Out> out;
  out.answers = answers_of_groups<Out, group_answer_t<Range, F>>(
      count, [&](const auto& put) { all.template fold<Indices>(put); });
  for (std::int64_t run = 0; run < count; ++run) {
    out.keys.push_back(only_key<key>(key_view[offsets[static_cast<std::size_t>(run)]]));
  }
  return out;
}

/// What can be grouped: keys, and values that a fold takes.
template <class Keys, class Range, class F>
concept grouped_ranges = reducible<Keys> && group_key<item_of_t<Keys>> && folded_range<Range, F>;
template <class Keys, class Range, class F>
concept run_ranges = reducible<Keys> && run_key<item_of_t<Keys>> && folded_range<Range, F>;

}  // namespace detail

/// Folds the items of each key, wherever they lie: one answer a key.
///
/// shape      as many keys as values, each any range or view that `reduce` takes; keys: `group_key`. No
///            keys and no values: no group
/// order      an answer has the bits of `reduce` of the group's items in their order, whatever the threads and
///            the other groups; groups by `order`: sorted by key, or as they first appear. Indices count from
///            the group's first item, with `global_index` from the first of all
/// sync       blocks; a fold is called from several threads at once through a const reference
/// errors     throws invalid_argument where there are not as many keys as values, and segment_error for the
///            first group in the answer that has none (what `finish` returns); `try_group_by` has that group's
///            result hold the status. An exception of the fold passes through
/// cost       keys and values are copied twice at most; up to 1024 groups: values once, keys not. Memory for
///            that, and for the answers: no state outlives its group
/// NaN        all NaN keys are one group, which is sorted last; keys -0 and +0 are one, +0
/// tested by  tests/api/group_by_test.cpp
template <class Keys, class Range, class F, class Indices = index_in_row>
requires detail::grouped_ranges<Keys, Range, F>
auto group_by(const cpu_engine& engine, const Keys& keys, const Range& values, const F& f,
              key_order order = key_order::sorted, Indices = {})
    -> grouped<item_of_t<Keys>, detail::group_answer_t<Range, F>> {
  return detail::group_into<detail::group_answer_t<Range, F>, Indices>(engine, keys, values, f,
                                                                       order);
}

template <class Keys, class Range, class F, class Indices = index_in_row>
requires detail::grouped_ranges<Keys, Range, F>
auto group_by(const Keys& keys, const Range& values, const F& f,
              key_order order = key_order::sorted, Indices = {}) {
  return group_by(cpu, keys, values, f, order, Indices{});
}

template <class Keys, class Range, class F, class Indices = index_in_row>
requires detail::grouped_ranges<Keys, Range, F>
auto try_group_by(const cpu_engine& engine, const Keys& keys, const Range& values, const F& f,
                  key_order order = key_order::sorted, Indices = {})
    -> grouped<item_of_t<Keys>, result<detail::group_answer_t<Range, F>>> {
  return detail::group_into<result<detail::group_answer_t<Range, F>>, Indices>(engine, keys, values,
                                                                               f, order);
}

/// Folds the items of each run of equal keys: one answer a run, in their order; a key may come again.
///
/// shape      as for `group_by`; keys may be of any type that can be compared
/// order      as for `group_by`
/// errors     as for `group_by`
/// cost       two passes over the keys, one over the values, none of which is copied
/// NaN        neighbours that are NaN are one run, and so are -0 and +0
/// tested by  tests/api/group_by_test.cpp
template <class Keys, class Range, class F, class Indices = index_in_row>
requires detail::run_ranges<Keys, Range, F>
auto reduce_by_key(const cpu_engine& engine, const Keys& keys, const Range& values, const F& f,
                   Indices = {}) -> grouped<item_of_t<Keys>, detail::group_answer_t<Range, F>> {
  return detail::runs_into<detail::group_answer_t<Range, F>, Indices>(engine, keys, values, f);
}

template <class Keys, class Range, class F, class Indices = index_in_row>
requires detail::run_ranges<Keys, Range, F>
auto reduce_by_key(const Keys& keys, const Range& values, const F& f, Indices = {}) {
  return reduce_by_key(cpu, keys, values, f, Indices{});
}

template <class Keys, class Range, class F, class Indices = index_in_row>
requires detail::run_ranges<Keys, Range, F>
auto try_reduce_by_key(const cpu_engine& engine, const Keys& keys, const Range& values, const F& f,
                       Indices = {})
    -> grouped<item_of_t<Keys>, result<detail::group_answer_t<Range, F>>> {
  return detail::runs_into<result<detail::group_answer_t<Range, F>>, Indices>(engine, keys, values,
                                                                              f);
}

}  // namespace monofold
