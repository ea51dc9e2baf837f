#include "python/src/reduce.hpp"

#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <vector>

#include "python/src/answers.hpp"
#include "python/src/array.hpp"
#include "python/src/gather.hpp"
#include "python/src/stoppable.hpp"

namespace monofold::python {

namespace {

using numbers = std::vector<std::int64_t>;

/// Where answers of rows go; each may be null.
struct outputs {
  monofold_dtype dtype;
  std::int64_t k;  // answers a row
  char* values;
  char* seconds;
  std::int64_t* indices;

  outputs from_row(std::int64_t row) const {
    const std::int64_t bytes = row * k * bytes_of(dtype);
    return {dtype, k, values != nullptr ? values + bytes : nullptr,
            seconds != nullptr ? seconds + bytes : nullptr,
            indices != nullptr ? indices + row * k : nullptr};
  }
};

struct question {
  monofold_operation operation;
  monofold_options options;
};

monofold_status rows_into(const question& what, const void* items, monofold_dtype dtype,
                          const numbers& extents, const numbers& strides, const numbers& axes,
                          const outputs& out, std::int64_t num_rows, std::int64_t* failed_row) {
  return monofold_reduce_axis_into(
      items, dtype, static_cast<std::int32_t>(extents.size()), extents.data(), strides.data(),
      axes.data(), static_cast<std::int32_t>(axes.size()), what.operation, &what.options, out.dtype,
      out.values, out.seconds, out.indices, num_rows, failed_row);
}

/// The marked items of rows in a buffer, whose answers' positions count the others too.
monofold_status masked_rows(const question& what, char* items, const char* marks,
                            monofold_dtype dtype, std::int64_t num_rows, std::int64_t row_items,
                            const outputs& out, std::int64_t* failed_row) {
  const marked_rows kept(items, bytes_of(dtype), marks, num_rows, row_items);
  const monofold_status how = monofold_reduce_segments(
      items, dtype, num_rows * row_items, kept.starts.data(), kept.stops.data(), num_rows,
      what.operation, &what.options, out.dtype, out.values, out.seconds, out.indices, failed_row);
  if (how == MONOFOLD_OK && out.indices != nullptr) kept.count_others(out.indices, out.k);
  return how;
}

/// The first row without an answer, and its status, of rows that are reduced in parts.
struct first_failure {
  monofold_status how = MONOFOLD_OK;
  std::int64_t row = -1;

  /// What a part gave; false where it is no status of the data.
  bool note(monofold_status part, std::int64_t failed_row) {
    if (how == MONOFOLD_OK && part != MONOFOLD_OK) *this = {part, failed_row};
    return part <= MONOFOLD_NAN_FOUND;
  }
  monofold_status give(std::int64_t* failed_row) const {
    *failed_row = row;
    return how;
  }
};

bool is_ranked(monofold_operation operation) {
  return operation == MONOFOLD_TOP || operation == MONOFOLD_BOTTOM;
}

/// Rows that no buffer holds, one after the other, each by a state of its own.
monofold_status rows_by_state(const question& what, const layout& items, const layout* mask,
                              std::int64_t num_rows, std::int64_t row_items, const outputs& out,
                              std::int64_t* failed_row) {
  first_failure first;
  signal_watch watch;
  for (std::int64_t row = 0; row < num_rows; ++row) {
    monofold_state* state = nullptr;
    monofold_status how =
        monofold_state_create(items.dtype, &what.operation, 1, 0, &what.options, &state);
    if (how != MONOFOLD_OK) return how;
    const std::unique_ptr<monofold_state, decltype(&monofold_state_destroy)> own(
        state, &monofold_state_destroy);
    how = for_pieces(items, mask, row * row_items, row_items, watch,
                     [state](const void* piece, std::int64_t count) {
                       return monofold_state_push(state, piece, count, MONOFOLD_HOST);
                     });
    const outputs here = out.from_row(row);
    if (how == MONOFOLD_OK) {
      how =
          monofold_state_result_into(state, 0, out.dtype, here.values, here.seconds, here.indices);
    }
    if (!first.note(how, row)) return how;
    if (how == MONOFOLD_OK && mask != nullptr && here.indices != nullptr) {
      *here.indices = place_of_marked(*mask, row * row_items, row_items, *here.indices);
    }
  }
  return first.give(failed_row);
}

/// Rows of an array whose kept axes come first, copied to a buffer some at a time.
monofold_status rows_by_buffer(const question& what, const layout& items, const layout* mask,
                               std::int64_t num_rows, std::int64_t row_items, const outputs& out,
                               std::int64_t* failed_row) {
  const std::int64_t row_bytes = std::max<std::int64_t>(row_items * items.item_bytes(), 1);
  const std::int64_t rows_at_once =
      std::clamp<std::int64_t>(buffer_bytes / row_bytes, 1, std::max<std::int64_t>(num_rows, 1));
  const auto buffer_items = static_cast<std::size_t>(rows_at_once * row_items);
  const auto buffer = std::make_unique_for_overwrite<char[]>(
      buffer_items * static_cast<std::size_t>(items.item_bytes()));
  std::unique_ptr<char[]> marks;
  if (mask != nullptr) marks = std::make_unique_for_overwrite<char[]>(buffer_items);
  first_failure first;
  signal_watch watch;
  for (std::int64_t row = 0; row < num_rows; row += rows_at_once) {
    if (row > 0) watch.passed(rows_at_once * row_bytes);
    const std::int64_t rows = std::min(rows_at_once, num_rows - row);
    std::int64_t failed = -1;
    gather(items, row * row_items, rows * row_items, buffer.get());
    monofold_status how = MONOFOLD_OK;
    if (mask == nullptr) {
      how = rows_into(what, buffer.get(), items.dtype, {rows, row_items}, {row_items, 1}, {1},
                      out.from_row(row), rows, &failed);
    } else {
      gather(*mask, row * row_items, rows * row_items, marks.get());
      how = masked_rows(what, buffer.get(), marks.get(), items.dtype, rows, row_items,
                        out.from_row(row), &failed);
    }
    if (!first.note(how, row + failed)) return how;
  }
  return first.give(failed_row);
}

monofold_status rows_in_place(const question& what, const layout& items, const numbers& axes,
                              const outputs& out, std::int64_t num_rows, std::int64_t* failed_row) {
  numbers strides = items.strides;
  for (std::int64_t& stride : strides) stride /= items.item_bytes();
  return rows_into(what, items.data, items.dtype, items.extents, strides, axes, out, num_rows,
                   failed_row);
}

/// The first kept axis of more than one index, where parts of an array along it are worth reducing by themselves;
/// else the rank. Rows that lie side by side are read together: a part has many of them, or the axis is apart.
std::size_t axis_to_part(const layout& items, const numbers& axes, std::int64_t parts) {
  constexpr std::int64_t width_bytes = 1 << 20;
  const auto is_kept = [&](std::size_t axis) {
    return std::find(axes.begin(), axes.end(), static_cast<std::int64_t>(axis)) == axes.end();
  };
  std::size_t axis = 0;
  while (axis < items.extents.size() && !(is_kept(axis) && items.extents[axis] > 1)) ++axis;
  if (axis == items.extents.size()) return axis;
  const std::int64_t stride = std::abs(items.strides[axis]);
  const bool is_outermost = std::all_of(axes.begin(), axes.end(), [&](std::int64_t reduced) {
    return std::abs(items.strides[static_cast<std::size_t>(reduced)]) <= stride;
  });
  const std::int64_t width = stride * std::max<std::int64_t>(items.extents[axis] / parts, 1);
  return stride == 0 || is_outermost || width >= width_bytes ? axis : items.extents.size();
}

/// Rows of an array that is read where it lies: long work in parts, with a look at signals after each.
monofold_status rows_by_parts(const question& what, const layout& items, const numbers& axes,
                              const outputs& out, std::int64_t num_rows, signal_watch& watch,
                              std::int64_t* failed_row) {
  const std::int64_t bytes = items.count() * items.item_bytes();
  if (bytes > piece_bytes && num_rows == 1 && items.is_packed() && !is_ranked(what.operation))
    return rows_by_state(what, items, nullptr, 1, items.count(), out, failed_row);
  const std::size_t axis = bytes > piece_bytes
                               ? axis_to_part(items, axes, (bytes - 1) / piece_bytes + 1)
                               : items.extents.size();
  if (axis == items.extents.size()) {
    const monofold_status how = call_stoppably(
        bytes, [&] { return rows_in_place(what, items, axes, out, num_rows, failed_row); });
    if (how <= MONOFOLD_NAN_FOUND) watch.passed(bytes);
    return how;
  }
  const std::int64_t extent = items.extents[axis], rows_each = num_rows / extent;
  const std::int64_t at_once = std::max<std::int64_t>(piece_bytes / (bytes / extent), 1);
  first_failure first;
  for (std::int64_t at = 0; at < extent; at += at_once) {
    layout part = items;
    part.data += at * items.strides[axis];
    part.extents[axis] = std::min(at_once, extent - at);
    std::int64_t failed = -1;
    const monofold_status how = rows_by_parts(what, part, axes, out.from_row(at * rows_each),
                                              part.extents[axis] * rows_each, watch, &failed);
    if (!first.note(how, at * rows_each + failed)) return how;
  }
  return first.give(failed_row);
}

/// (status, the first row without an answer or -1)
///
/// errors     TypeError: an array on a device; device_rows takes those
nb::tuple rows(const array& items, const array* mask, const numbers& axes,
               monofold_operation operation, const how& options, monofold_dtype value_dtype,
               std::int64_t k, std::uintptr_t values, std::uintptr_t seconds,
               std::uintptr_t indices) {
  items.check_on_host();
  if (mask != nullptr) mask->check_on_host();
  const question what{operation, options.options};
  const outputs out{value_dtype, k, reinterpret_cast<char*>(values),
                    reinterpret_cast<char*>(seconds), reinterpret_cast<std::int64_t*>(indices)};
  numbers kept_first, reduced;
  std::int64_t num_rows = 1, row_items = 1;
  for (std::int64_t axis = 0; axis < static_cast<std::int64_t>(items.extents.size()); ++axis) {
    const bool is_reduced = std::find(axes.begin(), axes.end(), axis) != axes.end();
    (is_reduced ? reduced : kept_first).push_back(axis);
    (is_reduced ? row_items : num_rows) *= items.extents[static_cast<std::size_t>(axis)];
  }
  kept_first.insert(kept_first.end(), reduced.begin(), reduced.end());
  std::int64_t failed_row = -1;
  monofold_status status = MONOFOLD_OK;
  {
    nb::gil_scoped_release released;
    if (mask == nullptr && items.is_native() && items.extents.size() <= 8) {
      signal_watch watch;
      status = rows_by_parts(what, items, axes, out, num_rows, watch, &failed_row);
    } else {
      const layout turned = with_axes(items, kept_first);
      layout turned_mask;
      if (mask != nullptr) turned_mask = with_axes(*mask, kept_first);
      const bool is_long = row_items * items.item_bytes() > buffer_bytes && !is_ranked(operation);
      const auto by_parts = is_long ? &rows_by_state : &rows_by_buffer;
      status = by_parts(what, turned, mask != nullptr ? &turned_mask : nullptr, num_rows, row_items,
                        out, &failed_row);
    }
  }
  check_call(status);
  return nb::make_tuple(status, failed_row);
}

/// Answers (status, value, second, index, first_nan) for a packed array, wherever it lies.
nb::list packed(const array& items, const std::vector<monofold_operation>& operations,
                const how& options) {
  if (!items.is_packed()) throw nb::value_error("the array is not packed");
  std::vector<monofold_result> results(operations.size());
  monofold_status status = MONOFOLD_OK;
  {
    nb::gil_scoped_release released;
    status = monofold_reduce_several(
        items.data, items.dtype, items.count(), items.place, operations.data(),
        static_cast<std::int32_t>(operations.size()), &options.options, results.data());
  }
  check_call(status);
  nb::list answers;
  for (const monofold_result& result : results) answers.append(to_python(result));
  return answers;
}

/// The same for one operation that gives the k best: (status, values, places, -1, first_nan).
///
/// shape      k: up to as many as there are items
nb::tuple packed_ranked(const array& items, monofold_operation operation, const how& options) {
  if (!items.is_packed()) throw nb::value_error("the array is not packed");
  if (options.options.k > items.count()) throw nb::value_error("k is more than the items");
  const auto k = static_cast<std::size_t>(options.options.k);
  std::vector<monofold_number> values(k);
  numbers places(k);
  std::int64_t first_nan = -1;
  monofold_status status = MONOFOLD_OK;
  {
    nb::gil_scoped_release released;
    status =
        monofold_top(items.data, items.dtype, items.count(), items.place, operation,
                     &options.options, options.options.k, values.data(), places.data(), &first_nan);
  }
  check_call(status);
  nb::list best, indices;
  for (std::size_t i = 0; status == MONOFOLD_OK && i < k; ++i) {
    best.append(to_python(values[i]));
    indices.append(places[i]);
  }
  return nb::make_tuple(status, best, indices, -1, first_nan);
}

}  // namespace

void bind_reduce(nb::module_& core) {
  core.def("rows", &rows, nb::arg("items"), nb::arg("mask").none(), nb::arg("axes"),
           nb::arg("operation"), nb::arg("how"), nb::arg("value_dtype"), nb::arg("k"),
           nb::arg("values"), nb::arg("seconds"), nb::arg("indices"));
  core.def("packed", &packed);
  core.def("packed_ranked", &packed_ranked);
  core.def("place_of_marked", [](const array& mask, std::int64_t marked) {
    mask.check_on_host();
    return place_of_marked(mask, 0, mask.count(), marked);
  });
  core.def("count_marked", [](const array& mask) {
    mask.check_on_host();
    return count_marked(mask);
  });
  core.def("answer_dtype",
           [](monofold_operation operation, monofold_dtype dtype, const how& options) {
             monofold_dtype value = -1;
             check_call(monofold_answer_dtype(operation, dtype, &options.options, &value));
             return value;
           });
}

}  // namespace monofold::python
