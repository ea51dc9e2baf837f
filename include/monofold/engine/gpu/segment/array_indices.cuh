#pragma once
/// engine/gpu/segment/array_indices: answers of rows whose indices are those of the array, not of the row.

#include <cstdint>
#include <type_traits>
#include <utility>

#include "monofold/engine/gpu/segment/indices.cuh"
#include "monofold/platform/host_device.hpp"
#include "monofold/shape/axes.hpp"
#include "monofold/shape/segments.hpp"

namespace monofold::detail {

/// The sinks of rows whose indices become row-major ones of the array.
template <class Sinks>
struct array_index_sinks : Sinks {
  array_rows rows;
  MONOFOLD_GPU auto of(std::int64_t row) const {
    using sink = decltype(std::declval<const Sinks&>().of(row));
    return counted_sink<sink, index_in_array>{Sinks::of(row), {&rows, row}};
  }
};

/// Sinks of a fold's states whose indices are what the caller asked for.
template <class Indices, class F, class Sinks>
auto sinks_with(const F&, const Sinks& sinks, const array_rows& rows) {
  if constexpr (std::is_same_v<Indices, index_in_all>) {
    static_assert(can_count_elsewhere_v<F>, "global_index is for extrema");
    return array_index_sinks<Sinks>{sinks, rows};
  } else {
    return sinks;
  }
}

}  // namespace monofold::detail
