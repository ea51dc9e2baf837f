#pragma once
/// engine/gpu/exact/adapted: exact sums of mapped items, and of some of the items, as sums of transformed views.

#include <cstdint>
#include <type_traits>

#include "monofold/engine/gpu/exact/add_exactly_kernel.cuh"
#include "monofold/engine/gpu/exact/start.cuh"
#include "monofold/engine/gpu/exact/thread_terms.cuh"
#include "monofold/engine/gpu/sinks.cuh"
#include "monofold/engine/gpu/workspace.cuh"
#include "monofold/fold/adapt.hpp"
#include "monofold/fold/dot.hpp"
#include "monofold/fold/sum.hpp"
#include "monofold/platform/bits.hpp"
#include "monofold/platform/float_format.hpp"
#include "monofold/platform/host_device.hpp"
#include "monofold/shape/view.hpp"

namespace monofold::detail {

/// An item that adds nothing to a sum: -0, or a pair whose product it is.
template <class Item>
struct nothing_item {
  using format = float_format<Item>;

  MONOFOLD_HD static Item make() {
    return bits_as<Item>(static_cast<typename format::bits>(format::sign_bit));
  }
};
template <class Item>
struct nothing_item<item_pair<Item, Item>> {
  MONOFOLD_HD static item_pair<Item, Item> make() { return {nothing_item<Item>::make(), Item{}}; }
};

/// The item where a predicate holds, else one that adds nothing.
template <class Item, class Predicate>
struct kept_item {
  Predicate predicate;

  MONOFOLD_CALLS_USER
  MONOFOLD_HD Item operator()(const Item& x) const {
    return predicate(x) ? x : nothing_item<Item>::make();
  }
};

/// f(item), which gets what the fold would give it.
template <class Item, class Function>
struct mapped_item {
  Function function;

  MONOFOLD_CALLS_USER
  MONOFOLD_HD mapped_t<Function, Item> operator()(const Item& x) const { return function(x); }
};

/// f(item) where a predicate holds for the item.
template <class Item, class Predicate, class Function>
struct kept_mapped_item {
  using mapped = mapped_t<Function, Item>;
  Predicate predicate;
  Function function;

  MONOFOLD_CALLS_USER
  MONOFOLD_HD mapped operator()(const Item& x) const {
    if (!predicate(x)) return nothing_item<mapped>::make();
    return function(x);
  }
};

/// How an exact sum of some of the items is one of as many as there are.
template <class F, class View>
struct filtered_sum {
  static constexpr bool is_one = false;
};
template <class Predicate, class Inner, class View>
requires adds_exactly_v<Inner,
                        transformed_view<View, kept_item<typename View::item_type, Predicate>>>
struct filtered_sum<where_fold<typename View::item_type, Predicate, Inner>, View> {
  using item = typename View::item_type;
  using fold = where_fold<item, Predicate, Inner>;
  using counter = where_fold<item, Predicate, count_fold>;
  using sum = Inner;
  using view = transformed_view<View, kept_item<item, Predicate>>;
  static constexpr bool is_one = true;

  static const sum& sum_of(const fold& f) { return f.inner; }
  static view view_of(const fold& f, const View& items) { return {items, {f.predicate}}; }
};
template <class Predicate, class Function, class Inner, class View>
requires adds_exactly_v<
    Inner, transformed_view<View, kept_mapped_item<typename View::item_type, Predicate, Function>>>
struct filtered_sum<where_fold<typename View::item_type, Predicate,
                               map_fold<typename View::item_type, Function, Inner>>,
                    View> {
  using item = typename View::item_type;
  using fold = where_fold<item, Predicate, map_fold<item, Function, Inner>>;
  using counter = where_fold<item, Predicate, count_fold>;
  using sum = Inner;
  using view = transformed_view<View, kept_mapped_item<item, Predicate, Function>>;
  static constexpr bool is_one = true;

  static const sum& sum_of(const fold& f) { return f.inner.inner; }
  static view view_of(const fold& f, const View& items) {
    return {items, {f.predicate, f.inner.function}};
  }
};

/// How an exact sum of mapped items is one of a transformed view.
template <class F, class View>
struct mapped_sum {
  static constexpr bool is_one = false;
};
template <class Function, class Inner, class View>
struct mapped_sum<map_fold<typename View::item_type, Function, Inner>, View> {
  using item = typename View::item_type;
  using fold = map_fold<item, Function, Inner>;
  using view = transformed_view<View, mapped_item<item, Function>>;
  using sum = Inner;
  static constexpr bool is_one = adds_exactly_v<Inner, view> || mapped_sum<Inner, view>::is_one ||
                                 filtered_sum<Inner, view>::is_one;

  static view view_of(const fold& f, const View& items) { return {items, {f.function}}; }
};

/// Whether a fold of a view is an exact sum by the kernel, perhaps adapted.
template <class F, class View>
inline constexpr bool sums_exactly_v =
    adds_exactly_v<F, View> || mapped_sum<F, View>::is_one || filtered_sum<F, View>::is_one;

/// Makes the state of a sum of those items that a predicate let through, of so many as were counted.
template <class F, class Term, class Counted, class Sink>
struct filtered_sink {
  F fold;
  const Counted* counted;
  Sink sink;

  template <class Sum, class State>
  MONOFOLD_GPU void operator()(const Sum&, const State& total) const {
    typename F::state out{};
    out.any = counted->any;
    if (out.any) {
      out.value = total;
      exact_counts& counts = counts_of(out.value);
      counts.items = counted->value;
      // Where no term is -0, whatever is no NaN is another number.
      if (!thread_terms<Term>::counts_zeros) counts.other = counts.items != counts.nan ? 1 : 0;
    }
    sink(fold, out);
  }
};

}  // namespace monofold::detail
