#pragma once
/// level/thread_calls: makes nvcc refuse what a kernel calls of a user's and that is for the host alone.
///
/// Templates for both sides cannot ask for that: they would refuse host functions on the host, too. So
/// nvcc is told not to look (MONOFOLD_CALLS_USER), and a kernel silently lacks what it could not call.
/// What stands here calls the same, through all adapters, from functions for a device alone. It never
/// runs and is in no binary. Its names are there to be read in nvcc's errors.

#include <cstdint>
#include <type_traits>

#include "monofold/fold/adapt.hpp"
#include "monofold/fold/adapt_nan.hpp"
#include "monofold/fold/all.hpp"
#include "monofold/fold/custom.hpp"
#include "monofold/fold/fold.hpp"
#include "monofold/platform/host_device.hpp"
#include "monofold/platform/status.hpp"
#include "monofold/shape/part.hpp"
#include "monofold/shape/view.hpp"

namespace monofold::detail {

/// What a kernel calls of a fold, by what it needs it for.
template <class F, class Item>
struct device_calls {
  using state = typename F::state;
  using accumulator = accumulator_t<F>;

  /// As fold_access does.
  MONOFOLD_GPU static void what_takes_items_needs_MONOFOLD_HD(const F& f, const Item& item) {
    const std::int64_t at = 0;
    state lifted = f.lift(item, at);
    accumulator own = first(f, item, at);
    if constexpr (requires { f.absorb(own, item, at); }) f.absorb(own, item, at);
    if constexpr (requires { f.join(own, own); }) own = f.join(own, own);
    if constexpr (requires { f.flush(own, at); }) {
      lifted = f.flush(own, at);
    } else {
      lifted = own;
    }
    if constexpr (may_repeat_v<F>) {
      if (!f.suffices(own, at)) static_cast<void>(f.again(own, at));
    }
  }
  MONOFOLD_GPU static void what_takes_states_needs_MONOFOLD_HD(const F& f) {
    state own{};
    own = f.combine(own, own);
    if constexpr (has_identity_v<F>) own = f.identity();
  }
  MONOFOLD_GPU static void finish_needs_MONOFOLD_HD(const F& f, const state& total) {
    if constexpr (requires { f.finish(total); }) static_cast<void>(f.finish(total));
  }

 private:
  MONOFOLD_GPU static accumulator first(const F& f, const Item& item, std::int64_t at) {
    if constexpr (requires { f.open(item, at); }) {
      return f.open(item, at);
    } else {
      return f.lift(item, at);
    }
  }
};

template <class Mapped, class Function, class Inner, class Item>
struct device_calls<map_fold<Mapped, Function, Inner>, Item> {
  using fold = map_fold<Mapped, Function, Inner>;
  using inner = device_calls<Inner, typename fold::mapped>;

  MONOFOLD_GPU static void what_takes_items_needs_MONOFOLD_HD(const fold& f, const Mapped& item) {
    inner::what_takes_items_needs_MONOFOLD_HD(f.inner, f.function(item));
  }
  MONOFOLD_GPU static void what_takes_states_needs_MONOFOLD_HD(const fold& f) {
    static_cast<void>(&what_takes_items_needs_MONOFOLD_HD);  // of those who lift for themselves
    inner::what_takes_states_needs_MONOFOLD_HD(f.inner);
  }
  MONOFOLD_GPU static void finish_needs_MONOFOLD_HD(const fold& f,
                                                    const typename fold::state& total) {
    inner::finish_needs_MONOFOLD_HD(f.inner, total);
  }
};

template <class Tested, class Predicate, class Inner, class Item>
struct device_calls<where_fold<Tested, Predicate, Inner>, Item> {
  using fold = where_fold<Tested, Predicate, Inner>;
  using inner = device_calls<Inner, Tested>;

  MONOFOLD_GPU static void what_takes_items_needs_MONOFOLD_HD(const fold& f, const Tested& item) {
    if (f.predicate(item)) inner::what_takes_items_needs_MONOFOLD_HD(f.inner, item);
  }
  MONOFOLD_GPU static void what_takes_states_needs_MONOFOLD_HD(const fold& f) {
    static_cast<void>(&what_takes_items_needs_MONOFOLD_HD);  // of those who lift for themselves
    inner::what_takes_states_needs_MONOFOLD_HD(f.inner);
  }
  MONOFOLD_GPU static void finish_needs_MONOFOLD_HD(const fold& f,
                                                    const typename fold::state& total) {
    inner::finish_needs_MONOFOLD_HD(f.inner, total.value);
  }
};

template <class Tested, class Inner, class Item>
struct device_calls<raise_nan_fold<Tested, Inner>, Item> {
  using fold = raise_nan_fold<Tested, Inner>;
  using inner = device_calls<Inner, Tested>;

  MONOFOLD_GPU static void what_takes_items_needs_MONOFOLD_HD(const fold& f, const Tested& item) {
    inner::what_takes_items_needs_MONOFOLD_HD(f.inner, item);
  }
  MONOFOLD_GPU static void what_takes_states_needs_MONOFOLD_HD(const fold& f) {
    inner::what_takes_states_needs_MONOFOLD_HD(f.inner);
  }
  MONOFOLD_GPU static void finish_needs_MONOFOLD_HD(const fold& f,
                                                    const typename fold::state& total) {
    inner::finish_needs_MONOFOLD_HD(f.inner, total.value);
  }
};

template <class State, class Operator, bool swaps, class Item>
struct device_calls<operator_fold<State, Operator, swaps>, Item> {
  using fold = operator_fold<State, Operator, swaps>;

  MONOFOLD_GPU static void what_takes_items_needs_MONOFOLD_HD(const fold&, const State&) {}
  MONOFOLD_GPU static void what_takes_states_needs_MONOFOLD_HD(const fold& f) {
    State own{};
    own = f.combine_items(own, own);
  }
  MONOFOLD_GPU static void finish_needs_MONOFOLD_HD(const fold&, const State&) {}
};
template <class State, class Operator, bool swaps, class Item>
struct device_calls<monoid_fold<State, Operator, swaps>, Item>
    : device_calls<operator_fold<State, Operator, swaps>, Item> {};

/// Members are finished on the host.
template <class... Folds, class Item>
struct device_calls<all_fold<Folds...>, Item> {
  using fold = all_fold<Folds...>;

  MONOFOLD_GPU static void what_takes_items_needs_MONOFOLD_HD(const fold& f, const Item& item) {
    lift_each(f.members, item);
  }
  MONOFOLD_GPU static void what_takes_states_needs_MONOFOLD_HD(const fold& f) {
    combine_each(f.members);
  }

 private:
  template <class First, class... Rest>
  MONOFOLD_GPU static void lift_each(const fold_list<First, Rest...>& folds, const Item& item) {
    device_calls<First, Item>::what_takes_items_needs_MONOFOLD_HD(folds.first, item);
    if constexpr (sizeof...(Rest) > 0) lift_each(folds.rest, item);
  }
  template <class First, class... Rest>
  MONOFOLD_GPU static void combine_each(const fold_list<First, Rest...>& folds) {
    device_calls<First, Item>::what_takes_states_needs_MONOFOLD_HD(folds.first);
    if constexpr (sizeof...(Rest) > 0) combine_each(folds.rest);
  }
};

/// What a kernel calls of a view.
template <class View>
struct device_view_calls {
  MONOFOLD_GPU static typename View::item_type item_of_view_needs_MONOFOLD_HD(const View& view) {
    return view[0];
  }
};
template <class Function>
struct device_view_calls<generated_view<Function>> {
  MONOFOLD_GPU static auto item_of_view_needs_MONOFOLD_HD(const generated_view<Function>& view) {
    return view.function()(std::int64_t{0});
  }
};
template <class Inner, class Function>
struct device_view_calls<transformed_view<Inner, Function>> {
  MONOFOLD_GPU static auto item_of_view_needs_MONOFOLD_HD(
      const transformed_view<Inner, Function>& view) {
    return view.function()(device_view_calls<Inner>::item_of_view_needs_MONOFOLD_HD(view.inner()));
  }
};
template <class Left, class Right, class Pair>
struct device_view_calls<zipped_view<Left, Right, Pair>> {
  MONOFOLD_GPU static Pair item_of_view_needs_MONOFOLD_HD(
      const zipped_view<Left, Right, Pair>& view) {
    return {device_view_calls<Left>::item_of_view_needs_MONOFOLD_HD(view.left()),
            device_view_calls<Right>::item_of_view_needs_MONOFOLD_HD(view.right())};
  }
};
template <class Inner>
struct device_view_calls<part_view<Inner>> {
  MONOFOLD_GPU static auto item_of_view_needs_MONOFOLD_HD(const part_view<Inner>& view) {
    return device_view_calls<Inner>::item_of_view_needs_MONOFOLD_HD(view.inner());
  }
};
template <class View>
requires std::is_final_v<View>
struct device_view_calls<counted_view<View>> {
  MONOFOLD_GPU static auto item_of_view_needs_MONOFOLD_HD(const counted_view<View>& own) {
    return device_view_calls<View>::item_of_view_needs_MONOFOLD_HD(own.view);
  }
};

/// Whoever calls it calls, in the eyes of nvcc, what kernels call of a fold.
template <class F, class Item>
MONOFOLD_HD_CALL void check_device_calls() {
  static_cast<void>(&device_calls<F, Item>::what_takes_items_needs_MONOFOLD_HD);
  static_cast<void>(&device_calls<F, Item>::what_takes_states_needs_MONOFOLD_HD);
}
template <class View>
MONOFOLD_HD_CALL void check_device_view_calls() {
  if constexpr (!contiguous_item_view<View>) {
    static_cast<void>(&device_view_calls<View>::item_of_view_needs_MONOFOLD_HD);
  }
}

/// bind_fold and lift for a kernel: what they call is checked.
template <class Item, class F>
MONOFOLD_GPU auto bind_on_device(const F& f) {
  if constexpr (family_for<F, Item>) {
    return f.template on<Item>();
  } else {
    return f;
  }
}
template <class F, class Item>
MONOFOLD_GPU typename F::state lift_on_device(const F& f, const Item& item, std::int64_t index) {
  check_device_calls<F, Item>();
  return f.lift(item, index);
}

/// The answer for a state that this thread has, or none.
template <class F>
MONOFOLD_GPU result<answer_t<F>> answer_here(const F& f, const typename F::state& total,
                                             bool has_it) {
  static_cast<void>(&device_calls<F, typename F::state>::finish_needs_MONOFOLD_HD);
  if (!has_it) return status::empty_input;
  return finish_raw(f, total);
}

}  // namespace monofold::detail
