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

/// The row-major index in the array of item `i` of a row.
struct index_in_rows {
  const array_rows* rows;
  std::int64_t row;
  MONOFOLD_HD std::int64_t operator()(std::int64_t i) const { return rows->index_of(row, i); }
};

/// The sinks of a row's state, which gets other indices first.
template <class Sink>
struct array_index_sink {
  Sink sink;
  index_in_rows indices;
  template <class F>
  MONOFOLD_GPU void operator()(const F& f, typename F::state total) const {
    count_elsewhere(f, total, indices);
    sink(f, total);
  }
};
template <class Sinks>
struct array_index_sinks : Sinks {
  array_rows rows;
  MONOFOLD_GPU auto of(std::int64_t row) const {
    return array_index_sink<decltype(std::declval<const Sinks&>().of(row))>{Sinks::of(row),
                                                                            {&rows, row}};
  }
};

/// Sinks whose indices are what the caller asked for.
template <class Indices, class Sinks>
auto sinks_with(const Sinks& sinks, const array_rows& rows) {
  if constexpr (std::is_same_v<Indices, index_in_all>) {
    return array_index_sinks<Sinks>{sinks, rows};
  } else {
    return sinks;
  }
}

}  // namespace monofold::detail
