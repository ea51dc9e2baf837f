#pragma once
/// shape/view: what is to be reduced: items in memory, or items computed from an index.

#include <concepts>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>
// The concepts of ranges, without the views: all of <ranges> costs each source that includes this 0.1 s.
#if __has_include(<bits/ranges_base.h>)
#include <bits/ranges_base.h>
#else
#include <ranges>
#endif

#include "monofold/platform/bits.hpp"
#include "monofold/platform/host_device.hpp"
#include "monofold/shape/stored_item.hpp"

namespace monofold {

/// A sequence of `size()` items, by index. Views are small, copied freely, and own nothing.
template <class V>
concept item_view = std::copy_constructible<V> && requires(const V v) {
  typename V::item_type;
  { v.size() } -> std::convertible_to<std::int64_t>;
  { v[std::int64_t{}] } -> std::convertible_to<typename V::item_type>;
};

/// A view whose items lie next to each other in memory.
template <class V>
concept contiguous_item_view = item_view<V> && requires(const V v) {
  { v.data() } -> std::same_as<const typename V::item_type*>;
};

/// A view of pairs of items that lie next to each other in two arrays.
template <class V>
concept contiguous_pair_view = item_view<V> && requires(const V v) {
  { *v.left_data() } -> std::same_as<const decltype(V::item_type::left)&>;
  { *v.right_data() } -> std::same_as<const decltype(V::item_type::right)&>;
};

/// A view whose items come when they are asked for, best `fetch_items()` or more at a time: from a
/// file, say. fetch(at, count, buffer) gives the items from position `at` on: in `buffer`, which is
/// aligned to a cache line and has room for them, or where they lie. Several threads may call it.
template <class V>
concept fetched_item_view = item_view<V> && requires(const V v, typename V::item_type* buffer) {
  { v.fetch_items() } -> std::convertible_to<std::int64_t>;
  { v.fetch(std::int64_t{}, std::int64_t{}, buffer) } -> std::same_as<const typename V::item_type*>;
};

template <class Item>
class contiguous_view {
 public:
  using item_type = Item;

  MONOFOLD_HD constexpr contiguous_view(const Item* items, std::int64_t count)
      : items_(items), count_(count) {}

  MONOFOLD_HD constexpr std::int64_t size() const { return count_; }
  MONOFOLD_HD constexpr const Item* data() const { return items_; }
  MONOFOLD_HD const Item& operator[](std::int64_t i) const { return items_[i]; }

 private:
  const Item* items_;
  std::int64_t count_;
};

/// Items `stride` items apart; the stride may be negative or zero.
template <class Item>
class strided_view {
 public:
  using item_type = Item;

  constexpr strided_view(const Item* first, std::int64_t count, std::int64_t stride)
      : first_(first), count_(count), stride_(stride) {}

  constexpr std::int64_t size() const { return count_; }
  MONOFOLD_HD const Item& operator[](std::int64_t i) const { return first_[i * stride_]; }

 private:
  const Item* first_;
  std::int64_t count_;
  std::int64_t stride_;
};

/// f(0), f(1), ..., f(count - 1): data that was never stored.
template <class Function>
class generated_view {
 public:
  using item_type = std::remove_cvref_t<std::invoke_result_t<const Function&, std::int64_t>>;

  constexpr generated_view(std::int64_t count, Function function)
      : count_(count), function_(std::move(function)) {}

  constexpr std::int64_t size() const { return count_; }
  MONOFOLD_HD const Function& function() const { return function_; }
  MONOFOLD_CALLS_USER
  MONOFOLD_HD item_type operator[](std::int64_t i) const { return function_(i); }

 private:
  std::int64_t count_;
  Function function_;
};

/// f(item) of another view's items.
template <item_view View, class Function>
class transformed_view {
 public:
  using item_type =
      std::remove_cvref_t<std::invoke_result_t<const Function&, typename View::item_type>>;

  constexpr transformed_view(View view, Function function)
      : view_(view), function_(std::move(function)) {}

  constexpr std::int64_t size() const { return view_.size(); }
  MONOFOLD_HD const View& inner() const { return view_; }
  MONOFOLD_HD const Function& function() const { return function_; }
  MONOFOLD_CALLS_USER
  MONOFOLD_HD item_type operator[](std::int64_t i) const { return function_(view_[i]); }

 private:
  View view_;
  Function function_;
};

/// Pairs of items with the same index of two views; as long as the shorter one.
template <item_view Left, item_view Right, class Pair>
class zipped_view {
 public:
  using item_type = Pair;

  constexpr zipped_view(Left left, Right right) : left_(left), right_(right) {}

  constexpr std::int64_t size() const {
    return left_.size() < right_.size() ? left_.size() : right_.size();
  }
  MONOFOLD_HD const Left& left() const { return left_; }
  MONOFOLD_HD const Right& right() const { return right_; }
  constexpr auto left_data() const requires contiguous_item_view<Left> { return left_.data(); }
  constexpr auto right_data() const requires contiguous_item_view<Right> { return right_.data(); }
  MONOFOLD_CALLS_USER
  MONOFOLD_HD item_type operator[](std::int64_t i) const { return {left_[i], right_[i]}; }

 private:
  Left left_;
  Right right_;
};

/// A random-access range of the standard library that is not contiguous: std::views::transform,
/// std::deque, ...
template <class Iterator>
class range_view {
 public:
  using item_type = std::remove_cvref_t<std::iter_reference_t<Iterator>>;

  constexpr range_view(Iterator first, std::int64_t count) : first_(first), count_(count) {}

  constexpr std::int64_t size() const { return count_; }
  constexpr item_type operator[](std::int64_t i) const {
    return first_[static_cast<std::iter_difference_t<Iterator>>(i)];
  }

 private:
  Iterator first_;
  std::int64_t count_;
};

/// What can be reduced: a view, or a sized random-access range (which must outlive the call).
template <class Range>
concept reducible = item_view<std::remove_cvref_t<Range>> ||
    (std::ranges::random_access_range<const std::remove_reference_t<Range>>&&
         std::ranges::sized_range<const std::remove_reference_t<Range>>);

namespace detail {

/// A view of a user that counts its items in another type.
template <item_view View>
struct counted_view : View {
  constexpr std::int64_t size() const { return static_cast<std::int64_t>(View::size()); }
};

/// The same of a final one. What it calls of a user's view for a kernel, level/thread_calls has nvcc look at.
template <item_view View>
requires std::is_final_v<View>
struct counted_view<View> {
  using item_type = typename View::item_type;

  constexpr std::int64_t size() const { return static_cast<std::int64_t>(view.size()); }
  MONOFOLD_CALLS_USER
  MONOFOLD_HD decltype(auto) operator[](std::int64_t i) const { return view[i]; }
  constexpr auto fetch_items() const requires fetched_item_view<View> { return view.fetch_items(); }
  auto fetch(std::int64_t at, std::int64_t count,
             item_type* buffer) const requires fetched_item_view<View> {
    return view.fetch(at, count, buffer);
  }

  View view;
};

template <class View>
concept counts_otherwise =
    item_view<View> && !std::same_as<decltype(std::declval<const View&>().size()), std::int64_t>;

}  // namespace detail

/// The view of a range; its size() is an std::int64_t.
template <reducible Range>
constexpr auto view_of(const Range& range) {
  if constexpr (detail::counts_otherwise<Range> && contiguous_item_view<Range>) {
    return contiguous_view<typename Range::item_type>(range.data(),
                                                      static_cast<std::int64_t>(range.size()));
  } else if constexpr (detail::counts_otherwise<Range>) {
    return detail::counted_view<Range>{range};
  } else if constexpr (item_view<Range>) {
    return range;
  } else if constexpr (std::ranges::contiguous_range<const Range>) {
    using item = std::remove_cvref_t<std::ranges::range_reference_t<const Range>>;
    return contiguous_view<item>(std::ranges::data(range),
                                 static_cast<std::int64_t>(std::ranges::size(range)));
  } else {
    using iterator = std::ranges::iterator_t<const Range>;
    return range_view<iterator>(std::ranges::begin(range),
                                static_cast<std::int64_t>(std::ranges::size(range)));
  }
}

template <class Range>
using view_of_t = decltype(view_of(std::declval<const Range&>()));

template <class Range>
using item_of_t = typename view_of_t<Range>::item_type;

/// `function(item)` of each item, computed when it is folded; nothing is copied.
template <reducible Range, class Function>
constexpr auto transform(const Range& range, Function function) {
  return transformed_view<view_of_t<Range>, Function>(view_of(range), std::move(function));
}

/// `function(0)` to `function(count - 1)`.
template <class Function>
constexpr auto generate(std::int64_t count, Function function) {
  return generated_view<Function>(count, std::move(function));
}

namespace detail {

struct to_stored {
  template <class Item>
  MONOFOLD_HD constexpr stored_as_t<Item> operator()(const Item& item) const {
    return bits_as<stored_as_t<Item>>(item);
  }
};

}  // namespace detail

/// The view of a range of __half as one of float16, of __nv_bfloat16 as one of bfloat16.
template <reducible Range>
constexpr auto stored_view_of(const Range& range) {
  using stored = detail::stored_as_t<item_of_t<Range>>;
  const auto view = view_of(range);
  if constexpr (std::is_same_v<stored, item_of_t<Range>>) {
    return view;
  } else if constexpr (contiguous_item_view<view_of_t<Range>>) {
    return contiguous_view<stored>(reinterpret_cast<const stored*>(view.data()), view.size());
  } else {
    return transform(view, detail::to_stored{});
  }
}

}  // namespace monofold
