#include "python/src/pair_rows.hpp"

#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "python/src/answers.hpp"
#include "python/src/array.hpp"
#include "python/src/gather.hpp"
#include "python/src/stoppable.hpp"

namespace monofold::python {

namespace {

using numbers = std::vector<std::int64_t>;

/// One of two arrays as the C interface takes it: where it lies if that can be, else a copy.
struct side {
  explicit side(const layout& from) : strides(from.strides) {
    if (from.is_native()) {
      items = from.data;
      for (std::int64_t& stride : strides) stride /= from.item_bytes();
      return;
    }
    const std::int64_t count = from.count();
    copy =
        std::make_unique_for_overwrite<char[]>(static_cast<std::size_t>(count * from.item_bytes()));
    gather(from, 0, count, copy.get());
    items = copy.get();
    std::int64_t stride = 1;
    for (std::size_t axis = from.extents.size(); axis-- > 0; stride *= from.extents[axis]) {
      strides[axis] = stride;
    }
  }

  const char* items;
  numbers strides;  // in items
  std::unique_ptr<char[]> copy{};
};

/// What all parts of a call share.
struct question {
  monofold_options options;
  monofold_dtype dtype;
  monofold_dtype value_dtype;
  numbers axes;
};

monofold_status dot_at_once(const question& what, const layout& left, const layout& right,
                            char* values, std::int64_t num_rows, std::int64_t* failed_row) {
  const side on_left(left), on_right(right);
  return call_stoppably(2 * left.count() * left.item_bytes(), [&] {
    return monofold_dot_axis(on_left.items, on_right.items, what.dtype,
                             static_cast<std::int32_t>(left.extents.size()), left.extents.data(),
                             on_left.strides.data(), on_right.strides.data(), what.axes.data(),
                             static_cast<std::int32_t>(what.axes.size()), &what.options,
                             what.value_dtype, values, num_rows, failed_row);
  });
}

/// The same, with a look at signals now and then: long work in parts along the first axis, where that is kept.
monofold_status dot_by_parts(const question& what, const layout& left, const layout& right,
                             char* values, std::int64_t num_rows, std::int64_t* failed_row) {
  const std::int64_t bytes = 2 * left.count() * left.item_bytes();
  const bool is_kept = std::find(what.axes.begin(), what.axes.end(), 0) == what.axes.end();
  if (bytes <= piece_bytes || !is_kept || left.extents.empty()) {
    return dot_at_once(what, left, right, values, num_rows, failed_row);
  }
  const std::int64_t extent = left.extents[0], rows_each = num_rows / extent;
  const std::int64_t at_once = std::max<std::int64_t>(piece_bytes / (bytes / extent), 1);
  monofold_status first = MONOFOLD_OK;
  signal_watch watch;
  for (std::int64_t at = 0; at < extent; at += at_once) {
    layout lefts = left, rights = right;
    lefts.data += at * left.strides[0];
    rights.data += at * right.strides[0];
    lefts.extents[0] = rights.extents[0] = std::min(at_once, extent - at);
    std::int64_t failed = -1;
    const monofold_status how =
        dot_at_once(what, lefts, rights, values + at * rows_each * bytes_of(what.value_dtype),
                    lefts.extents[0] * rows_each, &failed);
    if (how > MONOFOLD_NAN_FOUND) return how;
    if (first == MONOFOLD_OK && how != MONOFOLD_OK) *failed_row = at * rows_each + failed;
    if (first == MONOFOLD_OK) first = how;
    watch.passed(lefts.extents[0] * (bytes / extent));
  }
  return first;
}

/// (status, the first row without an answer or -1)
///
/// errors     TypeError: an array on a device. ValueError: more than eight axes
nb::tuple pair_rows(const array& left, const array& right, const numbers& axes, const how& options,
                    monofold_dtype value_dtype, std::uintptr_t values) {
  left.check_on_host();
  right.check_on_host();
  if (left.extents != right.extents || left.dtype != right.dtype) {
    throw nb::value_error("two arrays of one shape and type");
  }
  if (left.extents.size() > 8) throw nb::value_error("dot along axes takes up to 8 axes");
  std::int64_t num_rows = 1;
  for (std::size_t axis = 0; axis < left.extents.size(); ++axis) {
    const bool is_reduced =
        std::find(axes.begin(), axes.end(), static_cast<std::int64_t>(axis)) != axes.end();
    if (!is_reduced) num_rows *= left.extents[axis];
  }
  std::int64_t failed_row = -1;
  monofold_status status = MONOFOLD_OK;
  {
    nb::gil_scoped_release released;
    const question what{options.options, left.dtype, value_dtype, axes};
    status =
        dot_by_parts(what, left, right, reinterpret_cast<char*>(values), num_rows, &failed_row);
  }
  check_call(status);
  return nb::make_tuple(status, failed_row);
}

}  // namespace

void bind_pair_rows(nb::module_& core) { core.def("pair_rows", &pair_rows); }

}  // namespace monofold::python
