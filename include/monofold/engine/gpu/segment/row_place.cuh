#pragma once
/// engine/gpu/segment/row_place: where a row of an array begins.

#include <cstdint>

#include "monofold/platform/host_device.hpp"
#include "monofold/shape/axes.hpp"

namespace monofold::detail {

/// Where a row begins, and its number in the result.
struct row_place {
  std::int64_t offset;
  std::int64_t number;
};
MONOFOLD_GPU row_place place_of_row(const array_rows& rows, std::int64_t row) {
  row_place place{0, 0};
  MONOFOLD_ROLL
  for (int k = rows.num_kept - 1; k >= 0; --k) {
    const axis_step& axis = rows.kept[k];
    const std::int64_t at = k == 0 ? row : row % axis.extent;
    if (k > 0) row /= axis.extent;
    place.offset += at * axis.stride;
    place.number += at * axis.number;
  }
  return place;
}

}  // namespace monofold::detail
