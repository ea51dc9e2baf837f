/// runtime/c_arrays: the calls of monofold.h that write answers into arrays of one type.

#include <cstdint>

#include "monofold/shape/axes.hpp"
#include "runtime/axis_reducer.hpp"
#include "runtime/c_axes.hpp"
#include "runtime/c_boundary.hpp"
#include "runtime/c_outputs.hpp"
#include "runtime/device_rows.hpp"
#include "runtime/pair_axes.hpp"
#include "runtime/rolling_reducer.hpp"
#include "runtime/row_reducer.hpp"
#include "runtime/segment_reducer.hpp"
#include "runtime/typed_answers.hpp"

namespace runtime = monofold::runtime;
using monofold::runtime::operation;
using namespace monofold::runtime::c_boundary;  // NOLINT: this file is calls of it

namespace {

monofold_status told(const runtime::row_failure& failure, int64_t* failed_row) {
  if (failed_row != nullptr) *failed_row = failure.row;
  return static_cast<monofold_status>(failure.code);
}

/// Answers of windows in the caller's arrays: work(reducer, type of answers, keeper).
template <class Work>
monofold_status windows_to(const runtime::request& what, int64_t count, monofold_dtype value_dtype,
                           void* values, void* seconds, int64_t* indices, int64_t* failed,
                           const Work& work) {
  const runtime::typed_arrays out =
      arrays_for(what, what.ops.front(), value_dtype, values, seconds, indices, count);
  const runtime::row_reducer rows(what, runtime::rounding_for(out.type));
  runtime::typed_keeper keeper(out);
  work(rows, out.type, keeper);
  if (failed != nullptr) *failed = keeper.failed_row();
  return static_cast<monofold_status>(keeper.code());
}

/// A call for rows of an array, and where their answers go.
struct rows_call {
  runtime::request what;
  monofold::array_rows rows;
  runtime::typed_arrays out;
};
rows_call rows_call_of(const void* items, monofold_dtype dtype, std::int32_t rank,
                       const std::int64_t* extents, const std::int64_t* strides,
                       const std::int64_t* axes, std::int32_t num_axes,
                       monofold_operation operation, const monofold_options* options,
                       monofold_dtype value_dtype, void* values, void* seconds,
                       std::int64_t* indices, std::int64_t capacity) {
  const runtime::request what = request_of_rows(dtype, operation, options);
  const runtime::axis_request array =
      array_of(items, what.type, rank, extents, strides, axes, num_axes);
  const monofold::array_rows rows = monofold::rows_of(array.extents, array.strides, array.axes);
  if (rows.num_rows > capacity) refuse();
  return {what, rows,
          arrays_for(what, what.ops.front(), value_dtype, values, seconds, indices, rows.num_rows)};
}

/// The same for segments.
struct segments_call {
  runtime::request what;
  runtime::typed_arrays out;
};
segments_call segments_call_of(const runtime::segment_request& segments, monofold_dtype dtype,
                               monofold_operation operation, const monofold_options* options,
                               monofold_dtype value_dtype, void* values, void* seconds,
                               std::int64_t* indices) {
  const runtime::request what = request_of_rows(dtype, operation, options);
  check_items(segments.items, what.type, segments.num_items);
  check_items(segments.starts, monofold::dtype::int64, segments.count);
  check_items(segments.stops, monofold::dtype::int64, segments.count);
  return {what, arrays_for(what, what.ops.front(), value_dtype, values, seconds, indices,
                           segments.count)};
}

}  // namespace

monofold_status monofold_answer_dtype(monofold_operation operation, monofold_dtype dtype,
                                      const monofold_options* options,
                                      monofold_dtype* value_dtype) noexcept {
  return guarded([&]() -> monofold_status {
    const runtime::request what = make_request(dtype, &operation, 1, options);
    if (value_dtype == nullptr) refuse();
    *value_dtype = static_cast<monofold_dtype>(runtime::answer_type(what.ops.front(), what));
    return MONOFOLD_OK;
  });
}

monofold_status monofold_reduce_axis_into(
    const void* items, monofold_dtype dtype, int32_t rank, const int64_t* extents,
    const int64_t* strides, const int64_t* axes, int32_t num_axes, monofold_operation operation,
    const monofold_options* options, monofold_dtype value_dtype, void* values, void* seconds,
    int64_t* indices, int64_t capacity, int64_t* failed_row) noexcept {
  return guarded([&]() -> monofold_status {
    const auto [what, rows, out] =
        rows_call_of(items, dtype, rank, extents, strides, axes, num_axes, operation, options,
                     value_dtype, values, seconds, indices, capacity);
    const runtime::row_reducer reducer(what, runtime::rounding_for(out.type));
    runtime::typed_keeper keeper(out);
    runtime::reduce_rows(reducer, items, rows, keeper);
    if (failed_row != nullptr) *failed_row = keeper.failed_row();
    return static_cast<monofold_status>(keeper.code());
  });
}

monofold_status monofold_dot_axis(const void* left, const void* right, monofold_dtype dtype,
                                  int32_t rank, const int64_t* extents, const int64_t* left_strides,
                                  const int64_t* right_strides, const int64_t* axes,
                                  int32_t num_axes, const monofold_options* options,
                                  monofold_dtype value_dtype, void* values, int64_t capacity,
                                  int64_t* failed_row) noexcept {
  return guarded([&]() -> monofold_status {
    const monofold_operation dot = MONOFOLD_DOT;
    const runtime::request what = make_request(dtype, &dot, 1, options);
    const runtime::axis_request l =
        array_of(left, what.type, rank, extents, left_strides, axes, num_axes);
    const runtime::axis_request r =
        array_of(right, what.type, rank, extents, right_strides, axes, num_axes);
    const monofold::pair_rows rows =
        monofold::rows_of_pair(l.extents, l.strides, r.strides, l.axes);
    if (rows.left.num_rows > capacity) refuse();
    const runtime::typed_arrays out =
        arrays_for(what, operation::dot, value_dtype, values, nullptr, nullptr, rows.left.num_rows);
    const runtime::row_reducer reducer(what, runtime::rounding_for(out.type),
                                       runtime::row_items::pairs);
    runtime::typed_keeper keeper(out);
    runtime::reduce_rows_of_pairs(reducer, left, right, rows, keeper);
    if (failed_row != nullptr) *failed_row = keeper.failed_row();
    return static_cast<monofold_status>(keeper.code());
  });
}

monofold_status monofold_reduce_segments(const void* items, monofold_dtype dtype, int64_t count,
                                         const int64_t* starts, const int64_t* stops,
                                         int64_t num_segments, monofold_operation operation,
                                         const monofold_options* options,
                                         monofold_dtype value_dtype, void* values, void* seconds,
                                         int64_t* indices, int64_t* failed_segment) noexcept {
  return guarded([&]() -> monofold_status {
    const runtime::segment_request all{items, count, starts, stops, num_segments};
    const auto [what, out] =
        segments_call_of(all, dtype, operation, options, value_dtype, values, seconds, indices);
    const runtime::row_reducer rows(what, runtime::rounding_for(out.type));
    const runtime::segment_reducer segments(rows, all);
    std::int64_t failed = segments.bad_segment();
    auto code = monofold::status::invalid_argument;
    if (failed < 0) {
      runtime::typed_keeper keeper(out);
      segments.fold(keeper);
      failed = keeper.failed_row();
      code = keeper.code();
    }
    if (failed_segment != nullptr) *failed_segment = failed;
    return static_cast<monofold_status>(code);
  });
}

monofold_status monofold_reduce_axis_on_device(
    const void* items, monofold_dtype dtype, int32_t rank, const int64_t* extents,
    const int64_t* strides, const int64_t* axes, int32_t num_axes, monofold_operation operation,
    const monofold_options* options, monofold_dtype value_dtype, void* values, void* seconds,
    int64_t* indices, int64_t capacity, void* stream, int64_t* failed_row) noexcept {
  return guarded([&]() -> monofold_status {
    const auto [what, rows, out] =
        rows_call_of(items, dtype, rank, extents, strides, axes, num_axes, operation, options,
                     value_dtype, values, seconds, indices, capacity);
    return told(runtime::reduce_rows_on_device(what, items, rows, out, stream), failed_row);
  });
}

monofold_status monofold_reduce_segments_on_device(
    const void* items, monofold_dtype dtype, int64_t count, const int64_t* starts,
    const int64_t* stops, int64_t num_segments, monofold_operation operation,
    const monofold_options* options, monofold_dtype value_dtype, void* values, void* seconds,
    int64_t* indices, void* stream, int64_t* failed_segment) noexcept {
  return guarded([&]() -> monofold_status {
    const runtime::segment_request all{items, count, starts, stops, num_segments};
    const auto [what, out] =
        segments_call_of(all, dtype, operation, options, value_dtype, values, seconds, indices);
    return told(runtime::reduce_segments_on_device(what, all, out, stream), failed_segment);
  });
}

monofold_status monofold_rolling(const void* items, monofold_dtype dtype, int64_t count,
                                 int64_t window, monofold_operation operation,
                                 const monofold_options* options, monofold_dtype value_dtype,
                                 void* values, void* seconds, int64_t* indices,
                                 int64_t* failed_window) noexcept {
  return guarded([&]() -> monofold_status {
    const runtime::request what = request_of_rows(dtype, operation, options);
    check_items(items, what.type, count);
    if (window < 1 || window > count) refuse();
    const int64_t num_windows = count - window + 1;
    return windows_to(
        what, num_windows, value_dtype, values, seconds, indices, failed_window,
        [&](const runtime::row_reducer& rows, monofold::dtype type, runtime::typed_keeper& out) {
          runtime::reduce_windows(rows, {items, num_windows, window, type}, out);
        });
  });
}

monofold_status monofold_scan(const void* items, monofold_dtype dtype, int64_t num_rows,
                              int64_t count, int32_t with_empty, monofold_operation operation,
                              const monofold_options* options, monofold_dtype value_dtype,
                              void* values, void* seconds, int64_t* indices,
                              int64_t* failed_answer) noexcept {
  return guarded([&]() -> monofold_status {
    const runtime::request what = request_of_rows(dtype, operation, options);
    if (num_rows < 0 || count < 0 || count == INT64_MAX) refuse();
    const bool has_empty = with_empty != 0;
    const int64_t row_answers = count + (has_empty ? 1 : 0);
    if (row_answers > 0 && num_rows > INT64_MAX / 16 / row_answers) refuse();
    check_items(items, what.type, num_rows * count);
    return windows_to(
        what, num_rows * row_answers, value_dtype, values, seconds, indices, failed_answer,
        [&](const runtime::row_reducer& rows, monofold::dtype type, runtime::typed_keeper& out) {
          runtime::reduce_beginnings(rows, {items, num_rows, count, has_empty, type}, out);
        });
  });
}
