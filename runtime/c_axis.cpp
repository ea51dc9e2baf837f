/// runtime/c_axis: the call of monofold.h that reduces axes.

#include <cstdint>

#include "monofold/shape/axes.hpp"
#include "runtime/axis_reducer.hpp"
#include "runtime/c_axes.hpp"
#include "runtime/c_boundary.hpp"

namespace runtime = monofold::runtime;
using monofold::runtime::operation;
using namespace monofold::runtime::c_boundary;  // NOLINT: this file is a call of it

namespace {

/// The answer of a row, as `monofold_reduce` gives it.
runtime::answer answer_of_row(const runtime::axis_answers& all, std::int64_t row) {
  runtime::answer out{all.arrays.front().op};
  for (const runtime::answer_array& part : all.arrays) {
    if (part.name == "index") {
      out.indices.push_back(std::get<std::int64_t>(part.at(row)));
    } else {
      out.values.push_back(part.at(row));
    }
  }
  return out;
}

}  // namespace

monofold_status monofold_reduce_axis(const void* items, monofold_dtype dtype, int32_t rank,
                                     const int64_t* extents, const int64_t* strides,
                                     const int64_t* axes, int32_t num_axes,
                                     monofold_operation operation, const monofold_options* options,
                                     int64_t capacity, monofold_result* results,
                                     int64_t* num_results) noexcept {
  return guarded([&]() -> monofold_status {
    const runtime::request what = make_request(dtype, &operation, 1, options);
    if (is_ranked(what.ops.front()) || what.ops.front() == runtime::operation::dot) refuse();
    if (num_results == nullptr) refuse();
    const runtime::axis_request array =
        array_of(items, what.type, rank, extents, strides, axes, num_axes);
    *num_results = monofold::rows_of(array.extents, array.strides, array.axes).num_rows;
    if (*num_results > capacity || (results == nullptr && *num_results > 0)) refuse();
    const runtime::axis_answers all = runtime::reduce_axis(what, array);
    if (all.failed_row >= 0) {
      *num_results = all.failed_row;
      return static_cast<monofold_status>(all.failed.front().code);
    }
    for (std::int64_t row = 0; row < all.num_rows; ++row) {
      results[row] = to_c(answer_of_row(all, row));
    }
    return MONOFOLD_OK;
  });
}
