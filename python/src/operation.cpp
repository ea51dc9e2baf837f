#include "python/src/operation.hpp"

#include <array>
#include <cstring>
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
  PyObject*
      told;  // by what a call may name as a type of answers: by the code of items, the code it stands for

  monofold_operation code() const { return quickest->code(0); }
};

// Names, which stay.
PyObject* slow_name = nullptr;
PyObject* axis_name = nullptr;
PyObject* keepdims_name = nullptr;
PyObject* dtype_name = nullptr;
PyObject* out_name = nullptr;

bool is_name(PyObject* key, PyObject* name) {
  return key == name || PyUnicode_Compare(key, name) == 0;
}

/// What stands in a call beside its array; false: what needs the long way.
bool read_call(PyObject* args, PyObject* keywords, asked_rows& asked, PyObject*& dtype) {
  const Py_ssize_t count = PyTuple_Size(args);
  if (count == 0 || count > 2) return false;
  if (count == 2) asked.axis = PyTuple_GetItem(args, 1);
  if (keywords == nullptr) return true;
  PyObject *key = nullptr, *value = nullptr;
  Py_ssize_t place = 0;
  while (PyDict_Next(keywords, &place, &key, &value) != 0) {
    if (is_name(key, axis_name) && count == 1) {
      asked.axis = value;
    } else if (is_name(key, keepdims_name) && PyBool_Check(value)) {
      asked.keepdims = value == Py_True;
    } else if (is_name(key, dtype_name)) {
      dtype = value == Py_None ? nullptr : value;
    } else if (is_name(key, out_name)) {
      asked.out = value == Py_None ? nullptr : value;
    } else {
      return false;
    }
  }
  return true;
}

/// The answer for a packed array; null without an exception: not a case for this function.
PyObject* call_quickly(const operation_object& self, PyObject* array) {
  if (!self.is_quick) return nullptr;
  monofold_result result;
  return self.quickest->answer(array, &result) ? value_of(self.code(), result) : nullptr;
}

/// What was told of a type that a call names; null: nothing.
const char* told_of(const operation_object& self, PyObject* dtype) {
  PyObject* const codes = PyDict_GetItemWithError(self.told, dtype);
  if (codes == nullptr) PyErr_Clear();  // what has no hash
  return codes == nullptr ? nullptr : PyBytes_AsString(codes);
}

/// Answers along axes; null without an exception: not a case for this function.
PyObject* call_rows_quickly(const operation_object& self, PyObject* args, PyObject* keywords) {
  asked_rows asked;
  PyObject* dtype = nullptr;
  if (!self.is_quick || self.code() == MONOFOLD_MINMAX ||
      !read_call(args, keywords, asked, dtype)) {
    return nullptr;
  }
  PyObject* const array = PyTuple_GetItem(args, 0);
  const bool says_more = asked.keepdims || dtype != nullptr || asked.out != nullptr;
  const bool has_axis = asked.axis != nullptr && asked.axis != Py_None;
  if (!has_axis && !says_more) return call_quickly(self, array);
  if (!is_of_packed_type(array)) {
    if (says_more) return nullptr;
    return reduce_rows_there(self.code(), self.quickest->options_now(), *self.rows, array,
                             asked.axis);
  }
  const bool are_places = self.code() == MONOFOLD_ARGMIN || self.code() == MONOFOLD_ARGMAX;
  if (asked.out != nullptr && !is_of_packed_type(asked.out)) return nullptr;
  if (dtype != nullptr) {
    asked.told = are_places ? nullptr : told_of(self, dtype);
    if (asked.told == nullptr) return nullptr;
  } else if (asked.out != nullptr && !are_places) {
    PyObject* const own = PyObject_GetAttr(asked.out, dtype_name);
    if (own == nullptr) return nullptr;
    asked.told = told_of(self, own);
    Py_DECREF(own);
    if (asked.told == nullptr) return nullptr;
  }
  return reduce_rows_quickly(self.code(), self.quickest->options_now(), *self.rows, array, asked);
}

/// The inner product of two arrays of one shape; null without an exception: not a case for this function.
PyObject* call_dot_quickly(const operation_object& self, PyObject* args) {
  monofold_result result;
  return self.quickest->dot(PyTuple_GetItem(args, 0), PyTuple_GetItem(args, 1), result)
             ? value_of(self.code(), result)
             : nullptr;
}

PyObject* call_quickly(const operation_object& self, PyObject* args, PyObject* keywords) {
  const Py_ssize_t count = PyTuple_Size(args);
  if (self.code() == MONOFOLD_DOT) {
    return keywords == nullptr && count == 2 ? call_dot_quickly(self, args) : nullptr;
  }
  return keywords == nullptr && count == 1 ? call_quickly(self, PyTuple_GetItem(args, 0))
                                           : call_rows_quickly(self, args, keywords);
}

PyObject* call(PyObject* object, PyObject* args, PyObject* keywords) {
  const auto& self = *reinterpret_cast<operation_object*>(object);
  PyObject* quick = call_quickly(self, args, keywords);
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
    self.told = PyDict_New();
    if (self.told == nullptr) {
      Py_DECREF(object);
      return nullptr;
    }
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
  Py_XDECREF(reinterpret_cast<operation_object*>(object)->told);
  reinterpret_cast<freefunc>(PyType_GetSlot(type, Py_tp_free))(object);
  Py_DECREF(type);
}

int initialize(PyObject*, PyObject*, PyObject*) { return 0; }

/// Tells a type that a call may name: its codes by those of items, each one more.
bool tell(PyObject* told, PyObject* dtype, int items, int answers) {
  std::array<char, MONOFOLD_FLOAT64 + 1> codes{};
  if (PyObject* const before = PyDict_GetItemWithError(told, dtype); before != nullptr) {
    std::memcpy(codes.data(), PyBytes_AsString(before), codes.size());
  } else if (PyErr_Occurred() != nullptr) {
    PyErr_Clear();  // what has no hash is looked at each time
    return true;
  }
  codes[static_cast<std::size_t>(items)] = static_cast<char>(answers + 1);
  PyObject* const now = PyBytes_FromStringAndSize(codes.data(), codes.size());
  const bool is_told = now != nullptr && PyDict_SetItem(told, dtype, now) == 0;
  Py_XDECREF(now);
  return is_told;
}

/// What types answers along axes have, by the rules or where a call names one: (of items, of answers[, the name]).
PyObject* set_row_type(PyObject* object, PyObject* types) {
  int items = 0, answers = 0;
  PyObject* dtype = nullptr;
  if (!PyArg_ParseTuple(types, "ii|O", &items, &answers, &dtype)) return nullptr;
  const auto& self = *reinterpret_cast<operation_object*>(object);
  if (dtype == nullptr) {
    self.rows->tell(items, answers);
  } else if (!tell(self.told, dtype, items, answers)) {
    return nullptr;
  }
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
  keepdims_name = PyUnicode_InternFromString("keepdims");
  dtype_name = PyUnicode_InternFromString("dtype");
  out_name = PyUnicode_InternFromString("out");
  core.attr("operation") = nb::steal(PyType_FromSpec(&spec));
}

}  // namespace monofold::python
