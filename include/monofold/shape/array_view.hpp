#pragma once
/// shape/array_view: items of an array of several axes, wherever its strides say that they lie.

#include <cstdint>
#include <initializer_list>
#include <span>

#include "monofold/platform/host_device.hpp"
#include "monofold/platform/status.hpp"
#include "monofold/shape/stored_item.hpp"

namespace monofold {

/// The most axes that an array has.
inline constexpr int max_axes = 8;

/// Up to eight numbers, one an axis: extents, strides, or axes by number. A small value.
///
/// errors     throws `error`, invalid_argument: more than eight numbers
class axis_numbers {
 public:
  constexpr axis_numbers() = default;
  constexpr axis_numbers(std::initializer_list<std::int64_t> numbers)
      : axis_numbers(std::span(numbers.begin(), numbers.size())) {}
  constexpr axis_numbers(std::span<const std::int64_t> numbers) {  // NOLINT: a span is such a list
    for (const std::int64_t number : numbers) push_back(number);
  }

  constexpr void push_back(std::int64_t number) {
    if (count_ == max_axes) throw error(status::invalid_argument, "an array of more than 8 axes");
    numbers_[count_++] = number;
  }
  MONOFOLD_HD constexpr int size() const { return count_; }
  MONOFOLD_HD constexpr std::int64_t operator[](int i) const { return numbers_[i]; }
  constexpr bool operator==(const axis_numbers&) const = default;
  constexpr const std::int64_t* begin() const { return numbers_; }
  constexpr const std::int64_t* end() const { return numbers_ + count_; }

 private:
  std::int64_t numbers_[max_axes] = {};
  int count_ = 0;
};

/// An array of up to eight axes; no axis: one item. It owns nothing.
///
/// shape      item (i, j, ...) lies strides[0] * i + strides[1] * j + ... items behind the first one; strides
///            may be zero or negative. Without strides the last axis moves fastest (row-major). What begins at a
///            `const __half*` is an array of float16, at a `const __nv_bfloat16*` of bfloat16; `array_view<__half>`, by
///            name, is for a fold of one's own that takes __half
/// order      as a sequence it is in row-major order of its indices, however it lies in memory
/// errors     throws `error`, invalid_argument: a negative extent, as many strides as there are not axes, more
///            items than can be counted
/// tested by  tests/shape/array_view_test.cpp, tests/api/short_floats_of_cuda_test.cpp
template <class Item>
class array_view {
 public:
  using item_type = Item;

  constexpr array_view(const Item* first, const axis_numbers& extents)
      : array_view(first, extents, packed(extents, false)) {}
  constexpr array_view(const Item* first, const axis_numbers& extents, const axis_numbers& strides)
      : first_(first), extents_(extents), strides_(strides) {
    if (extents.size() != strides.size()) {
      throw error(status::invalid_argument, "not as many strides as extents");
    }
    size_ = 1;
    for (const std::int64_t extent : extents) {
      if (extent < 0) throw error(status::invalid_argument, "a negative extent");
      // An axis of no items makes an array of none, whatever the others say.
      if (__builtin_mul_overflow(size_, extent, &size_) && !has_no_items()) {
        throw error(status::invalid_argument, "more items than can be counted");
      }
    }
    if (has_no_items()) size_ = 0;
  }

  /// The same items by CUDA's name for their type.
  template <detail::other_name_of<Item> Other>
  constexpr array_view(const Other* first, const axis_numbers& extents)
      : array_view(reinterpret_cast<const Item*>(first), extents) {}
  template <detail::other_name_of<Item> Other>
  constexpr array_view(const Other* first, const axis_numbers& extents, const axis_numbers& strides)
      : array_view(reinterpret_cast<const Item*>(first), extents, strides) {}

  /// The first axis moves fastest, as in Fortran.
  static constexpr array_view column_major(const Item* first, const axis_numbers& extents) {
    return array_view(first, extents, packed(extents, true));
  }
  template <detail::other_name_of<Item> Other>
  static constexpr array_view column_major(const Other* first, const axis_numbers& extents) {
    return array_view(first, extents, packed(extents, true));
  }

  constexpr std::int64_t size() const { return size_; }
  constexpr int rank() const { return extents_.size(); }
  constexpr const axis_numbers& extents() const { return extents_; }
  constexpr const axis_numbers& strides() const { return strides_; }
  /// Item (0, 0, ...).
  constexpr const Item* data_of_first() const { return first_; }

  MONOFOLD_HD const Item& operator[](std::int64_t i) const {
    std::int64_t offset = 0;
    for (int k = extents_.size(); k-- > 1;) {
      offset += i % extents_[k] * strides_[k];
      i /= extents_[k];
    }
    return first_[offset + i * strides_[0]];  // of no axis: one item, and the stride 0
  }

 private:
  constexpr bool has_no_items() const {
    for (const std::int64_t extent : extents_) {
      if (extent == 0) return true;
    }
    return false;
  }
  static constexpr axis_numbers packed(const axis_numbers& extents, bool first_is_fastest) {
    std::int64_t strides[max_axes] = {};
    std::int64_t stride = 1;
    const int rank = extents.size();
    for (int i = 0; i < rank; ++i) {
      const int k = first_is_fastest ? i : rank - 1 - i;
      strides[k] = stride;
      // Too large a product is refused by whoever counts the items; strides are then not used.
      static_cast<void>(__builtin_mul_overflow(stride, extents[k], &stride));
    }
    return axis_numbers(std::span<const std::int64_t>(strides, static_cast<std::size_t>(rank)));
  }

  const Item* first_;
  axis_numbers extents_;
  axis_numbers strides_;
  std::int64_t size_ = 0;
};

template <class Item>
array_view(const Item*, const axis_numbers&) -> array_view<detail::stored_as_t<Item>>;
template <class Item>
array_view(const Item*, const axis_numbers&, const axis_numbers&)
    -> array_view<detail::stored_as_t<Item>>;

}  // namespace monofold
