#pragma once
/// fold/all: several folds as one, which reads the data once.

#include <cstdint>
#include <tuple>
#include <type_traits>
#include <utility>

#include "monofold/fold/fold.hpp"
#include "monofold/platform/host_device.hpp"
#include "monofold/platform/status.hpp"

namespace monofold {

namespace detail {

/// The states of several folds, side by side. An aggregate and not a std::tuple, so that it is
/// trivially copyable where they are and works on a device. (No [[no_unique_address]]: nvcc and the
/// host's compiler lay such members out differently, and states cross from one to the other.)
template <class First, class... Rest>
struct state_list {
  First first;
  state_list<Rest...> rest;
};
template <class Last>
struct state_list<Last> {
  Last first;
};

template <class First, class... Rest>
struct fold_list {
  using states = state_list<typename First::state, typename Rest::state...>;
  First first;
  fold_list<Rest...> rest;
};
template <class Last>
struct fold_list<Last> {
  using states = state_list<typename Last::state>;
  Last first;
};

MONOFOLD_CALLS_USER
template <class Item, class First, class... Rest>
MONOFOLD_HD auto lift_all(const fold_list<First, Rest...>& folds, const Item& item,
                          std::int64_t index) {
  using states = state_list<typename First::state, typename Rest::state...>;
  if constexpr (sizeof...(Rest) == 0) {
    return states{folds.first.lift(item, index)};
  } else {
    return states{folds.first.lift(item, index), lift_all(folds.rest, item, index)};
  }
}

MONOFOLD_CALLS_USER
template <class States, class First, class... Rest>
MONOFOLD_HD States combine_all(const fold_list<First, Rest...>& folds, const States& left,
                               const States& right) {
  if constexpr (sizeof...(Rest) == 0) {
    return {folds.first.combine(left.first, right.first)};
  } else {
    return {folds.first.combine(left.first, right.first),
            combine_all(folds.rest, left.rest, right.rest)};
  }
}

template <class States, class First, class... Rest>
MONOFOLD_HD bool subtract_all(const fold_list<First, Rest...>& folds, States& own,
                              const States& part) {
  if (!folds.first.subtract(own.first, part.first)) return false;
  if constexpr (sizeof...(Rest) > 0) return subtract_all(folds.rest, own.rest, part.rest);
  return true;
}

MONOFOLD_CALLS_USER
template <class First, class... Rest>
MONOFOLD_HD auto identity_all(const fold_list<First, Rest...>& folds) {
  using states = state_list<typename First::state, typename Rest::state...>;
  if constexpr (sizeof...(Rest) == 0) {
    return states{folds.first.identity()};
  } else {
    return states{folds.first.identity(), identity_all(folds.rest)};
  }
}

template <class First, class... Rest>
constexpr result<std::tuple<answer_t<First>, answer_t<Rest>...>> answers_of(
    result<answer_t<First>> first, const result<std::tuple<answer_t<Rest>...>>& rest) {
  if (!first) return first.code();
  if (!rest) return rest.code();
  return std::tuple_cat(std::make_tuple(*first), *rest);
}

/// Keeps the answers of one member. Not a lambda of the call for all of them: what makes a member's answers is compiled
/// once for it, and not once for each list of members that it is in.
template <class Answer>
struct listed_answers {
  result<Answer>* list;

  void operator()(std::int64_t i, const result<Answer>& answer) const { list[i] = answer; }
};

template <class States, class First, class... Rest>
constexpr auto finish_all(const fold_list<First, Rest...>& folds, const States& states)
    -> result<std::tuple<answer_t<First>, answer_t<Rest>...>> {
  if constexpr (sizeof...(Rest) == 0) {
    return answers_of<First>(finish_state(folds.first, states.first), std::tuple<>{});
  } else {
    return answers_of<First, Rest...>(finish_state(folds.first, states.first),
                                      finish_all(folds.rest, states.rest));
  }
}

template <class First, class... Rest>
constexpr auto make_list(const First& first, const Rest&... rest) {
  if constexpr (sizeof...(Rest) == 0) {
    return fold_list<First>{first};
  } else {
    return fold_list<First, Rest...>{first, make_list(rest...)};
  }
}

}  // namespace detail

/// Several folds bound to one type of item.
///
/// order      each member keeps its own order and slots, so its bits are those it has alone
/// errors     the first member in the list that has no result decides: `all` has none then
template <class... Folds>
struct all_fold {
  using list = detail::fold_list<Folds...>;
  using state = typename list::states;
  static constexpr bool commutative = (is_commutative_v<Folds> && ...);
  static constexpr bool exact = (is_exact_v<Folds> && ...);

  list members;

  MONOFOLD_CALLS_USER
  template <class Item>
  MONOFOLD_HD state lift(const Item& item, std::int64_t index) const {
    return detail::lift_all(members, item, index);
  }
  MONOFOLD_CALLS_USER
  MONOFOLD_HD state combine(const state& left, const state& right) const {
    return detail::combine_all(members, left, right);
  }
  MONOFOLD_HD bool subtract(state& own, const state& part) const requires(subtracts<Folds>&&...) {
    return detail::subtract_all(members, own, part);
  }
  MONOFOLD_CALLS_USER
  MONOFOLD_HD state identity() const requires(has_identity_v<Folds>&&...) {
    return detail::identity_all(members);
  }
  constexpr auto finish(const state& s) const { return detail::finish_all(members, s); }
};

namespace detail {

template <class F>
struct is_all_fold : std::false_type {};
template <class... Folds>
struct is_all_fold<all_fold<Folds...>> : std::true_type {};

template <class... Folds>
struct all_family {
  std::tuple<Folds...> members;

  template <class Item>
  requires(fold_on<Folds, Item>&&...) constexpr auto on() const {
    return std::apply(
        [](const auto&... member) {
          return all_fold<bound_fold_t<std::remove_cvref_t<decltype(member)>, Item>...>{
              make_list(bind_fold<Item>(member)...)};
        },
        members);
  }
};

}  // namespace detail

/// Several folds as one; the answer is a std::tuple of theirs, in the order given.
template <class... Folds>
requires(sizeof...(Folds) > 0) constexpr auto all(Folds... folds) {
  return detail::all_family<Folds...>{{folds...}};
}

}  // namespace monofold
