#pragma once
/// fold/logsumexp: the logarithm of a sum of exponentials, and the denominator of softmax, in one pass.

#include <cstdint>
#include <limits>
#include <type_traits>

#include "monofold/fold/exponentials.hpp"
#include "monofold/fold/nan.hpp"
#include "monofold/platform/host_device.hpp"
#include "monofold/platform/numbers.hpp"

namespace monofold {

/// The largest item, and the sum of exp(x - max): softmax of x is exp(x - max) / sum.
template <class Real>
struct softmax_scale {
  Real max;
  Real sum;
};

/// The largest item and the sum of exp(x - max), in float for items of up to 32 bits, else in double.
///
/// order      the plan's tree: the same bits on every engine, for every batch and chunking
/// errors     none; no items: -infinity and 0
/// accuracy   relative error of the sum at most 7 (ceil(log2(n)) + 4) u; nothing overflows. NaN where an item
///            is NaN; infinite items are the largest ones like any other
/// cost       one exponential an item, by additions and multiplications (fold/exponentials)
/// tested by  tests/fold/logsumexp_test.cpp
template <class Item>
struct softmax_fold {
  using real = std::conditional_t<(sizeof(Item) > 4 || !is_floating_v<Item>), double, float>;
  using state = softmax_scale<real>;
  static constexpr bool commutative = true;
  static constexpr real lowest = -std::numeric_limits<real>::infinity();

  /// +0 stands for both zeros.
  MONOFOLD_HD state lift(const Item& x, std::int64_t) const {
    return {static_cast<real>(x) + real(0), real(1)};
  }
  MONOFOLD_HD state combine(const state& left, const state& right) const {
    // Equal ones may be infinite. A NaN is greater than nothing, and no number is greater than it.
    const real apart = left.max == right.max ? real(0) : left.max - right.max;
    const real factor = detail::decay(apart < 0 ? apart : -apart);
    const bool left_is_max = right.max <= left.max;
    const real sum = left_is_max ? left.sum + right.sum * factor : left.sum * factor + right.sum;
    const real max = left_is_max ? left.max : right.max;
    return {is_nan(apart) ? apart : max, sum};
  }
  MONOFOLD_HD state identity() const { return {lowest, real(0)}; }
  MONOFOLD_HD_CALL state finish(const state& s) const { return {one_nan(s.max), s.sum}; }
};

/// max + log(sum of exp(x - max)), as a double.
///
/// errors     none; no items: -infinity
/// accuracy   that of the sum, absolutely: the logarithm adds 3 u, in double
template <class Item>
struct logsumexp_fold : softmax_fold<Item> {
  using state = typename softmax_fold<Item>::state;

  MONOFOLD_HD_CALL double finish(const state& s) const {
    const auto max = static_cast<double>(s.max);
    // There are no items, or the largest is not finite.
    if (!(max - max == 0.0)) return one_nan(max);
    return max + detail::natural_log(static_cast<double>(s.sum));
  }
};

namespace detail {

struct softmax_family {
  template <class Item>
  requires is_number_v<Item> MONOFOLD_HD_CALL constexpr auto on() const {
    return softmax_fold<Item>{};
  }
};

struct logsumexp_family {
  template <class Item>
  requires is_number_v<Item> MONOFOLD_HD_CALL constexpr auto on() const {
    return logsumexp_fold<Item>{};
  }
};

}  // namespace detail

MONOFOLD_CONSTANT detail::softmax_family softmax_denominator{};  // softmax_scale: max sum
MONOFOLD_CONSTANT detail::logsumexp_family logsumexp{};          // double

}  // namespace monofold
