#pragma once
/// fold/product: the product of the items.

#include <cstdint>
#include <type_traits>

#include "monofold/fold/nan.hpp"
#include "monofold/fold/sum.hpp"
#include "monofold/platform/host_device.hpp"
#include "monofold/platform/numbers.hpp"

namespace monofold {

/// The product of floating-point items in double, in the plan's tree.
///
/// order      the plan's tree: the same bits on every engine and for every chunking
/// accuracy   relative error <= (n - 1) u / (1 - (n - 1) u) where nothing over- or underflows
template <class Item, nan_rule rule = nan_rule::propagate>
struct float_product_fold {
  using state = double;
  static constexpr bool commutative = true;

  MONOFOLD_HD state lift(Item item, std::int64_t) const {
    return detail::keep<rule>(static_cast<double>(item), 1.0);
  }
  MONOFOLD_HD state combine(state left, state right) const { return left * right; }
  MONOFOLD_HD state identity() const { return 1.0; }
  MONOFOLD_HD_CALL constexpr double finish(state s) const { return one_nan(s); }
};

/// The product of integer items modulo 2^64, as int64 (uint64 for unsigned items).
template <class Item>
struct integer_product_fold {
  using state = std::uint64_t;
  static constexpr bool commutative = true;
  static constexpr bool exact = true;

  MONOFOLD_HD state lift(Item item, std::int64_t) const { return static_cast<state>(item); }
  MONOFOLD_HD state combine(state left, state right) const { return left * right; }
  MONOFOLD_HD state identity() const { return 1; }
  MONOFOLD_HD void absorb_run(state& own, const Item* items, std::int64_t count,
                              std::int64_t) const {
    constexpr int lanes = 32;  // chains that a compiler puts into vectors
    state lane[lanes];
    for (state& one : lane) one = 1;
    std::int64_t i = 0;
    for (; i + lanes <= count; i += lanes) {
      for (int l = 0; l < lanes; ++l) lane[l] *= static_cast<state>(items[i + l]);
    }
    for (; i < count; ++i) lane[0] *= static_cast<state>(items[i]);
    for (const state one : lane) own *= one;
  }
  MONOFOLD_HD_CALL constexpr integer_answer_t<Item> finish(state s) const {
    return static_cast<integer_answer_t<Item>>(s);
  }
};

namespace detail {

struct product_family {
  template <class Item>
  requires is_number_v<Item> MONOFOLD_HD_CALL constexpr auto on() const {
    if constexpr (is_floating_v<Item>) {
      return float_product_fold<Item>{};
    } else {
      return integer_product_fold<Item>{};
    }
  }
};

}  // namespace detail

MONOFOLD_CONSTANT detail::product_family product{};  // double; int64 or uint64 modulo 2^64

}  // namespace monofold
