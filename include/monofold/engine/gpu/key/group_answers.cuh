#pragma once
/// engine/gpu/key/group_answers: what kernels leave of a group, and what the host makes of it.

#include <type_traits>
#include <utility>

#include "monofold/fold/all.hpp"
#include "monofold/fold/exact/sum.hpp"
#include "monofold/fold/extrema.hpp"
#include "monofold/fold/fold.hpp"
#include "monofold/fold/nan.hpp"
#include "monofold/fold/sum.hpp"
#include "monofold/platform/host_device.hpp"
#include "monofold/platform/status.hpp"

namespace monofold::detail {

/// Whether the answer of some items always is one: a fold fails of no items alone.
template <class F>
inline constexpr bool answers_items_v = false;
template <class Item, bool smallest, extremum_part part>
inline constexpr bool answers_items_v<extremum_answer_fold<Item, smallest, part>> = true;
template <class Term, class Real>
inline constexpr bool answers_items_v<exact_mean_fold<Term, Real, nan_rule::propagate>> = true;
template <class Item>
inline constexpr bool answers_items_v<mean_fold<Item, nan_rule::propagate>> = true;

/// The answer of a group, from `finish` of a fold of which some items always have one.
template <class Answer>
struct group_answer {
  Answer value;

  MONOFOLD_HD void operator=(const result<Answer>& found) { value = *found; }
  MONOFOLD_HD void operator=(const Answer& found) { value = found; }
  MONOFOLD_HD constexpr operator Answer() const { return value; }  // NOLINT: it is one
};

/// What kernels leave of a group: what `finish` gives; of several folds, which a host finishes, the state.
template <class F>
struct left_of_group {
  using finished = std::remove_cvref_t<decltype(finish_raw(
      std::declval<const F&>(), std::declval<const typename F::state&>()))>;
  using type = std::conditional_t<answers_items_v<F>, group_answer<answer_t<F>>, finished>;
};
template <class F>
requires is_all_fold<F>::value struct left_of_group<F> {
  using type = typename F::state;
};
template <class F>
using left_of_group_t = typename left_of_group<F>::type;

/// The type of a value of the host, of those that kernels leave.
template <class T>
struct on_host {
  using type = T;
};
template <class Answer>
struct on_host<group_answer<Answer>> {
  using type = Answer;  // of the same bytes
};

}  // namespace monofold::detail
