#pragma once
/// runtime/folder: what the items of a node are added to, whatever the instruction set.

#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>

#include "monofold/fold/adapt.hpp"
#include "monofold/fold/all.hpp"
#include "monofold/fold/fold.hpp"
#include "monofold/fold/nan.hpp"
#include "monofold/plan/tiles.hpp"
#include "monofold/plan/tree.hpp"
#include "runtime/member.hpp"

namespace monofold::runtime {

template <class State>
class state_of final : public state_box {
 public:
  explicit state_of(State own) : value(std::move(own)) {}
  std::unique_ptr<state_box> clone() const override { return std::make_unique<state_of>(value); }

  State value;
};

/// What the items so far have left: the state of a run, a sum that keeps running, or the states of tiles.
template <class Fold, class Item>
struct partial {
  static constexpr bool keeps_running = has_running_sum_v<Fold, Item>;
  static constexpr bool by_runs = has_absorb_run_v<Fold, Item>;

  static auto begin(const Fold& f) {
    if constexpr (keeps_running) {
      return monofold::detail::begin_running_sum(f);
    } else if constexpr (by_runs) {
      return f.identity();
    } else {
      return node_joiner<typename Fold::state, max_span_level>{};
    }
  }
  explicit partial(const Fold& f) : held(begin(f)) {}

  typename Fold::state total(const Fold& f) const {
    if constexpr (keeps_running) {
      return held.total();
    } else if constexpr (by_runs) {
      return held;
    } else {
      return held.total(f);
    }
  }

  decltype(begin(std::declval<const Fold&>())) held;
};

template <class Item, class First, class... Rest>
struct partials {
  using list = monofold::detail::fold_list<First, Rest...>;
  explicit partials(const list& folds) : first(folds.first), rest(folds.rest) {}
  typename list::states total(const list& folds) const {
    return {first.total(folds.first), rest.total(folds.rest)};
  }

  partial<First, Item> first;
  partials<Item, Rest...> rest;
};
template <class Item, class Last>
struct partials<Item, Last> {
  using list = monofold::detail::fold_list<Last>;
  explicit partials(const list& folds) : first(folds.first) {}
  typename list::states total(const list& folds) const { return {first.total(folds.first)}; }

  partial<Last, Item> first;
};

/// That of an `all`: one a member.
template <class Item, class... Folds>
struct partial<all_fold<Folds...>, Item> {
  explicit partial(const all_fold<Folds...>& f) : held(f.members) {}
  typename all_fold<Folds...>::state total(const all_fold<Folds...>& f) const {
    return held.total(f.members);
  }

  partials<Item, Folds...> held;
};

template <class Fold>
inline constexpr bool counts_nans_v = false;
template <class Item>
inline constexpr bool counts_nans_v<nan_count_fold<Item>> = true;
template <class Item, class Map, class Product>
inline constexpr bool counts_nans_v<map_fold<Item, Map, nan_count_fold<Product>>> = true;

template <class Fold, class Item>
class folder final : public member_folder {
 public:
  folder(const Fold& f, loop add, apart_loop add_apart = nullptr)
      : member_folder(add, add_apart), fold(f), part(f) {
    if constexpr (requires { part.held.nans(); }) nans = &part.held.nans();
    only_nans = counts_nans_v<Fold>;
    keeps_running = has_running_sum_v<Fold, Item>;
  }
  std::unique_ptr<state_box> total() const override {
    return std::make_unique<state_of<typename Fold::state>>(part.total(fold));
  }

  const Fold& fold;
  partial<Fold, Item> part;
};

}  // namespace monofold::runtime
