#pragma once
/// runtime/logsumexp_fold: the fold of logsumexp by the type of its numbers, and what lifts items of each type.

#include <cstdint>

#include "monofold/fold/logsumexp.hpp"
#include "monofold/fold/nan.hpp"
#include "monofold/platform/host_device.hpp"

namespace monofold::runtime {

/// States of float32 stand for those of halves too: so members and their trees are there once for all three.
template <class Real>
struct joined_logsumexp_fold : logsumexp_fold<Real> {
  bool omits_nan = false;
};

/// The same states from items of a type.
template <class Item>
struct lifted_logsumexp_fold : softmax_fold<Item> {
  using base = softmax_fold<Item>;
  using state = typename base::state;

  bool omits_nan;

  MONOFOLD_HD explicit lifted_logsumexp_fold(bool omits) : omits_nan(omits) {}
  MONOFOLD_HD state lift(const Item& x, std::int64_t index) const {
    const state own = base::lift(x, index);
    const bool is_gone = omits_nan && is_nan(own.max);
    return {is_gone ? base::lowest : own.max, is_gone ? typename base::real(0) : own.sum};
  }
};

}  // namespace monofold::runtime
