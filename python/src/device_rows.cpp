#include "python/src/device_rows.hpp"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "monofold/monofold.h"
#include "python/src/answers.hpp"
#include "python/src/array.hpp"
#include "python/src/dlpack.hpp"
#include "runtime/gpu/devices.hpp"
#include "runtime/gpu/load_device_library.hpp"
#include "runtime/gpu/rows/row_library.hpp"

namespace monofold::python {

namespace {

using numbers = std::vector<std::int64_t>;

/// The addresses that an array with items lies between.
std::pair<const char*, const char*> ends_of(const layout& items) {
  const char* first = items.data;
  const char* end = items.data + items.item_bytes();
  for (std::size_t k = 0; k < items.extents.size(); ++k) {
    const std::int64_t way = (items.extents[k] - 1) * items.strides[k];
    (way < 0 ? first : end) += way;
  }
  return {first, end};
}

bool share_memory(const layout& one, const layout& other) {
  if (one.count() == 0 || other.count() == 0) return false;
  const auto [first, end] = ends_of(one);
  const auto [from, to] = ends_of(other);
  return first < to && from < end;
}

/// Where answers go; none: null.
struct answer_places {
  const array* values;
  const array* seconds;
  const array* indices;

  /// errors     ValueError: arrays that the device cannot write, row by row
  void check(const layout& items) const {
    const array* const all[] = {values, seconds, indices};
    for (const array* const* one = all; one != all + 3; ++one) {
      if (*one == nullptr) continue;
      if ((*one)->place == MONOFOLD_HOST) throw nb::value_error("out lies on the host");
      if (!(*one)->is_packed()) throw nb::value_error("out: answers are packed on a device");
      if (share_memory(items, **one)) throw nb::value_error("out shares memory with the array");
      for (const array* const* other = all; other != one; ++other) {
        if (*other != nullptr && share_memory(**other, **one)) {
          throw nb::value_error("out: two answers need two arrays that share no memory");
        }
      }
    }
  }
  /// Waits until the device is done with them: for libraries whose stream is not known.
  void wait() const {
    for (const array* one : {values, seconds, indices}) {
      char unused = 0;
      if (one != nullptr && one->count() > 0) runtime::copy_from_device(&unused, one->data, 1);
    }
  }
};

/// Calls call() without the interpreter's lock, and waits for the answers that it has started where that is asked for.
template <class Call>
monofold_status call_without_lock(const answer_places& out, bool waits, const Call& call) {
  nb::gil_scoped_release released;
  const monofold_status status = call();
  if (waits && status == MONOFOLD_OK) out.wait();
  return status;
}

void* memory_of(const array* one) {
  return one != nullptr ? const_cast<char*>(one->data) : nullptr;
}

monofold_status checked(monofold_status status) {
  if (status == MONOFOLD_INVALID_ARGUMENT) {
    throw nb::value_error(
        "invalid argument: on a device, arrays lie aligned in memory of the current one, and their "
        "stream is not being captured");
  }
  if (status != MONOFOLD_UNSUPPORTED) check_call(status);
  return status;
}

/// (status, the first row without an answer or -1)
nb::tuple device_rows(const array& items, const numbers& axes, monofold_operation operation,
                      const how& options, monofold_dtype value_dtype, const array* values,
                      const array* seconds, const array* indices, std::uintptr_t stream,
                      bool waits) {
  if (!items.is_native()) throw nb::value_error("the array's items cannot be read where they lie");
  const answer_places out{values, seconds, indices};
  out.check(items);
  numbers strides = items.strides;
  for (std::int64_t& stride : strides) stride /= items.item_bytes();
  std::int64_t capacity = 0;
  for (const array* one : {values, seconds, indices}) {
    if (one != nullptr) capacity = one->count();
  }
  if (operation == MONOFOLD_TOP || operation == MONOFOLD_BOTTOM) capacity /= options.options.k;
  std::int64_t failed = -1;
  const monofold_status status = call_without_lock(out, waits, [&] {
    return monofold_reduce_axis_on_device(
        items.data, items.dtype, static_cast<std::int32_t>(items.extents.size()),
        items.extents.data(), strides.data(), axes.data(), static_cast<std::int32_t>(axes.size()),
        operation, &options.options, value_dtype, memory_of(values), memory_of(seconds),
        static_cast<std::int64_t*>(memory_of(indices)), capacity, reinterpret_cast<void*>(stream),
        &failed);
  });
  return nb::make_tuple(checked(status), failed);
}

/// (status, the first segment without an answer or -1)
nb::tuple device_segments(const array& items, const array& starts, const array& stops,
                          monofold_operation operation, const how& options,
                          monofold_dtype value_dtype, const array* values, const array* seconds,
                          const array* indices, std::uintptr_t stream) {
  if (!items.is_packed()) throw nb::value_error("the array is not packed");
  const answer_places out{values, seconds, indices};
  out.check(items);
  std::int64_t failed = -1;
  const monofold_status status = call_without_lock(out, false, [&] {
    return monofold_reduce_segments_on_device(
        items.data, items.dtype, items.count(), reinterpret_cast<const std::int64_t*>(starts.data),
        reinterpret_cast<const std::int64_t*>(stops.data), starts.count(), operation,
        &options.options, value_dtype, memory_of(values), memory_of(seconds),
        static_cast<std::int64_t*>(memory_of(indices)), reinterpret_cast<void*>(stream), &failed);
  });
  if (status == MONOFOLD_INVALID_ARGUMENT && failed >= 0) {
    PyErr_Format(PyExc_ValueError, "segment %lld ends before it begins, or lies outside the array",
                 static_cast<long long>(failed));
    throw nb::python_error();
  }
  return nb::make_tuple(checked(status), failed);
}

/// Keys grouped in memory of a device, in a stream that outlives this.
class device_groups {
 public:
  /// Waits for the number of groups.
  device_groups(const array& keys, monofold_key_order order, std::uintptr_t stream) {
    if (!keys.is_packed()) throw nb::value_error("the array of keys is not packed");
    monofold_device_groups* made = nullptr;
    monofold_status status = MONOFOLD_OK;
    {
      nb::gil_scoped_release released;
      status = monofold_group_keys_on_device(keys.data, keys.dtype, keys.count(), order,
                                             reinterpret_cast<void*>(stream), &made);
    }
    own_.reset(made);
    if (checked(status) == MONOFOLD_UNSUPPORTED) {
      throw nb::value_error("on a device group_by takes fewer than 2^32 keys");
    }
  }

  std::int64_t count() const { return monofold_device_groups_count(own_.get()); }

  void copy_keys(const array& to, bool waits) const {
    const answer_places out{&to, nullptr, nullptr};
    checked(call_without_lock(
        out, waits, [&] { return monofold_device_groups_keys(own_.get(), memory_of(&to)); }));
  }

  /// (status, the first group without an answer or -1)
  nb::tuple reduce(const array& items, monofold_operation operation, const how& options,
                   monofold_dtype value_dtype, const array* values, const array* seconds,
                   const array* indices, bool waits) const {
    if (!items.is_packed()) throw nb::value_error("the array is not packed");
    const answer_places out{values, seconds, indices};
    out.check(items);
    std::int64_t failed = -1;
    const monofold_status status = call_without_lock(out, waits, [&] {
      return monofold_device_groups_reduce(own_.get(), items.data, items.dtype, items.count(),
                                           operation, &options.options, value_dtype,
                                           memory_of(values), memory_of(seconds),
                                           static_cast<std::int64_t*>(memory_of(indices)), &failed);
    });
    return nb::make_tuple(checked(status), failed);
  }

 private:
  struct destroy {
    void operator()(monofold_device_groups* held) const { monofold_device_groups_destroy(held); }
  };

  std::unique_ptr<monofold_device_groups, destroy> own_;
};

/// Memory of the current device, which numbers can be copied to and from. Other threads of Python's go on while it is
/// made and given back.
class device_memory {
 public:
  /// errors     DeviceUnavailable: there is no device
  explicit device_memory(std::int64_t bytes) {
    try {
      nb::gil_scoped_release released;
      own_ = runtime::make_device_memory(bytes);
    } catch (const error& why) {
      if (why.code() != status::device_unavailable) throw;
      const nb::object type = nb::module_::import_("monofold._errors").attr("DeviceUnavailable");
      PyErr_SetString(type.ptr(), why.what());
      throw nb::python_error();
    }
  }
  device_memory(const device_memory&) = delete;
  device_memory& operator=(const device_memory&) = delete;
  /// Waits for the device.
  ~device_memory() {
    nb::gil_scoped_release released;
    own_.reset();
  }
  std::uintptr_t address() const { return reinterpret_cast<std::uintptr_t>(own_.get()); }
  /// Packed items from its beginning on, as another library takes them over.
  nb::object capsule(monofold_dtype dtype, numbers extents,
                     std::pair<std::int32_t, std::int32_t> device, bool versioned) const {
    return to_dlpack(own_, dtype, std::move(extents), {device.first, device.second}, versioned);
  }

 private:
  std::shared_ptr<void> own_;
};

}  // namespace

void bind_device_rows(nb::module_& core) {
  core.def("device_rows", &device_rows, nb::arg("items"), nb::arg("axes"), nb::arg("operation"),
           nb::arg("how"), nb::arg("value_dtype"), nb::arg("values").none(),
           nb::arg("seconds").none(), nb::arg("indices").none(), nb::arg("stream"),
           nb::arg("waits"));
  core.def("device_segments", &device_segments, nb::arg("items"), nb::arg("starts"),
           nb::arg("stops"), nb::arg("operation"), nb::arg("how"), nb::arg("value_dtype"),
           nb::arg("values").none(), nb::arg("seconds").none(), nb::arg("indices").none(),
           nb::arg("stream"));
  nb::class_<device_groups>(core, "device_groups", "Keys grouped in memory of a device.")
      .def(nb::init<const array&, monofold_key_order, std::uintptr_t>())
      .def_prop_ro("count", &device_groups::count)
      .def("copy_keys", &device_groups::copy_keys)
      .def("reduce", &device_groups::reduce, nb::arg("items"), nb::arg("operation"), nb::arg("how"),
           nb::arg("value_dtype"), nb::arg("values").none(), nb::arg("seconds").none(),
           nb::arg("indices").none(), nb::arg("waits"));
  core.def("emulates_devices", [](bool emulated) {
    const auto kind = emulated ? runtime::device_kind::emulated : runtime::device_kind::gpu;
    runtime::use_devices(kind);
    return !runtime::find_devices(kind).devices.empty();
  });
  core.def("copy_by_device", [](std::uintptr_t to, std::uintptr_t from, std::int64_t bytes) {
    nb::gil_scoped_release released;
    runtime::copy_from_device(reinterpret_cast<void*>(to), reinterpret_cast<const void*>(from),
                              bytes);
  });
  nb::class_<device_memory>(core, "device_memory", "Memory of the current device.")
      .def(nb::init<std::int64_t>())
      .def_prop_ro("address", &device_memory::address)
      .def("capsule", &device_memory::capsule);
}

}  // namespace monofold::python
