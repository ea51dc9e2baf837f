#pragma once
/// fold/at_indices: a fold that is told other indices than those of the items it is given.

#include <cstdint>
#include <utility>

#include "monofold/fold/all.hpp"
#include "monofold/fold/extrema.hpp"
#include "monofold/fold/fold.hpp"
#include "monofold/fold/shift_indices.hpp"
#include "monofold/fold/top.hpp"

namespace monofold::detail {

/// True for the library's folds whose states hold indices that `map_indices` finds.
template <class F>
inline constexpr bool holds_indices_v = is_extremum_fold_v<F> || is_extrema_fold_v<F>;
template <class Item, bool smallest, nan_rule rule>
inline constexpr bool holds_indices_v<top_fold<Item, smallest, rule>> = true;

/// `Inner`, whose item `i` has the index map(i). The states are `Inner`'s.
///
/// shape      the map ascends
/// order      slots, tree and bits are `Inner`'s. It has no runs, whose indices would be neighbours, but where
///            it is known how states hold them
template <class Item, class Inner, class Map>
struct at_indices_fold {
  using access = fold_access<Inner, Item>;
  using state = typename Inner::state;
  using accumulator = accumulator_t<Inner>;
  static constexpr bool commutative = is_commutative_v<Inner>;
  static constexpr bool exact = is_exact_v<Inner>;

  Inner inner;
  Map map;

  state lift(const Item& item, std::int64_t i) const { return inner.lift(item, map(i)); }
  state combine(const state& left, const state& right) const { return inner.combine(left, right); }
  state identity() const requires has_identity_v<Inner> { return inner.identity(); }
  constexpr auto finish(const state& s) const { return finish_state(inner, s); }
  void absorb_run(state& own, const Item* items, std::int64_t count, std::int64_t index) const
      requires(holds_indices_v<Inner>) {
    state run = inner.identity();
    inner.absorb_run(run, items, count, index);
    map_indices(run, map);
    own = combine(own, run);
  }
  accumulator open(const Item& item, std::int64_t i) const {
    return access::open(inner, item, map(i));
  }
  void absorb(accumulator& own, const Item& item, std::int64_t i) const {
    access::absorb(inner, own, item, map(i));
  }
  accumulator join(const accumulator& left, const accumulator& right) const {
    return access::join(inner, left, right);
  }
  state flush(const accumulator& own, std::int64_t count) const {
    return access::flush(inner, own, count);
  }
  bool suffices(const accumulator& tile, std::int64_t count) const requires may_repeat_v<Inner> {
    return inner.suffices(tile, count);
  }
  at_indices_fold again(const accumulator& tile,
                        std::int64_t count) const requires may_repeat_v<Inner> {
    return {inner.again(tile, count), map};
  }
};

template <class Item, class F, class Map>
auto at_indices(const F& f, const Map& map) {
  return at_indices_fold<Item, F, Map>{f, map};
}

template <class Item, class... Folds, class Map>
auto list_at_indices(const fold_list<Folds...>& folds, const Map& map) {
  using list = fold_list<decltype(at_indices<Item>(std::declval<const Folds&>(), map))...>;
  if constexpr (sizeof...(Folds) == 1) {
    return list{at_indices<Item>(folds.first, map)};
  } else {
    return list{at_indices<Item>(folds.first, map), list_at_indices<Item>(folds.rest, map)};
  }
}

/// Each member on its own, so that it keeps its own slots and bits.
template <class Item, class... Folds, class Map>
auto at_indices(const all_fold<Folds...>& f, const Map& map) {
  return all_fold<decltype(at_indices<Item>(std::declval<const Folds&>(), map))...>{
      list_at_indices<Item>(f.members, map)};
}

}  // namespace monofold::detail
