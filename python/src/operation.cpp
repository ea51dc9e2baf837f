#include "python/src/operation.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>

#include "monofold/monofold.h"
#include "python/src/array.hpp"
#include "python/src/exact_double.hpp"
#include "python/src/exchange.hpp"
#include "python/src/gather.hpp"
#include "python/src/quick_rows.hpp"
#include "python/src/short_arrays.hpp"

namespace monofold::python {

namespace {

// Of every call from now on; any thread's.
std::atomic<std::int32_t> num_threads{0};

/// What `mf.sum(x)` needs: made once, read by every call.
struct operation_object {
  PyObject_HEAD monofold_operation code;
  bool is_quick;  // one number, or a pair, from one call
  monofold_options options;
  short_arrays* quickest;
  row_types* rows;

  monofold_options options_now() const {
    monofold_options now = options;
    now.num_threads = num_threads.load(std::memory_order_relaxed);
    return now;
  }
};

PyTypeObject* packed_type =
    nullptr;  // numpy.ndarray: its subclasses may mean something else by their memory
PyObject* slow_name = nullptr;
PyObject* axis_name = nullptr;

PyObject* number_of(const monofold_number& number) {
  switch (number.type) {
    case MONOFOLD_NUMBER_BOOL: return PyBool_FromLong(number.as.boolean);
    case MONOFOLD_NUMBER_INT64: return PyLong_FromLongLong(number.as.int64);
    case MONOFOLD_NUMBER_UINT64: return PyLong_FromUnsignedLongLong(number.as.uint64);
    case MONOFOLD_NUMBER_FLOAT32: return PyFloat_FromDouble(exact_double(number.as.float32));
    default: return PyFloat_FromDouble(number.as.float64);
  }
}

PyObject* answer_of(monofold_operation code, const monofold_result& result) {
  if (code == MONOFOLD_ARGMIN || code == MONOFOLD_ARGMAX) return PyLong_FromLongLong(result.index);
  if (code == MONOFOLD_MINMAX) {
    return Py_BuildValue("(NN)", number_of(result.value), number_of(result.second));
  }
  return number_of(result.value);
}

/// Without the interpreter's lock.
bool reduce_long(const operation_object& self, const packed_items& items, monofold_result* result) {
  bool is_answered = false;
  const monofold_options options = self.options_now();
  Py_BEGIN_ALLOW_THREADS is_answered =
      items.place != MONOFOLD_HOST
          ? self.quickest->reduce_there(items.data, items.dtype, items.count, result)
          : self.quickest->reduce(items.data, items.dtype, items.count, result) ||
                monofold_reduce(items.data, items.dtype, items.count, MONOFOLD_HOST, self.code,
                                &options, result) == MONOFOLD_OK;
  Py_END_ALLOW_THREADS return is_answered;
}

/// The answer for items next to each other; null without an exception: not a case for this function.
PyObject* answer_for(const operation_object& self, const packed_items& items) {
  const std::int64_t item_bytes = bytes_of(items.dtype);
  const bool is_here = items.place == MONOFOLD_HOST;
  if (reinterpret_cast<std::uintptr_t>(items.data) % static_cast<std::size_t>(item_bytes) != 0 ||
      (is_here && items.count > piece_bytes / item_bytes)) {
    return nullptr;
  }
  monofold_result result;
  const bool is_answered =
      is_here && items.count < items_without_lock
          ? self.quickest->reduce(items.data, items.dtype, items.count, &result)
          : reduce_long(self, items, &result);
  return is_answered ? answer_of(self.code, result) : nullptr;
}

/// The answer for a packed array; null without an exception: not a case for this function.
PyObject* call_quickly(const operation_object& self, PyObject* array) {
  if (!self.is_quick) return nullptr;
  packed_items items;
  if (Py_TYPE(array) != packed_type)
    return look_at_packed(array, items) ? answer_for(self, items) : nullptr;
  Py_buffer view;
  if (PyObject_GetBuffer(array, &view, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT) != 0) {
    PyErr_Clear();
    return nullptr;
  }
  PyObject* answer = nullptr;
  items.dtype = dtype_of_format(view.format, view.itemsize);
  if (items.dtype >= 0) {  // items of no type of ours may have no bytes
    items.data = view.buf;
    items.count = view.len / view.itemsize;
    answer = answer_for(self, items);
  }
  PyBuffer_Release(&view);
  return answer;
}

/// The axis of a call that says nothing else; null: another call.
PyObject* only_axis(PyObject* args, PyObject* keywords) {
  const Py_ssize_t count = PyTuple_Size(args);
  if (keywords == nullptr) return count == 2 ? PyTuple_GetItem(args, 1) : nullptr;
  return count == 1 && PyDict_Size(keywords) == 1 ? PyDict_GetItemWithError(keywords, axis_name)
                                                  : nullptr;
}

/// Answers along an axis; null without an exception: not a case for this function.
PyObject* call_rows_quickly(const operation_object& self, PyObject* args, PyObject* keywords) {
  if (!self.is_quick || self.code == MONOFOLD_MINMAX || PyTuple_Size(args) == 0) return nullptr;
  PyObject* array = PyTuple_GetItem(args, 0);
  PyObject* axis = only_axis(args, keywords);
  if (axis == nullptr) return nullptr;
  const auto by_rows = Py_TYPE(array) == packed_type ? &reduce_rows_quickly : &reduce_rows_there;
  return by_rows(self.code, self.options_now(), *self.rows, array, axis);
}

PyObject* call(PyObject* object, PyObject* args, PyObject* keywords) {
  const auto& self = *reinterpret_cast<operation_object*>(object);
  PyObject* quick = keywords == nullptr && PyTuple_Size(args) == 1
                        ? call_quickly(self, PyTuple_GetItem(args, 0))
                        : call_rows_quickly(self, args, keywords);
  if (quick != nullptr || PyErr_Occurred()) return quick;
  PyObject* slow = PyObject_GetAttr(object, slow_name);
  if (slow == nullptr) return nullptr;
  PyObject* answer = PyObject_Call(slow, args, keywords);
  Py_DECREF(slow);
  return answer;
}

PyObject* make(PyTypeObject* type, PyObject* args, PyObject* keywords) {
  static const char* names[] = {"code", "is_quick", "plain", "nan", "ddof", nullptr};
  int code = 0, is_quick = 0, plain = 0, nan = 0;
  long long ddof = 0;
  if (!PyArg_ParseTupleAndKeywords(args, keywords, "i|ppiL", const_cast<char**>(names), &code,
                                   &is_quick, &plain, &nan, &ddof)) {
    return nullptr;
  }
  const auto allocate = reinterpret_cast<allocfunc>(PyType_GetSlot(type, Py_tp_alloc));
  PyObject* object = allocate(type, 0);
  if (object == nullptr) return nullptr;
  auto& self = *reinterpret_cast<operation_object*>(object);
  self.code = code;
  self.is_quick = is_quick != 0;
  self.options = monofold_options MONOFOLD_OPTIONS_INIT;
  self.options.plain = plain;
  self.options.nan = nan;
  self.options.ddof = ddof;
  self.quickest = new (std::nothrow) short_arrays(self.code, self.options);
  self.rows = new (std::nothrow) row_types;
  if (self.quickest != nullptr && self.rows != nullptr) return object;
  Py_DECREF(object);
  return PyErr_NoMemory();
}

void destroy(PyObject* object) {
  PyTypeObject* type = Py_TYPE(object);
  delete reinterpret_cast<operation_object*>(object)->quickest;
  delete reinterpret_cast<operation_object*>(object)->rows;
  reinterpret_cast<freefunc>(PyType_GetSlot(type, Py_tp_free))(object);
  Py_DECREF(type);
}

int initialize(PyObject*, PyObject*, PyObject*) { return 0; }

/// What types answers along axes have, by the rules: (of items, of answers).
PyObject* set_row_type(PyObject* object, PyObject* types) {
  int items = 0, answers = 0;
  if (!PyArg_ParseTuple(types, "ii", &items, &answers)) return nullptr;
  reinterpret_cast<operation_object*>(object)->rows->tell(items, answers);
  Py_RETURN_NONE;
}

}  // namespace

void bind_operation(nb::module_& core) {
  static PyMethodDef methods[] = {{"_set_row_type", set_row_type, METH_VARARGS, nullptr},
                                  {nullptr, nullptr, 0, nullptr}};
  static PyType_Slot slots[] = {{Py_tp_new, reinterpret_cast<void*>(make)},
                                {Py_tp_init, reinterpret_cast<void*>(initialize)},
                                {Py_tp_call, reinterpret_cast<void*>(call)},
                                {Py_tp_dealloc, reinterpret_cast<void*>(destroy)},
                                {Py_tp_methods, methods},
                                {0, nullptr}};
  static PyType_Spec spec = {"monofold._core.operation", sizeof(operation_object), 0,
                             Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots};
  slow_name = PyUnicode_InternFromString("_call");
  axis_name = PyUnicode_InternFromString("axis");
  core.attr("operation") = nb::steal(PyType_FromSpec(&spec));
  core.def("set_threads", [](std::int32_t count) { num_threads = count; });
  core.def("set_packed_type", [](nb::type_object type) {
    packed_type = reinterpret_cast<PyTypeObject*>(type.inc_ref().ptr());
  });
}

}  // namespace monofold::python
