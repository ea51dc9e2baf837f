#pragma once
/// fold/item_pair: two items, as folds over pairs take them.

namespace monofold {

namespace stored {

/// Two items with the same index, as `zip` makes them.
template <class Left, class Right>
struct item_pair {
  Left left;
  Right right;
};

}  // namespace stored

using stored::item_pair;

namespace detail {

/// The types of the two items.
template <class Pair>
struct pair_types;
template <class Left, class Right>
struct pair_types<item_pair<Left, Right>> {
  using left = Left;
  using right = Right;
};

}  // namespace detail

}  // namespace monofold
