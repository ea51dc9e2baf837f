#pragma once
/// refused: what a call takes, and what it says of what it does not.
///
/// nvcc only says of a constraint that deduction failed. So each call has a deleted twin there, for what it
/// refuses: nvcc then prints the template argument `Why`. Other compilers name what a constraint lacks.

#include <type_traits>
#include <utility>

#include "monofold/fold/fold.hpp"
#include "monofold/shape/view.hpp"

namespace monofold {

namespace detail {

/// True where a fold knows items of CUDA's type by the library's type of the same bits alone.
template <class Range, class F>
inline constexpr bool folds_stored_v = false;
template <reducible Range, class F>
requires(!std::is_same_v<stored_as_t<item_of_t<Range>>, item_of_t<Range>> &&
         !fold_on<F, item_of_t<Range>>) inline constexpr bool folds_stored_v<Range, F> = true;

/// The view of a range that a fold gets: __half are float16 to folds that do not take them.
template <class F, reducible Range>
constexpr auto view_for(const Range& range) {
  if constexpr (folds_stored_v<Range, F>) {
    return stored_view_of(range);
  } else {
    return view_of(range);
  }
}

}  // namespace detail

template <class Range, class F>
using folded_view_t = decltype(detail::view_for<F>(std::declval<const Range&>()));

/// The type of the items that a fold of a range gets.
template <class Range, class F>
using folded_item_t = typename folded_view_t<Range, F>::item_type;

/// What `reduce` takes: a range and a fold of its items.
template <class Range, class F>
concept folded_range = reducible<Range> && fold_on<F, folded_item_t<Range, F>>;

namespace why {

struct the_range_is_no_view_and_has_no_size_or_random_access;
struct an_operator_is_no_fold_wrap_it_by_ordered_or_commutative;
struct the_fold_is_not_defined_for_items_of_this_type;
struct the_fold_has_no_state_that_can_be_made_without_arguments_and_copied;
struct the_fold_has_no_lift_from_an_item_and_its_index_to_its_state;
struct the_fold_has_no_combine_of_two_states_to_its_state;

}  // namespace why

namespace detail {

/// What is meant to be a range: a twin must not take two arguments of any types, which may be meant for
/// a `reduce` of the user's.
template <class Range>
concept some_range = item_view<Range> || std::ranges::range<const Range>;

template <class F, class Item>
auto why_no_fold() {
  if constexpr (!fold_or_family_for<F, Item>) {
    if constexpr (std::is_invocable_v<const F&, const Item&, const Item&>) {
      return std::type_identity<why::an_operator_is_no_fold_wrap_it_by_ordered_or_commutative>{};
    } else {
      return std::type_identity<why::the_fold_is_not_defined_for_items_of_this_type>{};
    }
  } else {
    using bound = bound_fold_t<F, Item>;
    if constexpr (!has_state<bound>) {
      return std::type_identity<
          why::the_fold_has_no_state_that_can_be_made_without_arguments_and_copied>{};
    } else if constexpr (!has_lift<bound, Item>) {
      return std::type_identity<
          why::the_fold_has_no_lift_from_an_item_and_its_index_to_its_state>{};
    } else {
      return std::type_identity<why::the_fold_has_no_combine_of_two_states_to_its_state>{};
    }
  }
}

template <class Range, class F>
struct why_not {
  using type = why::the_range_is_no_view_and_has_no_size_or_random_access;
};
template <reducible Range, class F>
struct why_not<Range, F> {
  using type = typename decltype(why_no_fold<F, folded_item_t<Range, F>>())::type;
};
template <class Range, class F>
using why_not_t = typename why_not<Range, F>::type;

}  // namespace detail

}  // namespace monofold
