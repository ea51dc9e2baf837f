#pragma once
/// refused: what a call of the GPU engine says that does not compile.

#include <concepts>
#include <type_traits>

#include "monofold/engine/gpu/dispatch.cuh"
#include "monofold/fold/adapt.hpp"
#include "monofold/fold/all.hpp"
#include "monofold/fold/fold.hpp"
#include "monofold/plan/launch.hpp"
#include "monofold/plan/tiles.hpp"
#include "monofold/refused.hpp"
#include "monofold/shape/view.hpp"

namespace monofold {

namespace why {

struct on_a_gpu_top_and_bottom_stand_alone_not_in_all_map_or_where;
struct on_a_gpu_a_state_must_be_trivially_copyable;
struct on_a_gpu_folds_and_views_must_be_trivially_copyable;
struct on_a_gpu_a_state_has_at_most_8_KiB_aligned_to_at_most_16;
/// What `reduce_into`, or `fold_into`, leaves of this fold.
template <class Answer>
struct out_must_point_to;

}  // namespace why

namespace detail {

/// True of an adapted `top`, and of several folds one of which is one.
template <class F>
inline constexpr bool hides_top_v = false;
template <class Item, class Function, class Inner>
inline constexpr bool hides_top_v<map_fold<Item, Function, Inner>> =
    is_top_fold_v<Inner> || hides_top_v<Inner>;
template <class Item, class Predicate, class Inner>
inline constexpr bool hides_top_v<where_fold<Item, Predicate, Inner>> =
    is_top_fold_v<Inner> || hides_top_v<Inner>;
template <class... Folds>
inline constexpr bool hides_top_v<all_fold<Folds...>> =
    ((is_top_fold_v<Folds> || hides_top_v<Folds>) || ...);

template <class F>
concept state_of_bytes = std::is_trivially_copyable_v<typename F::state>;
template <class F>
concept state_of_a_size = sizeof(typename F::state) <= max_state_bytes &&
                          alignof(typename F::state) <= lane_bytes;

/// A bound fold, and a view, that a kernel can get.
template <class F, class View>
concept fits_a_kernel = is_top_fold_v<F> ||
    (!hides_top_v<F> && state_of_bytes<F> && state_of_a_size<F> &&
     std::is_trivially_copyable_v<F> && std::is_trivially_copyable_v<View>);

}  // namespace detail

/// What `reduce` takes on a GPU: lanes exchange the bytes of states, kernels get those of folds and views.
template <class Range, class F>
concept gpu_folded_range = folded_range<Range, F> &&
    detail::fits_a_kernel<bound_fold_t<F, folded_item_t<Range, F>>, folded_view_t<Range, F>>;

namespace detail {

template <class Range, class F>
struct gpu_why_not : why_not<Range, F> {};
template <class Range, class F>
requires folded_range<Range, F>
struct gpu_why_not<Range, F> {
  using bound = bound_fold_t<F, folded_item_t<Range, F>>;
  using type = std::conditional_t<
      hides_top_v<bound>, why::on_a_gpu_top_and_bottom_stand_alone_not_in_all_map_or_where,
      std::conditional_t<
          !state_of_bytes<bound>, why::on_a_gpu_a_state_must_be_trivially_copyable,
          std::conditional_t<!state_of_a_size<bound>,
                             why::on_a_gpu_a_state_has_at_most_8_KiB_aligned_to_at_most_16,
                             why::on_a_gpu_folds_and_views_must_be_trivially_copyable>>>;
};
template <class Range, class F>
using gpu_why_not_t = typename gpu_why_not<Range, F>::type;

}  // namespace detail

}  // namespace monofold
