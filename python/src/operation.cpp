#include "python/src/operation.hpp"

#include <new>

#include "monofold/monofold.h"
#include "python/src/quick_call.hpp"
#include "python/src/quick_rows.hpp"

namespace monofold::python {

namespace {

/// An operation as Python calls it: made once, read by every call.
struct operation_object {
  PyObject_HEAD bool is_quick;  // one number, or a pair, from one call
  quick_call* quickest;
  row_types* rows;

  monofold_operation code() const { return quickest->code(0); }
};

PyObject* slow_name = nullptr;
PyObject* axis_name = nullptr;

/// The axis of a call that says nothing else; null: another call.
PyObject* only_axis(PyObject* args, PyObject* keywords) {
  const Py_ssize_t count = PyTuple_Size(args);
  if (keywords == nullptr) return count == 2 ? PyTuple_GetItem(args, 1) : nullptr;
  return count == 1 && PyDict_Size(keywords) == 1 ? PyDict_GetItemWithError(keywords, axis_name)
                                                  : nullptr;
}

/// The answer for a packed array; null without an exception: not a case for this function.
PyObject* call_quickly(const operation_object& self, PyObject* array) {
  if (!self.is_quick) return nullptr;
  monofold_result result;
  return self.quickest->answer(array, &result) ? value_of(self.code(), result) : nullptr;
}

/// Answers along an axis; null without an exception: not a case for this function.
PyObject* call_rows_quickly(const operation_object& self, PyObject* args, PyObject* keywords) {
  if (!self.is_quick || self.code() == MONOFOLD_MINMAX || PyTuple_Size(args) == 0) return nullptr;
  PyObject* array = PyTuple_GetItem(args, 0);
  PyObject* axis = only_axis(args, keywords);
  if (axis == nullptr) return nullptr;
  const auto by_rows = is_of_packed_type(array) ? &reduce_rows_quickly : &reduce_rows_there;
  return by_rows(self.code(), self.quickest->options_now(), *self.rows, array, axis);
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
  self.is_quick = is_quick != 0;
  monofold_options options = MONOFOLD_OPTIONS_INIT;
  options.plain = plain;
  options.nan = nan;
  options.ddof = ddof;
  try {
    self.quickest = new quick_call({code}, options);
    self.rows = new row_types;
    return object;
  } catch (const std::bad_alloc&) {
    Py_DECREF(object);
    return PyErr_NoMemory();
  }
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
}

}  // namespace monofold::python
