#pragma once
/// scan: one call that reduces each beginning of a range: running sums, products, extrema.

#include <cstdint>
#include <type_traits>
#include <vector>

#include "monofold/engine/scan.hpp"
#include "monofold/fold/fold.hpp"
#include "monofold/platform/status.hpp"
#include "monofold/reduce_segments.hpp"
#include "monofold/refused.hpp"
#include "monofold/shape/view.hpp"

namespace monofold {

namespace detail {

/// The view of a range whose beginnings are folded.
template <class F, reducible Range>
auto view_of_beginnings(const Range& range) {
  const auto view = view_for<F>(range);
  if constexpr (contiguous_item_view<std::remove_cvref_t<decltype(view)>>) {
    if (view.size() > 0 && view.data() == nullptr) {
      throw error(status::invalid_argument, "null items");
    }
  }
  return view;
}

}  // namespace detail

/// Reduces the items up to each one, itself included: as many answers as there are items.
///
/// shape      range: as `reduce`; of no items there are no answers
/// order      the bits of the i-th answer are those of `reduce` of items 0 to i, whatever the threads
/// sync       as `reduce`; folds that round on the way go on one thread
/// errors     throws invalid_argument: null items. The answers hold what `finish` returns
/// cost       exact sums and means of floats: some additions of doubles an item, where two doubles hold them and where
///            they do not; `sum_to<float>` and means take some 50 ns an item there. Other exact folds: a combine an
///            item. Folds that round on the way: one path of the plan's tree, some 20 combines, of most folds that are
///            `commutative` side by side; plain variances fold a tile an item where they cancel. With several threads
///            exact folds read the items twice. Each member of an `all` goes its own way
/// tested by  tests/api/scan_test.cpp
template <reducible Range, class F>
requires folded_range<Range, F>
auto try_scan(const cpu_engine& engine, const Range& range, const F& f) {
  const auto view = detail::view_of_beginnings<F>(range);
  const auto bound = bind_fold<folded_item_t<Range, F>>(f);
  using answer = result<answer_t<std::remove_cvref_t<decltype(bound)>>>;
  return detail::fill_answers<answer>(view.size(), [&](answer* out) {
    detail::finish_rows(out, [&](const auto& put) { detail::scan_view(engine, bound, view, put); });
  });
}

/// The same, returning bare values.
///
/// errors     also throws segment_error with the status of the first beginning without an answer
template <reducible Range, class F>
requires folded_range<Range, F>
auto scan(const cpu_engine& engine, const Range& range, const F& f) {
  const auto view = detail::view_of_beginnings<F>(range);
  const auto bound = bind_fold<folded_item_t<Range, F>>(f);
  return detail::values_of_rows<answer_t<std::remove_cvref_t<decltype(bound)>>>(
      view.size(), "beginning",
      [&](const auto& put) { detail::scan_view(engine, bound, view, put); });
}

template <reducible Range, class F>
requires folded_range<Range, F>
auto scan(const Range& range, const F& f) { return scan(cpu, range, f); }

}  // namespace monofold
