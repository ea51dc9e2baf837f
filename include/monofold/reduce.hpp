#pragma once
/// reduce: one call that reduces a range.

#include <cstdint>
#include <utility>

#include "monofold/engine/cpu.hpp"
#include "monofold/fold/dot.hpp"
#include "monofold/fold/fold.hpp"
#include "monofold/platform/status.hpp"
#include "monofold/refused.hpp"
#include "monofold/shape/view.hpp"

namespace monofold {

/// Reduces a range by a fold, without exceptions for data that has no result.
///
/// shape      any contiguous range, sized random-access range or view; it is read once, from
///            several threads; no items: the fold's identity, finished, or `empty_input`
/// order      the plan's tree (docs/decisions/0001): the bits are a function of the items and the
///            fold alone, never of threads, alignment or processor. Folds not tagged commutative
///            see their operands strictly in index order
/// sync       blocks; a fold is called from several threads at once through a const reference
/// errors     invalid_argument: a negative count, or items that lie side by side at a null pointer
///            (any other view, strided and computed ones too, is taken at its word); what `finish`
///            returns (empty_input, integer_overflow). An exception of the fold passes through
/// cost       n lifts, n - 1 combines (or absorbs), one pass; workspace 512 states
/// tested by  tests/api/reduce_test.cpp
template <reducible Range, class F>
requires folded_range<Range, F>
auto try_reduce(const cpu_engine& engine, const Range& range, const F& f)
    -> result<answer_t<bound_fold_t<F, folded_item_t<Range, F>>>> {
  const auto view = detail::view_for<F>(range);
  const auto bound = bind_fold<folded_item_t<Range, F>>(f);
  if (view.size() < 0) return status::invalid_argument;
  if (view.size() == 0) return finish_empty(bound);
  if constexpr (contiguous_item_view<std::remove_cvref_t<decltype(view)>>) {
    if (view.data() == nullptr) return status::invalid_argument;
  }
  return finish_state(bound, fold_view(engine, bound, view));
}

template <reducible Range, class F>
requires folded_range<Range, F>
auto try_reduce(const Range& range, const F& f) { return try_reduce(cpu, range, f); }

/// The same, returning the bare value.
///
/// errors     throws `error` with the status where there is no value
template <reducible Range, class F>
requires folded_range<Range, F>
auto reduce(const cpu_engine& engine, const Range& range, const F& f) {
  return try_reduce(engine, range, f).value();
}

template <reducible Range, class F>
requires folded_range<Range, F>
auto reduce(const Range& range, const F& f) { return try_reduce(cpu, range, f).value(); }

#if defined(__CUDACC__)
template <detail::some_range Range, class F, class Why = detail::why_not_t<Range, F>>
requires(!folded_range<Range, F>) void try_reduce(const Range&, const F&) = delete;
template <class Range, class F, class Why = detail::why_not_t<Range, F>>
requires(!folded_range<Range, F>) void try_reduce(const cpu_engine&, const Range&,
                                                  const F&) = delete;
template <detail::some_range Range, class F, class Why = detail::why_not_t<Range, F>>
requires(!folded_range<Range, F>) void reduce(const Range&, const F&) = delete;
template <class Range, class F, class Why = detail::why_not_t<Range, F>>
requires(!folded_range<Range, F>) void reduce(const cpu_engine&, const Range&, const F&) = delete;
#endif

/// The pairs of items of two ranges with the same index, as `dot` takes them; CUDA's short floats are float16 and
/// bfloat16 in them.
template <reducible Left, reducible Right>
constexpr auto zip(const Left& left, const Right& right) {
  using left_view = decltype(stored_view_of(left));
  using right_view = decltype(stored_view_of(right));
  using pair = item_pair<typename left_view::item_type, typename right_view::item_type>;
  return zipped_view<left_view, right_view, pair>(stored_view_of(left), stored_view_of(right));
}

}  // namespace monofold
