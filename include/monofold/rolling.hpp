#pragma once
/// rolling: one call that reduces each window of neighbouring items.

#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "monofold/engine/rolling.hpp"
#include "monofold/fold/fold.hpp"
#include "monofold/platform/status.hpp"
#include "monofold/reduce_segments.hpp"
#include "monofold/refused.hpp"
#include "monofold/shape/view.hpp"

namespace monofold {

namespace detail {

/// The view of a range that windows of so many items lie in.
template <class F, reducible Range>
auto view_of_windows(const Range& range, std::int64_t window) {
  const auto view = view_for<F>(range);
  if constexpr (contiguous_item_view<std::remove_cvref_t<decltype(view)>>) {
    if (view.size() > 0 && view.data() == nullptr) {
      throw error(status::invalid_argument, "null items");
    }
  }
  if (window < 1 || window > view.size()) {
    throw error(status::invalid_argument, "a window of " + std::to_string(window) + ", not 1 to " +
                                              std::to_string(view.size()) + " items");
  }
  return view;
}

}  // namespace detail

/// Reduces each window of `window` neighbouring items: as many answers as there are items, less window - 1.
///
/// shape      range: as `reduce`, of at least `window` items; window: at least 1
/// order      the bits of each answer are those of `reduce` of its items. Indices (of extrema, say) count from the
///            window's first item; with `global_index` from the range's
/// sync       as `reduce`
/// errors     throws invalid_argument: another window, null items. The answers hold what `finish` returns
/// cost       exact sums, means, variances, counts follow from the window before: the items that enter and leave are
///            added and subtracted. For floats that is a few additions of doubles an item if two doubles hold the
///            sums, else some 50 ns an item, for variances 150. The library's other exact folds (extrema, top,
///            bits, ..) take three combines an item, and memory for a window's states a thread. All others (floats
///            that round on the way, whose bits depend on a tree over the window; folds of yours that do not
///            subtract) fold each window on its own, `window` items an answer. Each member of an `all` goes its
///            own way
/// tested by  tests/api/rolling_test.cpp
template <reducible Range, class F, class Indices = index_in_row>
requires folded_range<Range, F>
auto try_rolling(const cpu_engine& engine, const Range& range, std::int64_t window, const F& f,
                 Indices = {}) {
  const auto view = detail::view_of_windows<F>(range, window);
  const auto bound = bind_fold<folded_item_t<Range, F>>(f);
  using answer = result<answer_t<std::remove_cvref_t<decltype(bound)>>>;
  return detail::fill_answers<answer>(view.size() - window + 1, [&](answer* out) {
    detail::finish_rows(out, [&](const auto& put) {
      detail::roll_view<Indices>(engine, bound, view, window, put);
    });
  });
}

/// The same, returning bare values.
///
/// errors     also throws segment_error with the status of the first window without an answer
template <reducible Range, class F, class Indices = index_in_row>
requires folded_range<Range, F>
auto rolling(const cpu_engine& engine, const Range& range, std::int64_t window, const F& f,
             Indices = {}) {
  const auto view = detail::view_of_windows<F>(range, window);
  const auto bound = bind_fold<folded_item_t<Range, F>>(f);
  return detail::values_of_rows<answer_t<std::remove_cvref_t<decltype(bound)>>>(
      view.size() - window + 1, "window",
      [&](const auto& put) { detail::roll_view<Indices>(engine, bound, view, window, put); });
}

template <reducible Range, class F, class Indices = index_in_row>
requires folded_range<Range, F>
auto rolling(const Range& range, std::int64_t window, const F& f, Indices indices = {}) {
  return rolling(cpu, range, window, f, indices);
}

}  // namespace monofold
