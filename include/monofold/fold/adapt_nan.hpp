#pragma once
/// fold/adapt_nan: a fold that omits NaN, a fold that has no answer where there is one.

#include <cstdint>
#include <tuple>

#include "monofold/fold/adapt.hpp"
#include "monofold/fold/all.hpp"
#include "monofold/fold/dot.hpp"
#include "monofold/fold/fold.hpp"
#include "monofold/fold/nan.hpp"
#include "monofold/platform/host_device.hpp"
#include "monofold/platform/status.hpp"

namespace monofold {

namespace detail {

struct has_no_nan {
  template <class Item>
  MONOFOLD_HD bool operator()(const Item& item) const {
    return !is_nan(item);
  }
  template <class Left, class Right>
  MONOFOLD_HD bool operator()(const item_pair<Left, Right>& pair) const {
    return !is_nan(pair.left) && !is_nan(pair.right);
  }
};

}  // namespace detail

/// What `Inner` makes of the items, and whether one of them was NaN.
///
/// errors     nan_found: an item, or one of a pair, is NaN
/// tested by  tests/fold/adapt_nan_test.cpp
template <class Item, class Inner>
struct raise_nan_fold {
  using access = fold_access<Inner, Item>;
  struct state {
    typename Inner::state value;
    bool has_nan;
  };
  struct accumulator {
    accumulator_t<Inner> value;
    bool has_nan;
  };
  static constexpr bool commutative = is_commutative_v<Inner>;
  static constexpr bool exact = is_exact_v<Inner>;

  Inner inner;

  MONOFOLD_CALLS_USER
  MONOFOLD_HD state lift(const Item& item, std::int64_t index) const {
    return {inner.lift(item, index), !detail::has_no_nan{}(item)};
  }
  MONOFOLD_CALLS_USER
  MONOFOLD_HD state combine(const state& left, const state& right) const {
    return {inner.combine(left.value, right.value), left.has_nan || right.has_nan};
  }
  MONOFOLD_CALLS_USER
  MONOFOLD_HD state identity() const requires has_identity_v<Inner> {
    return {inner.identity(), false};
  }
  MONOFOLD_CALLS_USER
  MONOFOLD_HD_CALL constexpr result<answer_t<Inner>> finish(const state& s) const {
    if (s.has_nan) return status::nan_found;
    return finish_state(inner, s.value);
  }

  MONOFOLD_CALLS_USER
  MONOFOLD_HD accumulator open(const Item& item, std::int64_t index) const {
    return {access::open(inner, item, index), !detail::has_no_nan{}(item)};
  }
  MONOFOLD_CALLS_USER
  MONOFOLD_HD void absorb(accumulator& own, const Item& item, std::int64_t index) const {
    access::absorb(inner, own.value, item, index);
    own.has_nan |= !detail::has_no_nan{}(item);
  }
  MONOFOLD_CALLS_USER
  MONOFOLD_HD accumulator join(const accumulator& left, const accumulator& right) const {
    return {access::join(inner, left.value, right.value), left.has_nan || right.has_nan};
  }
  MONOFOLD_CALLS_USER
  MONOFOLD_HD state flush(const accumulator& own, std::int64_t count) const {
    return {access::flush(inner, own.value, count), own.has_nan};
  }
  MONOFOLD_CALLS_USER
  MONOFOLD_HD bool suffices(const accumulator& tile,
                            std::int64_t count) const requires may_repeat_v<Inner> {
    return inner.suffices(tile.value, count);
  }
  MONOFOLD_CALLS_USER
  MONOFOLD_HD raise_nan_fold again(const accumulator& tile,
                                   std::int64_t count) const requires may_repeat_v<Inner> {
    return {inner.again(tile.value, count)};
  }
  MONOFOLD_INLINE void absorb_run(state& own, const Item* items, std::int64_t count,
                                  std::int64_t index) const requires has_absorb_run_v<Inner, Item> {
    inner.absorb_run(own.value, items, count, index);
    bool found = false;
    for (std::int64_t i = 0; i < count; ++i) found |= !detail::has_no_nan{}(items[i]);
    own.has_nan |= found;
  }
};

namespace detail {

struct raise_nan_adapter {};

template <class F>
struct raise_nan_family {
  F fold;

  template <class Item>
  requires fold_on<F, Item> MONOFOLD_HD_CALL constexpr auto on() const {
    return raise_nan_fold<Item, bound_fold_t<F, Item>>{bind_fold<Item>(fold)};
  }
};

template <class F>
constexpr auto operator|(F fold, raise_nan_adapter) {
  return raise_nan_family<F>{fold};
}

// Each member of an `all` is adapted on its own, so that it keeps its own slots and bits.
template <class... Folds>
constexpr auto operator|(const all_family<Folds...>& folds, raise_nan_adapter adapter) {
  return std::apply([&](const auto&... member) { return all((member | adapter)...); },
                    folds.members);
}

}  // namespace detail

/// `fold | omit_nan` folds the items that are not NaN, as `where` does: indices stay. It folds the
/// pairs of two numbers.
inline constexpr auto omit_nan = where(detail::has_no_nan{});

/// `fold | raise_nan` has no answer, but nan_found, where an item is NaN.
///
/// cost       on a GPU an exact fold takes the plan's tree so, with states of hundreds of bytes: slowly
inline constexpr detail::raise_nan_adapter raise_nan{};

}  // namespace monofold
