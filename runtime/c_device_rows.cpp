/// runtime/c_device_rows: the calls of monofold.h on rows and segments in memory of a GPU.

#include <cstdint>

#include "monofold/shape/axes.hpp"
#include "runtime/c_axes.hpp"
#include "runtime/c_boundary.hpp"
#include "runtime/c_outputs.hpp"
#include "runtime/device_rows.hpp"

namespace runtime = monofold::runtime;
using monofold::runtime::operation;
using namespace monofold::runtime::c_boundary;  // NOLINT: this file is calls of it

namespace {

monofold_status told(const runtime::row_failure& failure, int64_t* failed_row) {
  if (failed_row != nullptr) *failed_row = failure.row;
  return static_cast<monofold_status>(failure.code);
}

}  // namespace

monofold_status monofold_reduce_axis_on_device(
    const void* items, monofold_dtype dtype, int32_t rank, const int64_t* extents,
    const int64_t* strides, const int64_t* axes, int32_t num_axes, monofold_operation operation,
    const monofold_options* options, monofold_dtype value_dtype, void* values, void* seconds,
    int64_t* indices, int64_t capacity, void* stream, int64_t* failed_row) noexcept {
  return guarded([&]() -> monofold_status {
    const runtime::request what = request_of_rows(dtype, operation, options);
    const runtime::axis_request array =
        array_of(items, what.type, rank, extents, strides, axes, num_axes);
    const int64_t rows = monofold::rows_of(array.extents, array.strides, array.axes).num_rows;
    if (rows > capacity) refuse();
    const runtime::typed_arrays out =
        arrays_for(what, what.ops.front(), value_dtype, values, seconds, indices, rows);
    return told(runtime::reduce_axis_on_device(what, array, out, stream), failed_row);
  });
}

monofold_status monofold_reduce_segments_on_device(
    const void* items, monofold_dtype dtype, int64_t count, const int64_t* starts,
    const int64_t* stops, int64_t num_segments, monofold_operation operation,
    const monofold_options* options, monofold_dtype value_dtype, void* values, void* seconds,
    int64_t* indices, void* stream, int64_t* failed_segment) noexcept {
  return guarded([&]() -> monofold_status {
    const runtime::request what = request_of_rows(dtype, operation, options);
    check_items(items, what.type, count);
    check_items(starts, monofold::dtype::int64, num_segments);
    check_items(stops, monofold::dtype::int64, num_segments);
    const runtime::typed_arrays out =
        arrays_for(what, what.ops.front(), value_dtype, values, seconds, indices, num_segments);
    return told(runtime::reduce_segments_on_device(
                    what, {items, count, starts, stops, num_segments}, out, stream),
                failed_segment);
  });
}
