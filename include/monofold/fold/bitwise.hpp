#pragma once
/// fold/bitwise: and, or, xor of integers and bool.

#include <cstdint>
#include <type_traits>

#include "monofold/platform/host_device.hpp"

namespace monofold {

enum class bit_operation { conjunction, disjunction, parity };

/// The bitwise and, or, xor of all items; of no items: all ones, 0, 0.
template <class Item, bit_operation operation>
struct bitwise_fold {
  static_assert(std::is_integral_v<Item>, "and, or and xor are defined for integers and bool");
  using state = Item;
  static constexpr bool commutative = true;
  static constexpr bool exact = true;

  MONOFOLD_HD state lift(Item item, std::int64_t) const { return item; }
  MONOFOLD_HD state combine(state left, state right) const {
    if constexpr (operation == bit_operation::conjunction) {
      return static_cast<Item>(left & right);
    } else if constexpr (operation == bit_operation::disjunction) {
      return static_cast<Item>(left | right);
    } else {
      return static_cast<Item>(left ^ right);
    }
  }
  MONOFOLD_HD bool subtract(state& own, state part) const
      requires(operation == bit_operation::parity) {
    own = combine(own, part);
    return true;
  }
  MONOFOLD_HD state identity() const {
    if constexpr (operation != bit_operation::conjunction) {
      return Item{0};
    } else if constexpr (std::is_same_v<Item, bool>) {
      return true;
    } else {
      return static_cast<Item>(~Item{0});
    }
  }
  MONOFOLD_HD void absorb_run(state& own, const Item* items, std::int64_t count,
                              std::int64_t) const {
    state all = own;  // no item is it, as far as a compiler knows
    for (std::int64_t i = 0; i < count; ++i) all = combine(all, items[i]);
    own = all;
  }
};

namespace detail {

template <bit_operation operation>
struct bitwise_family {
  template <class Item>
  requires std::is_integral_v<Item> MONOFOLD_HD_CALL constexpr auto on() const {
    return bitwise_fold<Item, operation>{};
  }
};

}  // namespace detail

MONOFOLD_CONSTANT detail::bitwise_family<bit_operation::conjunction> bit_and{};
MONOFOLD_CONSTANT detail::bitwise_family<bit_operation::disjunction> bit_or{};
MONOFOLD_CONSTANT detail::bitwise_family<bit_operation::parity> bit_xor{};

}  // namespace monofold
