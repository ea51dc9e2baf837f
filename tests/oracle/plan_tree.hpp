#pragma once
/// oracle/plan_tree: a literal reading of plan/tiles.hpp and plan/tree.hpp, for any fold.
///
/// Nothing here is shared with the library: the rules are written down again, one after the other,
/// with a vector of slots that may be absent and a vector of states for each height of the tree.

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace oracle {

/// The tag and the optional members of a fold, found by their names.
template <class F>
constexpr bool swaps() {
  if constexpr (requires { F::commutative; }) return F::commutative;
  return false;
}

template <class F>
struct accumulator_type {
  using type = typename F::state;
};
template <class F>
requires requires { typename F::accumulator; }
struct accumulator_type<F> {
  using type = typename F::accumulator;
};

/// The greatest power of two p with p * bytes <= limit, but at least 1.
constexpr int greatest_power(int bytes, int limit) {
  int p = 1;
  while (2 * p * bytes <= limit) p *= 2;
  return p;
}

template <class F, class Item>
struct tile_rules {
  static constexpr int lanes = 32;
  static constexpr int rows = 8;
  static constexpr int items_per_lane = greatest_power(sizeof(Item), 16);
  static constexpr int tile_items = rows * lanes * items_per_lane;
  static constexpr int affordable = greatest_power(sizeof(typename accumulator_type<F>::type), 128);
  static constexpr int chains = affordable < items_per_lane ? affordable : items_per_lane;
  static constexpr int num_slots = swaps<F>() ? lanes * chains : lanes;

  static int slot_of(int i) {
    if (!swaps<F>()) return i / (tile_items / lanes);  // a run of neighbours for each lane
    const int lane = i / items_per_lane % lanes;
    const int place = i % items_per_lane;
    return lane * chains + place % chains;
  }
};

/// Joins neighbours, level by level; who has no right neighbour passes through.
template <class T, class Join>
T join_neighbours(std::vector<T> row, const Join& join) {
  while (row.size() > 1) {
    std::vector<T> above;
    for (std::size_t j = 0; j < row.size(); j += 2) {
      if (j + 1 < row.size()) {
        above.push_back(join(row[j], row[j + 1]));
      } else {
        above.push_back(row[j]);
      }
    }
    row = std::move(above);
  }
  return row[0];
}

/// All slots of one tile joined: `item(i)` for 0 <= i < count, the first with index `index`.
template <class Item, class F, class ItemAt>
typename accumulator_type<F>::type tile_accumulator(const F& f, const ItemAt& item, int count,
                                                    std::int64_t index) {
  using rules = tile_rules<F, Item>;
  using maybe = std::optional<typename accumulator_type<F>::type>;
  std::vector<maybe> slots(rules::num_slots);
  for (int i = 0; i < count; ++i) {
    const Item x = item(i);
    maybe& slot = slots[static_cast<std::size_t>(rules::slot_of(i))];
    if (!slot) {
      if constexpr (requires { f.open(x, index); }) {
        slot = f.open(x, index + i);
      } else {
        slot = f.lift(x, index + i);
      }
    } else if constexpr (requires { f.absorb(*slot, x, index); }) {
      f.absorb(*slot, x, index + i);
    } else {
      slot = f.combine(*slot, f.lift(x, index + i));
    }
  }
  return *join_neighbours<maybe>(slots, [&](const maybe& l, const maybe& r) -> maybe {
    if (!r) return l;
    if (!l) return r;
    if constexpr (requires { f.join(*l, *r); }) {
      return f.join(*l, *r);
    } else {
      return f.combine(*l, *r);
    }
  });
}

/// The state of one tile; a fold may ask for a second pass, by another fold of its type.
template <class Item, class F, class ItemAt>
typename F::state tile_state(const F& f, const ItemAt& item, int count, std::int64_t index) {
  auto total = tile_accumulator<Item>(f, item, count, index);
  if constexpr (requires { f.suffices(total, index); }) {
    if (!f.suffices(total, count)) {
      const F second = f.again(total, count);
      total = tile_accumulator<Item>(second, item, count, index);
      if constexpr (requires { f.flush(total, index); }) return second.flush(total, count);
    }
  }
  if constexpr (requires { f.flush(total, index); }) {
    return f.flush(total, count);
  } else {
    return total;
  }
}

/// The state of `n` > 0 items: the tree over all tiles.
template <class Item, class F, class ItemAt>
typename F::state plan_state(const F& f, std::int64_t n, const ItemAt& item) {
  const int tile = tile_rules<F, Item>::tile_items;
  std::vector<typename F::state> states;
  for (std::int64_t at = 0; at < n; at += tile) {
    const int count = static_cast<int>(n - at < tile ? n - at : tile);
    states.push_back(tile_state<Item>(
        f, [&](int i) -> Item { return item(at + i); }, count, at));
  }
  return join_neighbours(std::move(states),
                         [&](const auto& l, const auto& r) { return f.combine(l, r); });
}

template <class F, class Item>
typename F::state plan_state(const F& f, const std::vector<Item>& items) {
  return plan_state<Item>(f, static_cast<std::int64_t>(items.size()),
                          [&](std::int64_t i) { return items[static_cast<std::size_t>(i)]; });
}

}  // namespace oracle
