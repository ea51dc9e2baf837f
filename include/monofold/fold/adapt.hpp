#pragma once
/// fold/adapt: a fold of mapped items, a fold of some of the items.

#include <concepts>
#include <cstdint>
#include <tuple>
#include <type_traits>
#include <utility>

#include "monofold/fold/adapted_sum.hpp"
#include "monofold/fold/all.hpp"
#include "monofold/fold/fold.hpp"
#include "monofold/platform/host_device.hpp"
#include "monofold/platform/status.hpp"

namespace monofold {

namespace detail {

template <class Function, class Item>
using mapped_t = std::remove_cvref_t<std::invoke_result_t<const Function&, const Item&>>;

/// `Function` takes an item, and `F` folds what it gives.
template <class F, class Function, class Item>
concept folds_mapped =
    std::invocable<const Function&, const Item&> && fold_on<F, mapped_t<Function, Item>>;

/// `Predicate` tells of an item whether `F` gets it.
template <class F, class Predicate, class Item>
concept folds_some = std::predicate<const Predicate&, const Item&> && fold_on<F, Item>;

}  // namespace detail

/// Folds f(item) where `Inner` folds item.
template <class Item, class Function, class Inner>
struct map_fold {
  using mapped = detail::mapped_t<Function, Item>;
  using access = fold_access<Inner, mapped>;
  using state = typename Inner::state;
  using accumulator = accumulator_t<Inner>;
  using running_sum = std::conditional_t<has_running_sum_v<Inner, mapped>,
                                         detail::mapped_run<Item, Function, Inner>, void>;
  static constexpr bool commutative = is_commutative_v<Inner>;
  static constexpr bool exact = is_exact_v<Inner>;

  Inner inner;
  Function function;

  MONOFOLD_CALLS_USER
  MONOFOLD_HD state lift(const Item& item, std::int64_t index) const {
    return inner.lift(function(item), index);
  }
  MONOFOLD_CALLS_USER
  MONOFOLD_HD state combine(const state& left, const state& right) const {
    return inner.combine(left, right);
  }
  MONOFOLD_CALLS_USER
  MONOFOLD_HD state identity() const requires has_identity_v<Inner> { return inner.identity(); }
  MONOFOLD_CALLS_USER
  MONOFOLD_HD_CALL constexpr auto finish(const state& s) const { return finish_state(inner, s); }

  MONOFOLD_CALLS_USER
  MONOFOLD_HD accumulator open(const Item& item, std::int64_t index) const {
    return access::open(inner, function(item), index);
  }
  MONOFOLD_CALLS_USER
  MONOFOLD_HD void absorb(accumulator& own, const Item& item, std::int64_t index) const {
    access::absorb(inner, own, function(item), index);
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
  MONOFOLD_HD map_fold again(const accumulator& tile,
                             std::int64_t count) const requires may_repeat_v<Inner> {
    return {inner.again(tile, count), function};
  }
  MONOFOLD_INLINE void absorb_run(state& own, const Item* items, std::int64_t count,
                                  std::int64_t index) const requires
      has_absorb_run_v<Inner, mapped> {
    constexpr std::int64_t block = 256;  // small enough to stay in the first-level cache
    mapped buffer[block];
    for (std::int64_t at = 0; at < count; at += block) {
      const std::int64_t n = count - at < block ? count - at : block;
      for (std::int64_t i = 0; i < n; ++i) buffer[i] = function(items[at + i]);
      inner.absorb_run(own, buffer, n, index + at);
    }
  }
};

/// Folds the items for which `predicate` holds; the others are as if absent, indices stay.
template <class Item, class Predicate, class Inner>
struct where_fold {
  struct state {
    typename Inner::state value;
    bool any;
  };
  using running_sum = std::conditional_t<has_running_sum_v<Inner, Item>,
                                         detail::filtered_run<Item, Predicate, Inner, state>, void>;
  static constexpr bool commutative = is_commutative_v<Inner>;
  static constexpr bool exact = is_exact_v<Inner>;

  Inner inner;
  Predicate predicate;

  MONOFOLD_CALLS_USER
  MONOFOLD_HD state lift(const Item& item, std::int64_t index) const {
    if (!predicate(item)) return identity();
    return {inner.lift(item, index), true};
  }
  MONOFOLD_CALLS_USER
  MONOFOLD_HD state combine(const state& left, const state& right) const {
    if (!right.any) return left;
    if (!left.any) return right;
    return {inner.combine(left.value, right.value), true};
  }
  MONOFOLD_CALLS_USER
  MONOFOLD_HD state identity() const { return {typename Inner::state{}, false}; }
  MONOFOLD_CALLS_USER
  MONOFOLD_HD_CALL constexpr result<answer_t<Inner>> finish(const state& s) const {
    return s.any ? finish_state(inner, s.value) : finish_empty(inner);
  }
  MONOFOLD_INLINE void absorb_run(state& own, const Item* items, std::int64_t count,
                                  std::int64_t index) const requires has_absorb_run_v<Inner, Item> {
    detail::for_each_stretch(items, count, predicate, [&](std::int64_t at, std::int64_t n) {
      if (!own.any) own = {inner.identity(), true};
      inner.absorb_run(own.value, items + at, n, index + at);
    });
  }
};

namespace detail {

template <class Function>
struct map_adapter {
  Function function;
};

template <class Predicate>
struct where_adapter {
  Predicate predicate;
};

template <class F, class Function>
struct map_family {
  F fold;
  Function function;

  template <class Item>
  requires folds_mapped<F, Function, Item> MONOFOLD_HD_CALL constexpr auto on() const {
    using mapped = mapped_t<Function, Item>;
    return map_fold<Item, Function, bound_fold_t<F, mapped>>{bind_fold<mapped>(fold), function};
  }
};

template <class F, class Predicate>
struct where_family {
  F fold;
  Predicate predicate;

  template <class Item>
  requires folds_some<F, Predicate, Item> MONOFOLD_HD_CALL constexpr auto on() const {
    return where_fold<Item, Predicate, bound_fold_t<F, Item>>{bind_fold<Item>(fold), predicate};
  }
};

template <class F, class Function>
constexpr auto operator|(F fold, map_adapter<Function> adapter) {
  return map_family<F, Function>{fold, adapter.function};
}

template <class F, class Predicate>
constexpr auto operator|(F fold, where_adapter<Predicate> adapter) {
  return where_family<F, Predicate>{fold, adapter.predicate};
}

// Each member of an `all` is adapted on its own, so that it keeps its own slots and bits.
template <class... Folds, class Function>
constexpr auto operator|(const all_family<Folds...>& folds, map_adapter<Function> adapter) {
  return std::apply([&](const auto&... member) { return all((member | adapter)...); },
                    folds.members);
}

template <class... Folds, class Predicate>
constexpr auto operator|(const all_family<Folds...>& folds, where_adapter<Predicate> adapter) {
  return std::apply([&](const auto&... member) { return all((member | adapter)...); },
                    folds.members);
}

}  // namespace detail

/// `fold | map(f)` folds f(item).
///
/// order      the adapter added last sees the items first: `sum | map(f) | where(p)` tests p(item)
///            and sums f(item)
template <class Function>
constexpr auto map(Function function) {
  return detail::map_adapter<Function>{function};
}

/// `fold | where(p)` folds the items for which p(item) is true.
template <class Predicate>
constexpr auto where(Predicate predicate) {
  return detail::where_adapter<Predicate>{predicate};
}

}  // namespace monofold
