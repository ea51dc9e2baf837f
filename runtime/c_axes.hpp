#pragma once
/// runtime/c_axes: an array and its axes as the calls of monofold.h take them.

#include <cstddef>
#include <cstdint>
#include <span>

#include "monofold/shape/array_view.hpp"
#include "runtime/axis_reducer.hpp"
#include "runtime/c_boundary.hpp"

namespace monofold::runtime::c_boundary {

inline axis_numbers numbers_of(const std::int64_t* numbers, std::int32_t count) {
  if (count < 0 || count > max_axes || (numbers == nullptr && count > 0)) refuse();
  return std::span<const std::int64_t>(numbers, static_cast<std::size_t>(count));
}

/// Throws where these cannot be the items, extents, strides and axes of an array.
inline axis_request array_of(const void* items, dtype type, std::int32_t rank,
                             const std::int64_t* extents, const std::int64_t* strides,
                             const std::int64_t* axes, std::int32_t num_axes) {
  const axis_numbers sizes = numbers_of(extents, rank);
  const array_view<char> packed(nullptr, sizes);
  check_items(items, type, packed.size());
  return {items, sizes, strides != nullptr ? numbers_of(strides, rank) : packed.strides(),
          numbers_of(axes, num_axes)};
}

}  // namespace monofold::runtime::c_boundary
