#include "python/src/quick_call.hpp"

#include <nanobind/stl/vector.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <stdexcept>
#include <utility>

#include "python/src/answers.hpp"
#include "python/src/array.hpp"
#include "python/src/exact_double.hpp"
#include "python/src/gather.hpp"
#include "runtime/c_boundary.hpp"

namespace monofold::python {

namespace {

// Of every call from now on; any thread's.
std::atomic<std::int32_t> num_threads{0};

PyTypeObject* packed_type = nullptr;

PyObject* number_of(const monofold_number& number) {
  switch (number.type) {
    case MONOFOLD_NUMBER_BOOL: return PyBool_FromLong(number.as.boolean);
    case MONOFOLD_NUMBER_INT64: return PyLong_FromLongLong(number.as.int64);
    case MONOFOLD_NUMBER_UINT64: return PyLong_FromUnsignedLongLong(number.as.uint64);
    case MONOFOLD_NUMBER_FLOAT32: return PyFloat_FromDouble(exact_double(number.as.float32));
    default: return PyFloat_FromDouble(number.as.float64);
  }
}

}  // namespace

PyObject* value_of(monofold_operation code, const monofold_result& result) {
  if (code == MONOFOLD_ARGMIN || code == MONOFOLD_ARGMAX) return PyLong_FromLongLong(result.index);
  if (code == MONOFOLD_MINMAX) {
    return Py_BuildValue("(NN)", number_of(result.value), number_of(result.second));
  }
  return number_of(result.value);
}

bool is_of_packed_type(PyObject* array) { return Py_TYPE(array) == packed_type; }

quick_call::quick_call(std::vector<monofold_operation> codes, const monofold_options& options)
    : short_(std::move(codes), options) {
  if (num_ops() == 0 || num_ops() > most_ops) throw std::invalid_argument("operations");
}

monofold_options quick_call::options_now() const {
  monofold_options now = short_.options();
  now.num_threads = num_threads.load(std::memory_order_relaxed);
  return now;
}

bool quick_call::answer_without_lock(const packed_items& items, monofold_result* results) {
  bool is_answered = false;
  const monofold_options options = options_now();
  Py_BEGIN_ALLOW_THREADS is_answered =
      items.place != MONOFOLD_HOST
          ? short_.reduce_there(items.data, items.dtype, items.count, results)
          : short_.reduce(items.data, items.dtype, items.count, results) ||
                monofold_reduce_several(
                    items.data, items.dtype, items.count, MONOFOLD_HOST, short_.operations().data(),
                    static_cast<std::int32_t>(num_ops()), &options, results) == MONOFOLD_OK;
  Py_END_ALLOW_THREADS return is_answered;
}

namespace {

/// Calls use(items, view) with those of an array of NumPy's own type; false: they are not packed, or of no type of ours.
template <class Use>
bool with_items_of(PyObject* array, const Use& use) {
  Py_buffer view;
  if (PyObject_GetBuffer(array, &view, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT) != 0) {
    PyErr_Clear();
    return false;
  }
  bool is_used = false;
  packed_items items;
  items.dtype = dtype_of_format(view.format, view.itemsize);
  if (items.dtype >= 0) {  // items of no type of ours may have no bytes
    items.data = view.buf;
    items.count = view.len / view.itemsize;
    is_used = use(items, view);
  }
  PyBuffer_Release(&view);
  return is_used;
}

bool is_aligned(const packed_items& items) {
  const auto item_bytes = static_cast<std::size_t>(bytes_of(items.dtype));
  return reinterpret_cast<std::uintptr_t>(items.data) % item_bytes == 0;
}

}  // namespace

/// Of items next to each other.
bool quick_call::answer_packed(const packed_items& items, monofold_result* results) {
  const bool is_here = items.place == MONOFOLD_HOST;
  if (!is_aligned(items) || (is_here && items.count > piece_bytes / bytes_of(items.dtype))) {
    return false;
  }
  return is_here && items.count < items_without_lock
             ? short_.reduce(items.data, items.dtype, items.count, results)
             : answer_without_lock(items, results);
}

bool quick_call::answer(PyObject* array, monofold_result* results) {
  if (is_of_packed_type(array)) {
    return with_items_of(array, [&](const packed_items& items, const Py_buffer&) {
      return answer_packed(items, results);
    });
  }
  packed_items items;
  return look_at_packed(array, items) && answer_packed(items, results);
}

bool quick_call::dot(PyObject* left, PyObject* right, monofold_result& result) {
  const auto with_both = [&](const packed_items& a, const packed_items& b) {
    const monofold_options options = options_now();
    return a.dtype == b.dtype && a.count < items_without_lock && is_aligned(a) && is_aligned(b) &&
           monofold_dot(a.data, b.data, a.dtype, a.count, MONOFOLD_HOST, &options, &result) ==
               MONOFOLD_OK;
  };
  if (!is_of_packed_type(left) || !is_of_packed_type(right)) return false;
  return with_items_of(left, [&](const packed_items& a, const Py_buffer& of_a) {
    return with_items_of(right, [&](const packed_items& b, const Py_buffer& of_b) {
      return std::equal(of_a.shape, of_a.shape + of_a.ndim, of_b.shape, of_b.shape + of_b.ndim) &&
             with_both(a, b);
    });
  });
}

bool quick_call::rank(PyObject* array, monofold_dtype& dtype, runtime::answer& best) {
  return is_of_packed_type(array) &&
         with_items_of(array, [&](const packed_items& items, const Py_buffer&) {
           dtype = items.dtype;
           return items.count < items_without_lock && is_aligned(items) &&
                  short_.rank(items.data, items.dtype, items.count, best);
         });
}

namespace {

/// A tuple of what a caller sees; None: this call is not quick.
nb::object values_of(quick_call& self, nb::handle array) {
  std::array<monofold_result, quick_call::most_ops> results;
  const bool is_answered = self.answer(array.ptr(), results.data());
  if (PyErr_Occurred() != nullptr) throw nb::python_error();
  if (!is_answered) return nb::none();
  nb::object values = nb::steal(PyTuple_New(static_cast<Py_ssize_t>(self.num_ops())));
  for (std::size_t i = 0; values.is_valid() && i < self.num_ops(); ++i) {
    PyObject* const value = value_of(self.code(i), results[i]);
    if (value == nullptr) throw nb::python_error();
    PyTuple_SetItem(values.ptr(), static_cast<Py_ssize_t>(i), value);
  }
  if (!values.is_valid()) throw nb::python_error();
  return values;
}

/// (values, indices, type of the values) of the k best; None: this call is not quick.
nb::object best_of(quick_call& self, nb::handle array) {
  runtime::answer best{};
  monofold_dtype dtype = -1;
  if (!self.rank(array.ptr(), dtype, best)) return nb::none();
  nb::list values, indices;
  for (const runtime::number& one : best.values) {
    values.append(to_python(runtime::c_boundary::to_c(one)));
  }
  for (const std::int64_t index : best.indices) indices.append(index);
  return nb::make_tuple(values, indices, dtype);
}

}  // namespace

void bind_quick_call(nb::module_& core) {
  nb::class_<quick_call>(core, "several")
      .def("__init__",
           [](quick_call* self, std::vector<monofold_operation> codes, bool plain, int nan,
              long long ddof, long long k) {
             monofold_options options = MONOFOLD_OPTIONS_INIT;
             options.plain = plain ? 1 : 0;
             options.nan = nan;
             options.ddof = ddof;
             options.k = k;
             new (self) quick_call(std::move(codes), options);
           })
      .def("values", &values_of, nb::arg("array").none())
      .def("best", &best_of, nb::arg("array").none());
  core.attr("most_quick") = quick_call::most_ops;
  core.def("set_threads", [](std::int32_t count) { num_threads = count; });
  core.def("set_packed_type", [](nb::type_object type) {
    packed_type = reinterpret_cast<PyTypeObject*>(type.inc_ref().ptr());
  });
}

}  // namespace monofold::python
