#pragma once
/// engine/gpu/key/grouped_items: items of groups in new places, side by side, as the view that kernels read fastest.

#include <cstdint>

#include "monofold/engine/gpu/at_each.cuh"
#include "monofold/engine/gpu/device_list.cuh"
#include "monofold/engine/gpu/engine.cuh"
#include "monofold/fold/dot.hpp"
#include "monofold/platform/host_device.hpp"
#include "monofold/shape/view.hpp"

namespace monofold::detail {

template <class Item>
class grouped_items {
 public:
  using view_type = contiguous_view<Item>;

  grouped_items() = default;
  grouped_items(const device_stream& on, std::int64_t count) : items_(on, count) {}

  /// Copies the items at places `at` of a view; all items in their order where `at` is null.
  template <class View>
  void gather(const device_stream& on, const View& from, const std::uint32_t* at) const {
    at_each(on, items_.size(), gather_items<View, std::uint32_t>{from, at, items_.data()});
  }
  bool is_there() const { return items_.data() != nullptr; }
  Item* data() const { return items_.data(); }
  view_type view() const { return {items_.data(), items_.size()}; }

 private:
  device_list<Item> items_;
};

template <class View, class Left, class Right>
struct gather_pairs {
  View from;
  const std::uint32_t* at;
  Left* left;
  Right* right;

  MONOFOLD_GPU void operator()(std::int64_t i) const {
    const item_pair<Left, Right> own = from[at == nullptr ? i : static_cast<std::int64_t>(at[i])];
    left[i] = own.left;
    right[i] = own.right;
  }
};

/// The left and the right items of pairs lie in two arrays, as the kernels of `dot` read them.
template <class Left, class Right>
class grouped_items<item_pair<Left, Right>> {
 public:
  using pair = item_pair<Left, Right>;
  using view_type = zipped_view<contiguous_view<Left>, contiguous_view<Right>, pair>;

  grouped_items() = default;
  grouped_items(const device_stream& on, std::int64_t count)
      : left_(on, count), right_(on, count) {}

  template <class View>
  void gather(const device_stream& on, const View& from, const std::uint32_t* at) const {
    at_each(on, left_.size(),
            gather_pairs<View, Left, Right>{from, at, left_.data(), right_.data()});
  }
  view_type view() const {
    return {contiguous_view<Left>(left_.data(), left_.size()),
            contiguous_view<Right>(right_.data(), right_.size())};
  }

 private:
  device_list<Left> left_;
  device_list<Right> right_;
};

}  // namespace monofold::detail
