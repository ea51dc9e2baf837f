#include "python/src/quick_rows.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "python/src/array.hpp"
#include "python/src/dlpack.hpp"
#include "python/src/exchange.hpp"
#include "python/src/gather.hpp"

namespace monofold::python {

namespace {

constexpr int most_axes = 8;

// numpy.empty, and the dtypes of ours; both stay.
PyObject* make_empty = nullptr;
std::array<PyObject*, MONOFOLD_FLOAT64 + 1> numpy_types{};

/// A buffer that is given back.
struct shown {
  Py_buffer view{};
  bool is_there = false;

  shown(PyObject* object, int flags) : is_there(PyObject_GetBuffer(object, &view, flags) == 0) {
    if (!is_there) PyErr_Clear();
  }
  shown(const shown&) = delete;
  shown& operator=(const shown&) = delete;
  ~shown() {
    if (is_there) PyBuffer_Release(&view);
  }
};

bool is_readable(const Py_buffer& view) {
  const auto bytes = static_cast<std::size_t>(view.itemsize);
  if (view.len == 0 || view.len > piece_bytes || view.ndim < 1 || view.ndim > most_axes ||
      reinterpret_cast<std::uintptr_t>(view.buf) % bytes != 0) {
    return false;
  }
  return std::all_of(view.strides, view.strides + view.ndim,
                     [&](Py_ssize_t step) { return step % view.itemsize == 0; });
}

/// An array of the shape of `view` without one axis.
PyObject* new_answers(const Py_buffer& view, std::int64_t axis, PyObject* type) {
  PyObject* shape = PyTuple_New(view.ndim - 1);
  if (shape == nullptr) return nullptr;
  for (int from = 0, to = 0; from < view.ndim; ++from) {
    if (from != axis) PyTuple_SetItem(shape, to++, PyLong_FromSsize_t(view.shape[from]));
  }
  PyObject* made = PyObject_CallFunctionObjArgs(make_empty, shape, type, nullptr);
  Py_DECREF(shape);
  return made;
}

monofold_status fill(const Py_buffer& view, monofold_dtype dtype, std::int64_t axis,
                     monofold_operation operation, const monofold_options& options,
                     monofold_dtype answer_dtype, bool are_places, void* answers) {
  std::int64_t extents[most_axes], strides[most_axes];
  for (int i = 0; i < view.ndim; ++i) {
    extents[i] = view.shape[i];
    strides[i] = view.strides[i] / view.itemsize;
  }
  const std::int64_t count = view.len / view.itemsize;
  PyThreadState* released = count < items_without_lock ? nullptr : PyEval_SaveThread();
  const monofold_status how = monofold_reduce_axis_into(
      view.buf, dtype, view.ndim, extents, strides, &axis, 1, operation, &options, answer_dtype,
      are_places ? nullptr : answers, nullptr,
      are_places ? static_cast<std::int64_t*>(answers) : nullptr, count / extents[axis], nullptr);
  if (released != nullptr) PyEval_RestoreThread(released);
  return how;
}

}  // namespace

PyObject* numpy_type(monofold_dtype dtype) {
  PyObject* const type = numpy_types[static_cast<std::size_t>(dtype)];
  return type == Py_None ? nullptr : type;
}

namespace {

/// An axis from 0 on; -1: it is none, or no integer.
std::int64_t place_of(PyObject* axis, std::int64_t rank) {
  if (!PyLong_CheckExact(axis)) return -1;
  int is_beyond = 0;
  std::int64_t place = PyLong_AsLongLongAndOverflow(axis, &is_beyond);
  if (place < 0) place += rank;
  return is_beyond == 0 && place >= 0 && place < rank ? place : -1;
}

bool gives_places(monofold_operation operation) {
  return operation == MONOFOLD_ARGMIN || operation == MONOFOLD_ARGMAX;
}

}  // namespace

PyObject* reduce_rows_there(monofold_operation operation, const monofold_options& options,
                            const row_types& types, PyObject* array, PyObject* axis) {
  array_there items;
  if (!PyLong_CheckExact(axis) || !look_at_there(array, items)) return nullptr;
  const dl_tensor& tensor = items.tensor;
  const monofold_dtype dtype = known_dtype(tensor.type);
  const std::int64_t reduced = place_of(axis, tensor.rank);
  if (dtype < 0 || types.of(dtype) < 0 || reduced < 0 || tensor.rank > most_axes) return nullptr;
  std::int64_t strides[most_axes], kept[most_axes], step = 1, num_rows = 1;
  for (std::int32_t i = tensor.rank; i-- > 0;) {
    strides[i] = tensor.strides != nullptr ? tensor.strides[i] : step;
    step *= tensor.extents[i];
    if (i != reduced) num_rows *= tensor.extents[i];
    if (i != reduced) kept[i < reduced ? i : i - 1] = tensor.extents[i];
  }
  const char* const first = static_cast<const char*>(tensor.data) + tensor.byte_offset;
  if (step == 0 || reinterpret_cast<std::uintptr_t>(first) % bytes_of(dtype) != 0) return nullptr;
  const bool are_places = gives_places(operation);
  const monofold_dtype answer_dtype = types.of(dtype);
  void* memory = nullptr;
  nb::object made = new_array_beside(items, kept, tensor.rank - 1,
                                     are_places ? MONOFOLD_INT64 : answer_dtype, memory);
  if (!made.is_valid()) {
    if (PyErr_Occurred() && PyErr_ExceptionMatches(PyExc_Exception)) PyErr_Clear();
    return nullptr;
  }
  monofold_status how = MONOFOLD_INTERNAL;
  Py_BEGIN_ALLOW_THREADS how = monofold_reduce_axis_on_device(
      first, dtype, tensor.rank, tensor.extents, strides, &reduced, 1, operation, &options,
      answer_dtype, are_places ? nullptr : memory, nullptr,
      are_places ? static_cast<std::int64_t*>(memory) : nullptr, num_rows, items.stream, nullptr);
  Py_END_ALLOW_THREADS return how == MONOFOLD_OK ? made.release().ptr() : nullptr;
}

PyObject* reduce_rows_quickly(monofold_operation operation, const monofold_options& options,
                              const row_types& types, PyObject* array, PyObject* axis) {
  if (make_empty == nullptr) return nullptr;
  const shown items(array, PyBUF_STRIDES | PyBUF_FORMAT);
  if (!items.is_there) return nullptr;
  const monofold_dtype dtype = dtype_of_format(items.view.format, items.view.itemsize);
  if (dtype < 0 || types.of(dtype) < 0 || !is_readable(items.view)) return nullptr;
  const std::int64_t place = place_of(axis, items.view.ndim);
  if (place < 0) return nullptr;
  const bool are_places = gives_places(operation);
  const monofold_dtype answer_dtype = types.of(dtype);
  const auto made_dtype = static_cast<std::size_t>(are_places ? MONOFOLD_INT64 : answer_dtype);
  PyObject* made = new_answers(items.view, place, numpy_types[made_dtype]);
  if (made == nullptr) return nullptr;
  monofold_status how = MONOFOLD_INTERNAL;
  if (const shown out(made, PyBUF_WRITABLE); out.is_there) {
    how =
        fill(items.view, dtype, place, operation, options, answer_dtype, are_places, out.view.buf);
  }
  if (how == MONOFOLD_OK) return made;
  Py_DECREF(made);  // the long way names what is wrong
  return nullptr;
}

void bind_quick_rows(nb::module_& core) {
  core.def("set_array_maker", [](nb::object make, nb::sequence types) {
    std::size_t count = 0;
    for (const nb::handle type : types) numpy_types.at(count++) = type.inc_ref().ptr();
    make_empty = make.inc_ref().ptr();
  });
}

}  // namespace monofold::python
