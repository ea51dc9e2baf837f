#pragma once
/// engine/gpu/exact/adapted_paths: exact sums of mapped items, and of some of the items, as sums of transformed views.

#include <cstdint>
#include <type_traits>

#include "monofold/engine/gpu/engine.cuh"
#include "monofold/engine/gpu/exact/add_exactly_kernel.cuh"
#include "monofold/engine/gpu/exact/path.cuh"
#include "monofold/engine/gpu/exact/term_format.cuh"
#include "monofold/engine/gpu/kernel.cuh"
#include "monofold/engine/gpu/workspace.cuh"
#include "monofold/fold/adapt.hpp"
#include "monofold/fold/dot.hpp"
#include "monofold/fold/sum.hpp"
#include "monofold/platform/bits.hpp"
#include "monofold/platform/float_format.hpp"
#include "monofold/platform/host_device.hpp"
#include "monofold/shape/view.hpp"

namespace monofold::detail {

/// Maps an item to itself where the predicate holds, and to 0 where it does not: 0 adds nothing, and items are counted
/// apart, by `filtered_path`.
template <class Item, class Predicate>
struct kept_item {
  Predicate predicate;

  MONOFOLD_CALLS_USER
  MONOFOLD_HD Item operator()(const Item& x) const { return predicate(x) ? x : Item{}; }
};

/// Maps an item to function(item), which is called with the item as the fold itself would call it.
template <class Item, class Function>
struct mapped_item {
  Function function;

  MONOFOLD_CALLS_USER
  MONOFOLD_HD mapped_t<Function, Item> operator()(const Item& x) const { return function(x); }
};

/// Maps an item to function(item) where the predicate holds for the item, and to 0 where it does not.
template <class Item, class Predicate, class Function>
struct kept_mapped_item {
  using mapped = mapped_t<Function, Item>;
  Predicate predicate;
  Function function;

  MONOFOLD_CALLS_USER
  MONOFOLD_HD mapped operator()(const Item& x) const {
    if (!predicate(x)) return mapped{};
    return function(x);
  }
};

/// Turns an exact sum of the items that a predicate lets through into an exact sum of all items of a transformed view,
/// in which the others are 0.
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

/// Turns an exact sum of mapped items into an exact sum of the items of a transformed view.
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

/// Whether the kernel of exact sums folds a view by `F`, as it is or by one of the two above.
template <class F, class View>
inline constexpr bool sums_exactly_v =
    adds_exactly_v<F, View> || mapped_sum<F, View>::is_one || filtered_sum<F, View>::is_one;

/// Makes the state of a filtered sum: the sum of the transformed view, with the number of items that a kernel before
/// it has counted.
template <class F, class Counted, class Sink>
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
      counts_of(out.value).items = counted->value;
    }
    sink(fold, out);
  }
};

/// Path of an exact sum of mapped items.
template <class F, class View>
class mapped_path : public state_path<F, View> {
 public:
  using mapped = mapped_sum<F, View>;

  mapped_path(const F& f, const View& view)
      : state_path<F, View>(f, view),
        mapped_view_(mapped::view_of(f, view)),
        inner_(f.inner, mapped_view_) {}

  std::int64_t workspace_bytes() const { return inner_.workspace_bytes(); }
  template <class Sink>
  failure start(const device_stream& on, const gpu_workspace& workspace, const Sink& sink) const {
    return inner_.start(on, workspace, sink);
  }

 private:
  typename mapped::view mapped_view_;
  gpu_path<typename mapped::sum, typename mapped::view> inner_;
};

/// Path of an exact sum of the items that a predicate lets through.
///
/// cost       two launches and passes: one counts the items
template <class F, class View>
class filtered_path : public state_path<F, View> {
 public:
  using filtered = filtered_sum<F, View>;
  using counter = typename filtered::counter;
  using counted = typename counter::state;
  using term = view_term_t<typename filtered::sum, typename filtered::view>;

  filtered_path(const F& f, const View& view)
      : state_path<F, View>(f, view),
        counter_{{}, f.predicate},
        counting_(counter_, view),
        kept_(filtered::view_of(f, view)),
        sum_(filtered::sum_of(f), kept_) {}

  std::int64_t workspace_bytes() const {
    return counted_at() + static_cast<std::int64_t>(sizeof(counted));
  }
  template <class Sink>
  failure start(const device_stream& on, const gpu_workspace& workspace, const Sink& sink) const {
    std::int64_t blocks = 0;
    if (auto failed = exact_blocks_of<term>(on, kept_, blocks)) return failed;
    auto* const slot = reinterpret_cast<counted*>(static_cast<char*>(workspace.states()) +
                                                  counted_at() - gpu_workspace::fixed_bytes);
    if (auto failed = counting_.start(on, workspace, state_sink<counted>{slot})) return failed;
    return sum_.start_blocks(blocks, on, workspace,
                             filtered_sink<F, counted, Sink>{this->f(), slot, sink});
  }

 private:
  /// Where in the workspace the count lies: behind what the kernel that counts takes.
  std::int64_t counted_at() const {
    const std::int64_t own = counting_.workspace_bytes();
    const std::int64_t least = gpu_workspace::fixed_bytes;
    return ((own < least ? least : own) + 15) / 16 * 16;
  }

  counter counter_;
  gpu_path<counter, View> counting_;
  typename filtered::view kept_;
  exact_path<typename filtered::sum, typename filtered::view> sum_;
};

}  // namespace monofold::detail
