#include "python/src/quick_rows.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

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
PyObject* item_name = nullptr;

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

/// The axes of a call, from 0 on in rising order.
struct axis_list {
  std::int64_t axes[most_axes];
  int count = 0;

  bool has(int axis) const { return std::find(axes, axes + count, axis) != axes + count; }
};

/// An array of the shape of `view` without its reduced axes.
PyObject* new_answers(const Py_buffer& view, const axis_list& reduced, bool keepdims,
                      PyObject* type) {
  PyObject* shape = PyTuple_New(keepdims ? view.ndim : view.ndim - reduced.count);
  if (shape == nullptr) return nullptr;
  for (int from = 0, to = 0; from < view.ndim; ++from) {
    const bool is_reduced = reduced.has(from);
    if (is_reduced && !keepdims) continue;
    PyTuple_SetItem(shape, to++, PyLong_FromSsize_t(is_reduced ? 1 : view.shape[from]));
  }
  PyObject* made = PyObject_CallFunctionObjArgs(make_empty, shape, type, nullptr);
  Py_DECREF(shape);
  return made;
}

/// Whether `out` has the shape of the answers.
bool takes_answers(const Py_buffer& out, const Py_buffer& view, const axis_list& reduced,
                   bool keepdims) {
  int to = 0;
  for (int from = 0; from < view.ndim; ++from) {
    const bool is_reduced = reduced.has(from);
    if (is_reduced && !keepdims) continue;
    if (to == out.ndim || out.shape[to++] != (is_reduced ? 1 : view.shape[from])) return false;
  }
  return to == out.ndim;
}

monofold_status fill(const Py_buffer& view, monofold_dtype dtype, const axis_list& reduced,
                     monofold_operation operation, const monofold_options& options,
                     monofold_dtype answer_dtype, bool are_places, void* answers) {
  std::int64_t extents[most_axes], strides[most_axes];
  std::int64_t num_rows = 1;
  for (int i = 0; i < view.ndim; ++i) {
    extents[i] = view.shape[i];
    strides[i] = view.strides[i] / view.itemsize;
    if (!reduced.has(i)) num_rows *= extents[i];
  }
  const std::int64_t count = view.len / view.itemsize;
  PyThreadState* released = count < items_without_lock ? nullptr : PyEval_SaveThread();
  const monofold_status how = monofold_reduce_axis_into(
      view.buf, dtype, view.ndim, extents, strides, reduced.axes, reduced.count, operation,
      &options, answer_dtype, are_places ? nullptr : answers, nullptr,
      are_places ? static_cast<std::int64_t*>(answers) : nullptr, num_rows, nullptr);
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

/// False: they are none.
bool read_axes(PyObject* axis, int rank, axis_list& to) {
  if (axis == nullptr || axis == Py_None) {
    for (; to.count < rank; ++to.count) to.axes[to.count] = to.count;
    return true;
  }
  const bool are_several = PyTuple_CheckExact(axis) != 0;
  const Py_ssize_t count = are_several ? PyTuple_Size(axis) : 1;
  if (count > rank) return false;
  for (Py_ssize_t i = 0; i < count; ++i) {
    const std::int64_t place = place_of(are_several ? PyTuple_GetItem(axis, i) : axis, rank);
    if (place < 0 || to.has(static_cast<int>(place))) return false;
    to.axes[to.count++] = place;
  }
  std::sort(to.axes, to.axes + to.count);
  return true;
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

namespace {

/// How many bytes of answers wait until all of them are there.
constexpr Py_ssize_t most_waiting = 4096;

/// Fills the caller's array, or leaves it as it is; null: that.
PyObject* fill_out(const Py_buffer& view, monofold_dtype dtype, const axis_list& reduced,
                   monofold_operation operation, const monofold_options& options,
                   monofold_dtype answer_dtype, const asked_rows& asked) {
  const shown out(asked.out, PyBUF_C_CONTIGUOUS | PyBUF_WRITABLE | PyBUF_FORMAT);
  const bool are_places = gives_places(operation);
  if (!out.is_there || out.view.len > most_waiting ||
      dtype_of_format(out.view.format, out.view.itemsize) !=
          (are_places ? MONOFOLD_INT64 : answer_dtype) ||
      !takes_answers(out.view, view, reduced, asked.keepdims)) {
    return nullptr;
  }
  alignas(16) std::byte answers[most_waiting];
  if (fill(view, dtype, reduced, operation, options, answer_dtype, are_places, answers) !=
      MONOFOLD_OK) {
    return nullptr;
  }
  std::memcpy(out.view.buf, answers, static_cast<std::size_t>(out.view.len));
  return Py_NewRef(asked.out);
}

}  // namespace

PyObject* reduce_rows_quickly(monofold_operation operation, const monofold_options& options,
                              const row_types& types, PyObject* array, const asked_rows& asked) {
  if (make_empty == nullptr) return nullptr;
  const shown items(array, PyBUF_STRIDES | PyBUF_FORMAT);
  if (!items.is_there) return nullptr;
  const monofold_dtype dtype = dtype_of_format(items.view.format, items.view.itemsize);
  if (dtype < 0 || !is_readable(items.view)) return nullptr;
  const monofold_dtype answer_dtype =
      asked.told != nullptr ? asked.told[dtype] - 1 : types.of(dtype);
  axis_list reduced;
  if (answer_dtype < 0 || !read_axes(asked.axis, items.view.ndim, reduced)) return nullptr;
  if (asked.out != nullptr) {
    return fill_out(items.view, dtype, reduced, operation, options, answer_dtype, asked);
  }
  const bool are_places = gives_places(operation);
  const auto made_dtype = static_cast<std::size_t>(are_places ? MONOFOLD_INT64 : answer_dtype);
  PyObject* made = new_answers(items.view, reduced, asked.keepdims, numpy_types[made_dtype]);
  if (made == nullptr) return nullptr;
  monofold_status how = MONOFOLD_INTERNAL;
  if (const shown out(made, PyBUF_WRITABLE); out.is_there) {
    how = fill(items.view, dtype, reduced, operation, options, answer_dtype, are_places,
               out.view.buf);
  }
  const bool is_number = !asked.keepdims && (asked.axis == nullptr || asked.axis == Py_None);
  PyObject* const answer = how != MONOFOLD_OK ? nullptr  // the long way names what is wrong
                           : is_number        ? PyObject_CallMethodObjArgs(made, item_name, nullptr)
                                              : Py_NewRef(made);
  Py_DECREF(made);
  return answer;
}

void bind_quick_rows(nb::module_& core) {
  core.def("set_array_maker", [](nb::object make, nb::sequence types) {
    std::size_t count = 0;
    for (const nb::handle type : types) numpy_types.at(count++) = type.inc_ref().ptr();
    make_empty = make.inc_ref().ptr();
  });
  item_name = PyUnicode_InternFromString("item");
}

}  // namespace monofold::python
