#include "python/src/array.hpp"

#include <nanobind/stl/vector.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <numeric>

#include "python/src/gather.hpp"

namespace monofold::python {

std::int64_t bytes_of(monofold_dtype dtype) {
  switch (dtype) {
    case MONOFOLD_BOOL:
    case MONOFOLD_INT8:
    case MONOFOLD_UINT8: return 1;
    case MONOFOLD_INT16:
    case MONOFOLD_UINT16:
    case MONOFOLD_FLOAT16:
    case MONOFOLD_BFLOAT16: return 2;
    case MONOFOLD_INT32:
    case MONOFOLD_UINT32:
    case MONOFOLD_FLOAT32: return 4;
    default: return 8;
  }
}

monofold_dtype dtype_of_format(const char* format, std::int64_t item_bytes) {
  if (format == nullptr || format[0] == '\0' || format[1] != '\0') return -1;
  const monofold_dtype by_size[] = {MONOFOLD_INT8, MONOFOLD_INT16, MONOFOLD_INT32, MONOFOLD_INT64};
  const int size = item_bytes == 1 ? 0 : item_bytes == 2 ? 1 : item_bytes == 4 ? 2 : 3;
  switch (format[0]) {
    case 'd': return MONOFOLD_FLOAT64;
    case 'f': return MONOFOLD_FLOAT32;
    case 'e': return MONOFOLD_FLOAT16;
    case '?': return MONOFOLD_BOOL;
    case 'b':
    case 'h':
    case 'i':
    case 'l':
    case 'q': return by_size[size];
    case 'B':
    case 'H':
    case 'I':
    case 'L':
    case 'Q': return by_size[size] + (MONOFOLD_UINT8 - MONOFOLD_INT8);
    default: return -1;
  }
}

std::int64_t layout::item_bytes() const { return bytes_of(dtype); }

std::int64_t layout::count() const {
  std::int64_t product = 1;
  for (const std::int64_t extent : extents) product *= extent;
  return product;
}

bool layout::is_native() const {
  const std::int64_t bytes = item_bytes();
  if (swapped || reinterpret_cast<std::uintptr_t>(data) % static_cast<std::size_t>(bytes) != 0)
    return false;
  for (std::size_t axis = 0; axis < extents.size(); ++axis) {
    if (extents[axis] > 1 && strides[axis] % bytes != 0) return false;
  }
  return true;
}

bool layout::is_packed() const {
  if (!is_native()) return false;
  if (std::find(extents.begin(), extents.end(), 0) != extents.end()) return true;
  std::int64_t step = item_bytes();
  for (std::size_t axis = extents.size(); axis-- > 0;) {
    if (extents[axis] > 1 && strides[axis] != step) return false;
    step *= extents[axis];
  }
  return true;
}

void layout::check_extents() const {
  constexpr std::size_t most_axes = 64;  // as in NumPy
  if (extents.size() > most_axes) throw nb::value_error("an array of more than 64 axes");
  std::int64_t bytes = item_bytes();
  for (const std::int64_t extent : extents) {
    if (extent < 0) throw nb::value_error("an array with a negative extent");
    if (__builtin_mul_overflow(bytes, std::max<std::int64_t>(extent, 1), &bytes))
      throw nb::value_error("an array of more bytes than can be counted");
  }
}

void layout::check_on_host() const {
  if (place == MONOFOLD_HOST) return;
  throw nb::type_error("the array lies on a device, and this call needs one on the host");
}

layout repeated(const layout& items, std::int64_t times) {
  layout out = items;
  out.extents.push_back(times);
  out.strides.push_back(0);
  out.check_extents();
  return out;
}

layout with_axes(const layout& items, const std::vector<std::int64_t>& order) {
  layout out = items;
  for (std::size_t axis = 0; axis < order.size(); ++axis) {
    const auto from = static_cast<std::size_t>(order[axis]);
    out.extents[axis] = items.extents[from];
    out.strides[axis] = items.strides[from];
  }
  return out;
}

layout in_memory_order(const layout& items) {
  layout forward = items;
  for (std::size_t axis = 0; axis < items.extents.size(); ++axis) {
    if (items.strides[axis] >= 0 || items.extents[axis] == 0) continue;
    forward.data += (items.extents[axis] - 1) * items.strides[axis];
    forward.strides[axis] = -items.strides[axis];
  }
  std::vector<std::int64_t> order(items.extents.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::int64_t left, std::int64_t right) {
    return forward.strides[static_cast<std::size_t>(left)] >
           forward.strides[static_cast<std::size_t>(right)];
  });
  return with_axes(forward, order);
}

namespace {

void make_array(array* self, std::uintptr_t address, monofold_dtype dtype, bool swapped,
                monofold_place place, std::vector<std::int64_t> extents,
                std::vector<std::int64_t> strides, nb::object owner) {
  if (extents.size() != strides.size()) throw nb::value_error("as many strides as extents");
  if (dtype < MONOFOLD_BOOL || dtype > MONOFOLD_FLOAT64) throw nb::value_error("no such type");
  layout{nullptr, dtype, swapped, place, extents, strides}.check_extents();
  // A pointer is what arrays of other libraries give us: a number.
  new (self) array{reinterpret_cast<const char*>(address),
                   dtype,
                   swapped,
                   place,
                   std::move(extents),
                   std::move(strides),
                   std::move(owner)};
  self->swapped = swapped || has_other_bools(*self);
}

/// The array that an object shows by the buffer protocol; None where that says no type of ours, or that items are
/// misaligned, swapped, or bool but neither 0 nor 1.
nb::object of_buffer(nb::object object) {
  Py_buffer view;
  if (PyObject_GetBuffer(object.ptr(), &view, PyBUF_STRIDES | PyBUF_FORMAT) != 0) {
    PyErr_Clear();
    return nb::none();
  }
  const monofold_dtype dtype = dtype_of_format(view.format, view.itemsize);
  array made{static_cast<const char*>(view.buf),
             dtype,
             false,
             MONOFOLD_HOST,
             {view.shape, view.shape + view.ndim},
             {view.strides, view.strides + view.ndim},
             object};
  PyBuffer_Release(&view);  // the memory is the object's, which `made` keeps
  if (dtype < 0 || !made.is_native() || has_other_bools(made)) return nb::none();
  return nb::cast(std::move(made));
}

/// Where the items of a NumPy array lie whose items are next to each other.
std::uintptr_t address_of(nb::object object) {
  Py_buffer view;
  if (PyObject_GetBuffer(object.ptr(), &view, PyBUF_SIMPLE) != 0) {
    PyErr_Clear();  // of bfloat16, which buffers have no name for; this takes a microsecond
    return nb::cast<std::uintptr_t>(object.attr("__array_interface__")["data"][0]);
  }
  const auto address = reinterpret_cast<std::uintptr_t>(view.buf);
  PyBuffer_Release(&view);
  return address;
}

}  // namespace

void bind_array(nb::module_& core) {
  core.def("of_buffer", &of_buffer);
  core.def("address_of", &address_of);
  core.def("bytes_of", &bytes_of);
  nb::class_<array>(core, "array", "An array where it lies.")
      .def("__init__", &make_array, nb::arg("address"), nb::arg("dtype"), nb::arg("swapped"),
           nb::arg("place"), nb::arg("extents"), nb::arg("strides"), nb::arg("owner").none())
      .def_rw("read_only", &array::read_only)
      .def_ro("dtype", &array::dtype)
      .def_ro("swapped", &array::swapped)
      .def_ro("place", &array::place)
      .def_ro("extents", &array::extents)
      .def_ro("strides", &array::strides)
      .def_prop_ro("address",
                   [](const array& self) { return reinterpret_cast<std::uintptr_t>(self.data); })
      .def("in_memory_order",
           [](const array& self) {
             return array{in_memory_order(self), self.owner};
           })
      .def("repeated",
           [](const array& self, std::int64_t times) {
             return array{repeated(self, times), self.owner};
           })
      .def_prop_ro("num_bytes", [](const array& self) { return self.count() * self.item_bytes(); })
      .def_prop_ro("count", [](const array& self) { return self.count(); })
      .def_prop_ro("is_packed", [](const array& self) { return self.is_packed(); });
}

}  // namespace monofold::python
