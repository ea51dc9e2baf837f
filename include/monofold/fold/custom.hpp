#pragma once
/// fold/custom: folds made from an operator on items, order kept or not.

#include <cstdint>

#include "monofold/platform/host_device.hpp"

namespace monofold {

namespace detail {

template <class State, class Operator, bool swaps>
struct operator_fold {
  using state = State;
  static constexpr bool commutative = swaps;

  Operator combine_items;

  MONOFOLD_CALLS_USER
  MONOFOLD_HD state lift(const State& item, std::int64_t) const { return item; }
  MONOFOLD_CALLS_USER
  MONOFOLD_HD state combine(const state& left, const state& right) const {
    return combine_items(left, right);
  }
};

template <class State, class Operator, bool swaps>
struct monoid_fold : operator_fold<State, Operator, swaps> {
  State neutral;

  MONOFOLD_CALLS_USER
  MONOFOLD_HD State identity() const { return neutral; }
};

template <class Operator, bool swaps>
struct operator_family {
  Operator combine_items;

  template <class Item>
  MONOFOLD_HD_CALL constexpr auto on() const {
    return operator_fold<Item, Operator, swaps>{combine_items};
  }
};

}  // namespace detail

/// Any associative operator on items; it is applied strictly in index order, left operand lower.
///
/// errors     without an identity, reducing nothing has no result (empty_input)
template <class Operator>
constexpr auto ordered(Operator op) {
  return detail::operator_family<Operator, false>{op};
}

/// The same with an identity, which is the result of no items.
template <class Operator, class State>
constexpr auto ordered(Operator op, State identity) {
  return detail::monoid_fold<State, Operator, false>{{op}, identity};
}

/// An associative and commutative operator: operands may be swapped, which is faster.
template <class Operator>
constexpr auto commutative(Operator op) {
  return detail::operator_family<Operator, true>{op};
}

template <class Operator, class State>
constexpr auto commutative(Operator op, State identity) {
  return detail::monoid_fold<State, Operator, true>{{op}, identity};
}

}  // namespace monofold
