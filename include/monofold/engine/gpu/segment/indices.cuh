#pragma once
/// engine/gpu/segment/indices: the indices in states of segments and rows, counted from elsewhere.

#include <type_traits>

#include "monofold/engine/gpu/tree/locate.cuh"
#include "monofold/fold/all.hpp"
#include "monofold/fold/exact/sum.hpp"
#include "monofold/fold/shift_indices.hpp"
#include "monofold/fold/sum.hpp"
#include "monofold/platform/host_device.hpp"

namespace monofold::detail {

/// Folds of the library that see no index. A kernel gives any other fold those in the row, whatever it does with them.
template <class F>
inline constexpr bool sees_no_index_v = std::is_same_v<F, count_fold>;
template <class Item>
inline constexpr bool sees_no_index_v<integer_sum_fold<Item>> = true;
template <class Item, class Real, nan_rule rule>
inline constexpr bool sees_no_index_v<float_sum_fold<Item, Real, rule>> = true;
template <class Term, class Real, nan_rule rule>
inline constexpr bool sees_no_index_v<exact_total_fold<Term, Real, rule>> = true;
template <class Term, class Real, nan_rule rule>
inline constexpr bool sees_no_index_v<exact_mean_fold<Term, Real, rule>> = true;

/// Whether a fold's answers can have other indices than those in the row.
template <class F>
inline constexpr bool can_count_elsewhere_v = finds_extrema_v<F>;
template <class... Folds>
inline constexpr bool can_count_elsewhere_v<all_fold<Folds...>> =
    is_located_v<all_fold<Folds...>> &&
    ((can_count_elsewhere_v<Folds> || sees_no_index_v<Folds>)&&...);

/// Replaces the indices of extrema in a state by map(index), which must ascend.
template <class F, class Map>
MONOFOLD_GPU void count_elsewhere(const F&, typename F::state& own, const Map& map) {
  if constexpr (finds_extrema_v<F>) map_indices(own, map);
}
template <class First, class... Rest, class Map>
MONOFOLD_GPU void count_members_elsewhere(const fold_list<First, Rest...>& folds,
                                          typename fold_list<First, Rest...>::states& own,
                                          const Map& map) {
  count_elsewhere(folds.first, own.first, map);
  if constexpr (sizeof...(Rest) > 0) count_members_elsewhere(folds.rest, own.rest, map);
}
template <class... Folds, class Map>
MONOFOLD_GPU void count_elsewhere(const all_fold<Folds...>& f,
                                  typename all_fold<Folds...>::state& own, const Map& map) {
  count_members_elsewhere(f.members, own, map);
}

/// A sink of states whose indices are replaced first.
template <class Sink, class Map>
struct counted_sink {
  Sink sink;
  Map map;
  template <class F>
  MONOFOLD_GPU void operator()(const F& f, typename F::state total) const {
    count_elsewhere(f, total, map);
    sink(f, total);
  }
};

}  // namespace monofold::detail
