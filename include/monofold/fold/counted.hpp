#pragma once
/// fold/counted: a fold whose first item is not number 0.

#include <cstdint>

#include "monofold/fold/fold.hpp"
#include "monofold/platform/host_device.hpp"

namespace monofold::detail {

/// Folds what `Inner` folds, with indices from `first` on, in the slots of `Inner`.
template <class Inner, class Item>
struct counted_fold {
  using access = fold_access<Inner, Item>;
  using state = typename Inner::state;
  using accumulator = accumulator_t<Inner>;
  static constexpr bool commutative = is_commutative_v<Inner>;
  static constexpr bool exact = is_exact_v<Inner>;

  Inner inner;
  std::int64_t first;

  MONOFOLD_CALLS_USER
  MONOFOLD_HD state lift(const Item& item, std::int64_t index) const {
    return inner.lift(item, first + index);
  }
  MONOFOLD_CALLS_USER
  MONOFOLD_HD state combine(const state& left, const state& right) const {
    return inner.combine(left, right);
  }
  MONOFOLD_CALLS_USER
  MONOFOLD_HD state identity() const requires has_identity_v<Inner> { return inner.identity(); }

  MONOFOLD_CALLS_USER
  MONOFOLD_HD accumulator open(const Item& item, std::int64_t index) const {
    return access::open(inner, item, first + index);
  }
  MONOFOLD_CALLS_USER
  MONOFOLD_HD void absorb(accumulator& own, const Item& item, std::int64_t index) const {
    access::absorb(inner, own, item, first + index);
  }
  MONOFOLD_CALLS_USER
  MONOFOLD_HD accumulator join(const accumulator& left, const accumulator& right) const {
    return access::join(inner, left, right);
  }
  MONOFOLD_CALLS_USER
  MONOFOLD_HD state flush(const accumulator& own, std::int64_t count) const {
    return access::flush(inner, own, count);
  }
  MONOFOLD_CALLS_USER
  MONOFOLD_HD bool suffices(const accumulator& tile,
                            std::int64_t count) const requires may_repeat_v<Inner> {
    return inner.suffices(tile, count);
  }
  MONOFOLD_CALLS_USER
  MONOFOLD_HD counted_fold again(const accumulator& tile,
                                 std::int64_t count) const requires may_repeat_v<Inner> {
    return {inner.again(tile, count), first};
  }
};

}  // namespace monofold::detail
