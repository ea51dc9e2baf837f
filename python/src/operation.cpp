#include "python/src/operation.hpp"

#include <array>
#include <cstring>
#include <new>

#include "monofold/monofold.h"
#include "python/src/quick_arrays.hpp"
#include "python/src/quick_call.hpp"
#include "python/src/quick_parts.hpp"
#include "python/src/quick_rows.hpp"

namespace monofold::python {

namespace {

/// An operation as Python calls it: made once, read by every call.
struct operation_object {
  PyObject_HEAD quick_call* quickest;
  row_types* rows;
  PyObject*
      told;  // what a call may name as a type of answers: by the code of items, the code it stands for
  PyObject* others;  // by the name of an option and its value, this operation with it

  monofold_operation code() const { return quickest->code(0); }
  bool is_ranked() const { return code() == MONOFOLD_TOP || code() == MONOFOLD_BOTTOM; }
  /// One number or place for each row.
  bool fills_rows() const { return !is_ranked() && code() != MONOFOLD_DOT && !is_pair(code()); }
};

const operation_object& operation_of(PyObject* object) {
  return *reinterpret_cast<const operation_object*>(object);
}

// The type itself, and names; they stay.
PyObject* operation_type = nullptr;
PyObject* slow_name = nullptr;
PyObject* axis_name = nullptr;
PyObject* keepdims_name = nullptr;
PyObject* dtype_name = nullptr;
PyObject* out_name = nullptr;
PyObject* where_name = nullptr;
PyObject* k_name = nullptr;
PyObject* nan_name = nullptr;

/// What stands in a call beside its array. Null: nothing.
struct asked_call {
  explicit asked_call(PyObject* operation) : kept(nb::borrow(operation)) {}

  const operation_object& own() const { return operation_of(kept.ptr()); }

  nb::object kept;  // the operation with the call's options, which another thread may tell anew
  asked_rows rows{};
  PyObject* dtype = nullptr;

  bool has_axis() const { return rows.axis != nullptr && rows.axis != Py_None; }
  bool says_more() const { return rows.keepdims || dtype != nullptr || rows.out != nullptr; }
};

/// Takes the operation with one option more; false: none was told.
bool take_option(asked_call& asked, PyObject* name, PyObject* value) {
  if (value == Py_None) return name == nan_name;  // which every operation has
  if (!PyLong_CheckExact(value) && !PyUnicode_CheckExact(value)) return false;
  PyObject* const values = PyDict_GetItemWithError(asked.own().others, name);
  PyObject* const other = values != nullptr ? PyDict_GetItemWithError(values, value) : nullptr;
  if (other == nullptr) return false;
  asked.kept = nb::borrow(other);
  return true;
}

PyObject* unless_none(PyObject* value) { return value == Py_None ? nullptr : value; }

/// False: what needs the long way.
bool read_call(PyObject* args, PyObject* keywords, asked_call& asked) {
  const Py_ssize_t count = PyTuple_Size(args);
  if (count == 0 || count > 2) return false;
  const bool has_k = asked.own().is_ranked();
  if (count == 2 && has_k && !take_option(asked, k_name, PyTuple_GetItem(args, 1))) return false;
  if (count == 2 && !has_k) asked.rows.axis = PyTuple_GetItem(args, 1);
  if (keywords == nullptr) return true;
  PyObject *key = nullptr, *value = nullptr;
  Py_ssize_t place = 0;
  // Names in a call's text are interned, as ours are; others take the long way.
  while (PyDict_Next(keywords, &place, &key, &value) != 0) {
    if (key == axis_name && asked.rows.axis == nullptr) {
      asked.rows.axis = value;
    } else if (key == keepdims_name && PyBool_Check(value)) {
      asked.rows.keepdims = value == Py_True;
    } else if (key == dtype_name) {
      asked.dtype = unless_none(value);
    } else if (key == out_name) {
      asked.rows.out = unless_none(value);
    } else if (key == where_name) {
      asked.rows.where = unless_none(value);
    } else if (!take_option(asked, key, value)) {
      return false;
    }
  }
  return true;
}

/// The answer for a packed array; null without an exception: not a case for this function.
PyObject* call_quickly(const operation_object& self, PyObject* array) {
  if (self.is_ranked()) return self.quickest->best(array);
  monofold_result result;
  return self.quickest->answer(array, &result) ? value_of(self.code(), result) : nullptr;
}

/// What was told of a type that a call names; null: nothing.
const char* told_of(const operation_object& self, PyObject* dtype) {
  PyObject* const codes = PyDict_GetItemWithError(self.told, dtype);
  if (codes == nullptr) PyErr_Clear();  // what has no hash
  return codes == nullptr ? nullptr : PyBytes_AsString(codes);
}

/// Finds the type that a call names, or its `out` has; false: not told.
bool find_named_type(const operation_object& self, asked_call& asked) {
  const bool are_places = row_arrays::gives_places(self.code());
  if (asked.dtype != nullptr) {
    asked.rows.told = are_places ? nullptr : told_of(self, asked.dtype);
    return asked.rows.told != nullptr;
  }
  if (asked.rows.out == nullptr || are_places) return true;
  PyObject* const own = PyObject_GetAttr(asked.rows.out, dtype_name);
  if (own == nullptr) return false;
  asked.rows.told = told_of(self, own);
  Py_DECREF(own);
  return asked.rows.told != nullptr;
}

/// As asked; null without an exception: not a case for this function.
PyObject* call_as_asked(asked_call& asked, PyObject* array) {
  const operation_object& self = asked.own();
  const bool is_whole = !asked.has_axis() && !asked.says_more();
  PyObject* const where = asked.rows.where;
  if (where != nullptr && !(is_of_packed_type(array) && is_of_packed_type(where))) return nullptr;
  if (is_whole && where != nullptr) {
    monofold_result result;
    const bool is_answered =
        !self.is_ranked() && self.quickest->answer_marked(array, where, result);
    return is_answered ? value_of(self.code(), result) : nullptr;
  }
  if (is_whole) return call_quickly(self, array);
  if (!self.fills_rows()) return nullptr;
  if (!is_of_packed_type(array)) {
    if (asked.says_more()) return nullptr;
    return reduce_rows_there(*self.quickest, *self.rows, array, asked.rows.axis);
  }
  if (asked.rows.out != nullptr && !is_of_packed_type(asked.rows.out)) return nullptr;
  if (!find_named_type(self, asked)) return nullptr;
  return reduce_rows_quickly(*self.quickest, *self.rows, array, asked.rows);
}

PyObject* call_quickly(PyObject* object, PyObject* args, PyObject* keywords) {
  const operation_object& self = operation_of(object);
  const Py_ssize_t count = PyTuple_Size(args);
  if (self.code() == MONOFOLD_DOT) {
    monofold_result result;
    const bool is_answered =
        keywords == nullptr && count == 2 &&
        self.quickest->dot(PyTuple_GetItem(args, 0), PyTuple_GetItem(args, 1), result);
    return is_answered ? value_of(self.code(), result) : nullptr;
  }
  if (keywords == nullptr && count == 1) return call_quickly(self, PyTuple_GetItem(args, 0));
  asked_call asked(object);
  return read_call(args, keywords, asked) ? call_as_asked(asked, PyTuple_GetItem(args, 0))
                                          : nullptr;
}

PyObject* call(PyObject* object, PyObject* args, PyObject* keywords) {
  PyObject* quick = call_quickly(object, args, keywords);
  if (quick != nullptr || PyErr_Occurred()) return quick;
  PyObject* slow = PyObject_GetAttr(object, slow_name);
  if (slow == nullptr) return nullptr;
  PyObject* answer = PyObject_Call(slow, args, keywords);
  Py_DECREF(slow);
  return answer;
}

PyObject* or_none(PyObject* answer) {
  return answer != nullptr || PyErr_Occurred() != nullptr ? answer : Py_NewRef(Py_None);
}

/// Calls quickly(operation, told of the type that is named) and gives its answer, or None.
template <class Quickly>
PyObject* answer_parts(PyObject* fold, PyObject* dtype, PyObject* nan, const Quickly& quickly) {
  const bool is_operation =
      PyType_IsSubtype(Py_TYPE(fold), reinterpret_cast<PyTypeObject*>(operation_type)) != 0;
  if (!is_operation || nan != Py_None) Py_RETURN_NONE;
  const operation_object& self = operation_of(fold);
  const bool is_named = dtype != Py_None;
  const char* const named = is_named ? told_of(self, dtype) : nullptr;
  const bool can = self.fills_rows() && (!is_named || named != nullptr) &&
                   !(is_named && row_arrays::gives_places(self.code()));
  return or_none(can ? quickly(self, named) : nullptr);
}

PyObject* refuse_count(Py_ssize_t count) {
  return PyErr_Format(PyExc_TypeError, "not %zd arguments", count);
}

/// Whether this names the only axis of an array.
bool is_only_axis(PyObject* axis) {
  if (!PyLong_CheckExact(axis)) return false;
  int is_beyond = 0;
  const long place = PyLong_AsLongAndOverflow(axis, &is_beyond);
  return is_beyond == 0 && (place == 0 || place == -1);
}

/// (array, fold, offsets, starts, stops, dtype, nan); None: not quickly.
PyObject* segments(PyObject*, PyObject* const* args, Py_ssize_t count) {
  if (count != 7) return refuse_count(count);
  return answer_parts(args[1], args[5], args[6], [&](const auto& self, const char* named) {
    return reduce_segments_quickly(*self.quickest, *self.rows, named, args[0],
                                   {args[2], args[3], args[4]});
  });
}

/// (array, window, fold, axis, dtype, nan); None: not quickly.
PyObject* rolling(PyObject*, PyObject* const* args, Py_ssize_t count) {
  if (count != 6) return refuse_count(count);
  return answer_parts(args[2], args[4], args[5], [&](const auto& self, const char* named) {
    return is_only_axis(args[3])
               ? reduce_windows_quickly(*self.quickest, *self.rows, named, args[0], args[1])
               : nullptr;
  });
}

/// (array, fold, axis, dtype, nan, include_initial); None: not quickly.
PyObject* scan(PyObject*, PyObject* const* args, Py_ssize_t count) {
  if (count != 6) return refuse_count(count);
  const bool is_plain = args[5] == Py_False && (args[2] == Py_None || is_only_axis(args[2]));
  return answer_parts(args[1], args[3], args[4], [&](const auto& self, const char* named) {
    return is_plain ? scan_quickly(*self.quickest, *self.rows, named, args[0]) : nullptr;
  });
}

PyObject* make(PyTypeObject* type, PyObject* args, PyObject* keywords) {
  static const char* names[] = {"code", "plain", "nan", "ddof", "k", nullptr};
  int code = 0, plain = 0, nan = 0;
  long long ddof = 0, k = 0;
  if (!PyArg_ParseTupleAndKeywords(args, keywords, "ipiLL", const_cast<char**>(names), &code,
                                   &plain, &nan, &ddof, &k)) {
    return nullptr;
  }
  const auto allocate = reinterpret_cast<allocfunc>(PyType_GetSlot(type, Py_tp_alloc));
  PyObject* object = allocate(type, 0);
  if (object == nullptr) return nullptr;
  auto& self = *reinterpret_cast<operation_object*>(object);
  monofold_options options = MONOFOLD_OPTIONS_INIT;
  options.plain = plain;
  options.nan = nan;
  options.ddof = ddof;
  options.k = k;
  try {
    self.quickest = new quick_call({code}, options);
    self.rows = new row_types;
    self.told = PyDict_New();
    self.others = PyDict_New();
    if (self.told != nullptr && self.others != nullptr) return object;
  } catch (const std::bad_alloc&) {
    PyErr_NoMemory();
  }
  Py_DECREF(object);
  return nullptr;
}

void destroy(PyObject* object) {
  PyTypeObject* type = Py_TYPE(object);
  const operation_object& self = operation_of(object);
  delete self.quickest;
  delete self.rows;
  Py_XDECREF(self.told);
  Py_XDECREF(self.others);
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
  const operation_object& self = operation_of(object);
  if (dtype == nullptr) {
    self.rows->tell(items, answers);
  } else if (!tell(self.told, dtype, items, answers)) {
    return nullptr;
  }
  Py_RETURN_NONE;
}

/// Tells this operation with one option more: (its name, its value, the other one).
PyObject* set_other(PyObject* object, PyObject* args) {
  constexpr Py_ssize_t most_told = 64;
  PyObject *name = nullptr, *value = nullptr, *other = nullptr;
  if (!PyArg_ParseTuple(args, "OOO!", &name, &value, operation_type, &other)) return nullptr;
  PyObject* const others = operation_of(object).others;
  PyObject* values = PyDict_GetItemWithError(others, name);
  if (values == nullptr) {
    if (PyErr_Occurred() != nullptr) return nullptr;
    PyObject* const made = PyDict_New();
    const bool is_kept = made != nullptr && PyDict_SetItem(others, name, made) == 0;
    Py_XDECREF(made);
    if (!is_kept) return nullptr;
    values = made;  // which `others` keeps
  }
  if (PyDict_Size(values) < most_told && PyDict_SetItem(values, value, other) != 0) return nullptr;
  Py_RETURN_NONE;
}

}  // namespace

void bind_operation(nb::module_& core) {
  const auto fast = [](auto* function) {
    return reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(function));
  };
  static PyMethodDef methods[] = {{"_set_row_type", set_row_type, METH_VARARGS, nullptr},
                                  {"_set_other", set_other, METH_VARARGS, nullptr},
                                  {nullptr, nullptr, 0, nullptr}};
  static PyMethodDef functions[] = {
      {"reduce_segments_quickly", fast(segments), METH_FASTCALL, nullptr},
      {"roll_quickly", fast(rolling), METH_FASTCALL, nullptr},
      {"scan_quickly", fast(scan), METH_FASTCALL, nullptr},
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
  where_name = PyUnicode_InternFromString("where");
  k_name = PyUnicode_InternFromString("k");
  nan_name = PyUnicode_InternFromString("nan");
  operation_type = PyType_FromSpec(&spec);
  core.attr("operation") = nb::borrow(operation_type);
  PyModule_AddFunctions(core.ptr(), functions);
}

}  // namespace monofold::python
