#include "python/src/segments.hpp"

#include <algorithm>
#include <cstdint>
#include <exception>
#include <limits>
#include <memory>
#include <vector>

#include "monofold/monofold.h"
#include "python/src/answers.hpp"
#include "python/src/array.hpp"
#include "python/src/gather.hpp"
#include "python/src/scans.hpp"
#include "python/src/stoppable.hpp"

namespace monofold::python {

namespace {

template <class T>
T* at(std::uintptr_t address) {
  return reinterpret_cast<T*>(address);
}

/// The items as a caller of the C interface has them: where they lie, or copied.
class packed_items {
 public:
  explicit packed_items(const layout& items) : data_(items.data) {
    items.check_on_host();
    if (items.is_packed()) return;
    copy_.resize(static_cast<std::size_t>(items.count() * items.item_bytes()));
    gather(items, 0, items.count(), copy_.data());
    data_ = copy_.data();
  }

  const void* data() const { return data_; }

 private:
  std::vector<char> copy_;
  const void* data_;
};

/// What lies so many bytes on; null stays null.
void* further(std::uintptr_t address, std::int64_t bytes) {
  return address == 0 ? nullptr : at<char>(address) + bytes;
}

/// The bounds of segments, which are reduced some at a time, with a look at signals after a piece's bytes.
struct segment_bounds {
  const std::int64_t* starts;
  const std::int64_t* stops;
  std::int64_t count;

  /// Where the part ends that begins at a segment: behind the one by which it has a piece's bytes.
  std::int64_t end_of_part(std::int64_t first, std::int64_t item_bytes, std::int64_t* bytes) const {
    constexpr std::int64_t call_bytes = 64;  // as much time as a segment takes for itself, or more
    *bytes = 0;
    while (first < count && *bytes < piece_bytes) {
      *bytes += (stops[first] - starts[first]) * item_bytes + call_bytes;
      ++first;
    }
    return first;
  }
  bool are_within(std::int64_t num_items) const {
    for (std::int64_t i = 0; i < count; ++i) {
      if (starts[i] < 0 || stops[i] < starts[i] || stops[i] > num_items) return false;
    }
    return true;
  }
};

/// (status, the first segment without an answer or -1). Addresses are of packed arrays; 0: not wanted.
nb::tuple segments(const array& items, std::uintptr_t starts, std::uintptr_t stops,
                   std::int64_t num_segments, monofold_operation operation, const how& options,
                   monofold_dtype value_dtype, std::int64_t width, std::uintptr_t values,
                   std::uintptr_t seconds, std::uintptr_t indices) {
  std::int64_t failed = -1;
  monofold_status status = MONOFOLD_OK;
  {
    nb::gil_scoped_release released;
    const packed_items packed(items);
    const segment_bounds all{at<const std::int64_t>(starts), at<const std::int64_t>(stops),
                             num_segments};
    const bool in_parts = all.are_within(items.count());  // else one call says which is not
    signal_watch watch;
    std::int64_t i = 0;
    do {
      std::int64_t read_bytes = 0;
      const std::int64_t end =
          in_parts ? all.end_of_part(i, items.item_bytes(), &read_bytes) : num_segments;
      const std::int64_t bytes = i * width * bytes_of(value_dtype);
      status = call_stoppably(read_bytes, [&] {
        return monofold_reduce_segments(
            packed.data(), items.dtype, items.count(), all.starts + i, all.stops + i, end - i,
            operation, &options.options, value_dtype, further(values, bytes),
            further(seconds, bytes), static_cast<std::int64_t*>(further(indices, i * width * 8)),
            &failed);
      });
      if (failed >= 0) failed += i;
      i = end;
      if (status == MONOFOLD_OK) watch.passed(read_bytes);
    } while (i < num_segments && status == MONOFOLD_OK);
  }
  if (status == MONOFOLD_INVALID_ARGUMENT && failed >= 0) {
    PyErr_Format(PyExc_ValueError, "segment %lld ends before it begins, or lies outside the array",
                 static_cast<long long>(failed));
    throw nb::python_error();
  }
  check_call(status);
  return nb::make_tuple(status, failed);
}

/// Windows between two looks at signals: a piece's, and so many that few items are read again by the next ones.
std::int64_t windows_at_once(std::int64_t window, std::int64_t item_bytes) {
  const std::int64_t most = std::numeric_limits<std::int64_t>::max() / 8;
  return std::max(piece_bytes / item_bytes, 8 * std::min(window, most));
}

/// The array with one axis last.
layout with_last(const array& items, std::size_t axis) {
  std::vector<std::int64_t> order;
  for (std::size_t i = 0; i < items.extents.size(); ++i) {
    if (i != axis) order.push_back(static_cast<std::int64_t>(i));
  }
  order.push_back(static_cast<std::int64_t>(axis));
  return with_axes(items, order);
}

/// (status, the first window without an answer or -1) of each row along an axis; answers lie with that axis last.
nb::tuple rolling(const array& items, std::size_t axis, std::int64_t window,
                  monofold_operation operation, const how& options, monofold_dtype value_dtype,
                  std::int64_t width, std::uintptr_t values, std::uintptr_t seconds,
                  std::uintptr_t indices) {
  std::int64_t failed = -1;
  monofold_status status = MONOFOLD_OK;
  {
    nb::gil_scoped_release released;
    const packed_items packed(with_last(items, axis));
    const std::int64_t row_items = items.extents[axis];
    const std::int64_t num_rows = row_items == 0 ? 0 : items.count() / row_items;
    const std::int64_t row_windows = row_items - window + 1;
    const std::int64_t at_once = windows_at_once(window, items.item_bytes());
    signal_watch watch;
    for (std::int64_t i = 0; i < num_rows * row_windows && status == MONOFOLD_OK;) {
      const std::int64_t row = i / row_windows, first = i % row_windows;
      const std::int64_t count = std::min(at_once, row_windows - first);
      const std::int64_t bytes = i * width * bytes_of(value_dtype);
      status = monofold_rolling(
          static_cast<const char*>(packed.data()) + (row * row_items + first) * items.item_bytes(),
          items.dtype, count + window - 1, window, operation, &options.options, value_dtype,
          further(values, bytes), further(seconds, bytes),
          static_cast<std::int64_t*>(further(indices, i * width * 8)), &failed);
      if (failed >= 0) failed += i;
      i += count;
      if (status == MONOFOLD_OK) watch.passed(count * items.item_bytes());
    }
  }
  check_call(status);
  return nb::make_tuple(status, failed);
}

/// The same of beginnings; with the answer of no items before them where asked for.
nb::tuple scan(const array& items, std::size_t axis, bool with_empty, monofold_operation operation,
               const how& options, monofold_dtype value_dtype, std::uintptr_t values,
               std::uintptr_t seconds, std::uintptr_t indices) {
  std::int64_t failed = -1;
  monofold_status status = MONOFOLD_OK;
  {
    nb::gil_scoped_release released;
    const packed_items packed(with_last(items, axis));
    std::int64_t num_rows = 1;
    for (std::size_t i = 0; i < items.extents.size(); ++i) {
      if (i != axis) num_rows *= items.extents[i];
    }
    std::exception_ptr raised;
    status = scan_watched({packed.data(), items.dtype, num_rows, items.extents[axis], with_empty,
                           operation, options.options, value_dtype, at<void>(values),
                           at<void>(seconds), at<std::int64_t>(indices)},
                          &failed, raised);
    if (raised) std::rethrow_exception(raised);
  }
  check_call(status);
  return nb::make_tuple(status, failed);
}

/// How many groups there are. Addresses are of packed arrays with room for as many groups as items.
std::int64_t group_items(std::uintptr_t keys, const array& items, monofold_key_order order,
                         const how& options, std::uintptr_t group_keys, std::uintptr_t offsets,
                         std::uintptr_t grouped) {
  std::int64_t count = 0;
  monofold_status status = MONOFOLD_OK;
  {
    nb::gil_scoped_release released;
    const packed_items packed(items);
    const std::int64_t bytes = items.count() * (items.item_bytes() + 8);
    status = call_stoppably(bytes, [&] {
      return monofold_group_items(at<const std::int64_t>(keys), packed.data(), items.dtype,
                                  items.count(), order, &options.options,
                                  at<std::int64_t>(group_keys), at<std::int64_t>(offsets),
                                  at<void>(grouped), &count);
    });
  }
  check_call(status);
  return count;
}

/// One answer a key.
class groups {
 public:
  groups(std::uintptr_t keys, const array& items, monofold_key_order order,
         monofold_operation operation, const how& options, monofold_dtype value_dtype) {
    {
      nb::gil_scoped_release released;
      const packed_items packed(items);
      const std::int64_t bytes = items.count() * (items.item_bytes() + 8);
      status_ = call_stoppably(bytes, [&] {
        monofold_groups* made = nullptr;
        const monofold_status how = monofold_group_by(at<const std::int64_t>(keys), packed.data(),
                                                      items.dtype, items.count(), order, operation,
                                                      &options.options, value_dtype, &made);
        own_.reset(made);
        return how;
      });
      if (own_) signal_watch().passed(bytes);
    }
    check_call(status_);
  }

  monofold_status status() const { return status_; }
  std::int64_t count() const { return monofold_groups_count(own_.get()); }

  void copy(std::uintptr_t keys, std::uintptr_t values, std::uintptr_t seconds,
            std::uintptr_t indices) const {
    check_call(monofold_groups_copy(own_.get(), at<std::int64_t>(keys), at<void>(values),
                                    at<void>(seconds), at<std::int64_t>(indices)));
  }

 private:
  struct destroy {
    void operator()(monofold_groups* held) const { monofold_groups_destroy(held); }
  };

  std::unique_ptr<monofold_groups, destroy> own_;
  monofold_status status_ = MONOFOLD_OK;
};

}  // namespace

void bind_segments(nb::module_& core) {
  core.def("segments", &segments);
  core.def("rolling", &rolling);
  core.def("scan", &scan);
  core.def("group_items", &group_items);
  nb::class_<groups>(core, "groups", "One answer a key.")
      .def(nb::init<std::uintptr_t, const array&, monofold_key_order, monofold_operation,
                    const how&, monofold_dtype>())
      .def_prop_ro("status", &groups::status)
      .def_prop_ro("count", &groups::count)
      .def("copy", &groups::copy);
}

}  // namespace monofold::python
