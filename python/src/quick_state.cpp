#include "python/src/quick_state.hpp"

#include <nanobind/stl/unique_ptr.h>
#include <structmember.h>

#include <array>
#include <cstring>
#include <optional>
#include <string>

#include "python/src/quick_call.hpp"
#include "python/src/quick_push.hpp"
#include "python/src/state.hpp"

namespace monofold::python {

bool state::try_push(const void* items, std::int64_t count) noexcept {
  const free_turn turn(busy_);
  return turn && has_room(count) &&
         monofold_state_push(own_.get(), items, count, MONOFOLD_HOST) == MONOFOLD_OK;
}

/// The turns of two states, which may be one.
struct state::both_turns {
  both_turns(const state& one, const state& two) : first(one.busy_) {
    if (&one != &two) second.emplace(two.busy_);
  }
  explicit operator bool() const { return first && (!second || *second); }

  free_turn first;
  std::optional<free_turn> second{};
};

bool state::try_join(const state& next, join_call* join) noexcept {
  const both_turns turns(*this, next);
  return turns && join(own_.get(), next.settled()) == MONOFOLD_OK;
}

bool state::try_compare(const state& other, bool& are_equal) const noexcept {
  std::int32_t found = 0;
  const both_turns turns(*this, other);
  if (!turns || monofold_state_equal(settled(), other.settled(), &found) != MONOFOLD_OK) {
    return false;
  }
  are_equal = found != 0;
  return true;
}

bool state::try_answer(monofold_result& result) const noexcept {
  const free_turn turn(busy_);
  return turn && monofold_state_result(settled(), 0, &result) == MONOFOLD_OK;
}

bool state::try_digest(unsigned char* receipt) const noexcept {
  const free_turn turn(busy_);
  return turn && monofold_state_digest(settled(), receipt) == MONOFOLD_OK;
}

PyObject* state::try_save() const noexcept {
  const free_turn turn(busy_);
  if (!turn) return nullptr;
  std::size_t size = 0;
  PyObject* const made = PyBytes_FromStringAndSize(nullptr, static_cast<Py_ssize_t>(saved_bytes_));
  if (made == nullptr) return nullptr;
  const monofold_status how =
      monofold_state_save(settled(), PyBytes_AsString(made), saved_bytes_, &size);
  if (how == MONOFOLD_OK && size == saved_bytes_) return made;
  Py_DECREF(made);
  if (how == MONOFOLD_OK) saved_bytes_ = size;  // for the next time
  return nullptr;
}

namespace {

/// What a fold has states do.
struct fold_facts {
  bool takes_pairs;
  bool is_plain;
  monofold_operation only;  // whose number is the answer; -1: the answer is something else
};

/// What an instance of State holds. No class of nanobind's: methods find all of it at once.
struct running_object {
  PyObject_HEAD PyObject* core;  // which has `own`; null: not yet, as `own` and `fold`
  PyObject* fold;
  // Those that it had before: other threads may be at work with them. Or null.
  PyObject* before;
  state* own;
  monofold_dtype dtype;
  fold_facts facts;
};

running_object& running_of(PyObject* object) { return *reinterpret_cast<running_object*>(object); }

PyTypeObject* state_type = nullptr;  // monofold.State; it stays

PyObject *codes_name = nullptr, *alone_name = nullptr, *plain_name = nullptr;

/// Whether an attribute is true; -1: an exception.
int is_true(PyObject* object, PyObject* name) {
  const nb::object found = nb::steal(PyObject_GetAttr(object, name));
  return found.is_valid() ? PyObject_IsTrue(found.ptr()) : -1;
}

/// Whether they are known; else there is an exception.
bool look_at_fold(PyObject* fold, fold_facts& out) {
  const nb::object codes = nb::steal(PyObject_GetAttr(fold, codes_name));
  PyObject* const first = codes.is_valid() ? PyTuple_GetItem(codes.ptr(), 0) : nullptr;
  const long code = first != nullptr ? PyLong_AsLong(first) : -1;
  const int is_alone = first != nullptr ? is_true(fold, alone_name) : -1;
  const int is_plain = is_alone >= 0 ? is_true(fold, plain_name) : -1;
  const bool is_number = code != MONOFOLD_TOP && code != MONOFOLD_BOTTOM;
  out = {code == MONOFOLD_DOT, is_plain == 1,
         is_alone == 1 && is_number ? static_cast<monofold_operation>(code) : -1};
  return PyErr_Occurred() == nullptr;
}

/// Gives an object all that it is; false: an exception.
bool set_all(running_object& self, PyObject* fold, int dtype, PyObject* core, state* own) {
  fold_facts facts{};
  if (!look_at_fold(fold, facts)) return false;
  PyObject* kept = nullptr;
  if (self.core != nullptr) {
    PyObject* const older = self.before != nullptr ? self.before : Py_None;
    kept = PyTuple_Pack(3, self.core, self.fold, older);
    if (kept == nullptr) return false;
  }
  Py_INCREF(fold);
  Py_INCREF(core);
  const std::array<PyObject*, 3> old{self.core, self.fold, self.before};
  self.core = core;
  self.fold = fold;
  self.before = kept;
  self.own = own;
  self.dtype = static_cast<monofold_dtype>(dtype);
  self.facts = facts;
  for (PyObject* const one : old) Py_XDECREF(one);  // which `kept` keeps
  return true;
}

/// (fold, dtype, core): all that a state is.
PyObject* hold_core(PyObject* object, PyObject* args) {
  PyObject *fold = nullptr, *core = nullptr;
  int dtype = 0;
  if (!PyArg_ParseTuple(args, "OiO", &fold, &dtype, &core)) return nullptr;
  state* own = nullptr;
  if (!nb::try_cast<state*>(nb::handle(core), own) || own == nullptr)
    return PyErr_Format(PyExc_TypeError, "not a state of the core");
  if (!set_all(running_of(object), fold, dtype, core, own)) return nullptr;
  Py_RETURN_NONE;
}

void destroy_running(PyObject* object) {
  PyTypeObject* const type = Py_TYPE(object);
  running_object& self = running_of(object);
  Py_XDECREF(self.core);
  Py_XDECREF(self.fold);
  Py_XDECREF(self.before);
  reinterpret_cast<freefunc>(PyType_GetSlot(type, Py_tp_free))(object);
  Py_DECREF(type);
}

PyObject* get_fold(PyObject* object, void*) {
  PyObject* const found = running_of(object).fold;
  return found != nullptr ? Py_NewRef(found) : PyErr_Format(PyExc_AttributeError, "_fold");
}

PyObject* get_code(PyObject* object, void*) {
  const running_object& self = running_of(object);
  return self.core != nullptr ? PyLong_FromLong(self.dtype)
                              : PyErr_Format(PyExc_AttributeError, "_code");
}

int change_fold(PyObject* object, PyObject* fold, void*) {
  running_object& self = running_of(object);
  if (fold != nullptr && self.core != nullptr)
    return set_all(self, fold, self.dtype, self.core, self.own) ? 0 : -1;
  PyErr_SetString(PyExc_AttributeError, "_fold");
  return -1;
}

// The methods, and what they call for all but the quick cases.
enum method {
  do_push,
  do_merge,
  do_append,
  do_subtract,
  do_finish,
  do_digest,
  do_copy,
  do_bytes,
  do_equal,
  num_methods
};
std::array<PyObject*, num_methods> slow{};

/// A call of the method in Python.
PyObject* call_slow(method which, PyObject* self, PyObject* const* args, Py_ssize_t count,
                    PyObject* names) {
  PyObject* const function = slow[which];
  if (count == 0 && names == nullptr) return PyObject_CallFunctionObjArgs(function, self, nullptr);
  if (count == 1 && names == nullptr)
    return PyObject_CallFunctionObjArgs(function, self, args[0], nullptr);
  const nb::object all = nb::steal(PyTuple_New(count + 1));
  const nb::object named = nb::steal(names != nullptr ? PyDict_New() : nullptr);
  if (!all.is_valid() || (names != nullptr && !named.is_valid())) return nullptr;
  PyTuple_SetItem(all.ptr(), 0, Py_NewRef(self));
  for (Py_ssize_t i = 0; i < count; ++i) PyTuple_SetItem(all.ptr(), i + 1, Py_NewRef(args[i]));
  const Py_ssize_t num_named = names != nullptr ? PyTuple_Size(names) : 0;
  for (Py_ssize_t i = 0; i < num_named; ++i) {
    if (PyDict_SetItem(named.ptr(), PyTuple_GetItem(names, i), args[count + i]) != 0)
      return nullptr;
  }
  return PyObject_Call(function, all.ptr(), named.ptr());
}

PyObject* push(PyObject* self, PyObject* const* args, Py_ssize_t count, PyObject* names) {
  const running_object& own = running_of(self);
  if (count == 1 && names == nullptr && own.own != nullptr && !own.facts.takes_pairs &&
      push_few(*own.own, own.dtype, args[0])) {
    return Py_NewRef(self);
  }
  if (PyErr_Occurred() != nullptr) return nullptr;
  return call_slow(do_push, self, args, count, names);
}

/// Two states of one type and fold.
bool are_alike(const running_object& one, const running_object& two) {
  return one.own != nullptr && two.own != nullptr && one.fold == two.fold && one.dtype == two.dtype;
}

template <method which, state::join_call* join>
PyObject* joined(PyObject* object, PyObject* const* args, Py_ssize_t count, PyObject* names) {
  if (count == 1 && names == nullptr && PyObject_TypeCheck(args[0], state_type)) {
    const running_object &self = running_of(object), &other = running_of(args[0]);
    if (are_alike(self, other) && self.own->try_join(*other.own, join)) return Py_NewRef(object);
  }
  return call_slow(which, object, args, count, names);
}

PyObject* finish(PyObject* object, PyObject*) {
  const running_object& self = running_of(object);
  monofold_result result{};
  if (self.own != nullptr && self.facts.only >= 0 && self.own->try_answer(result)) {
    return value_of(self.facts.only, result);
  }
  return call_slow(do_finish, object, nullptr, 0, nullptr);
}

PyObject* digest(PyObject* object, PyObject*) {
  const running_object& self = running_of(object);
  unsigned char receipt[32];
  if (self.own != nullptr && !self.facts.is_plain && self.own->try_digest(receipt)) {
    return PyBytes_FromStringAndSize(reinterpret_cast<const char*>(receipt), sizeof receipt);
  }
  return call_slow(do_digest, object, nullptr, 0, nullptr);
}

PyObject* save(PyObject* object, PyObject*) {
  const running_object& self = running_of(object);
  if (self.own != nullptr) {
    if (PyObject* const made = self.own->try_save()) return made;
    if (PyErr_Occurred() != nullptr) return nullptr;
  }
  return call_slow(do_bytes, object, nullptr, 0, nullptr);
}

/// Another state of State's own type, which is made of the same.
PyObject* copied(const running_object& self) {
  try {
    const nb::object core = nb::cast(self.own->copy());
    PyObject* const made = PyType_GenericAlloc(state_type, 0);
    if (made == nullptr) return nullptr;
    running_object& out = running_of(made);
    out.dtype = self.dtype;
    out.facts = self.facts;
    out.fold = Py_NewRef(self.fold);
    out.core = Py_NewRef(core.ptr());
    out.own = nb::inst_ptr<state>(core);
    return made;
  } catch (...) {
    PyErr_Clear();
    return nullptr;
  }
}

PyObject* copy(PyObject* object, PyObject*) {
  const running_object& self = running_of(object);
  if (self.own != nullptr && Py_TYPE(object) == state_type) {
    if (PyObject* const made = copied(self)) return made;
    if (PyErr_Occurred() != nullptr) return nullptr;
  }
  return call_slow(do_copy, object, nullptr, 0, nullptr);
}

PyObject* equal(PyObject* object, PyObject* const* args, Py_ssize_t count, PyObject* names) {
  if (count == 1 && names == nullptr && Py_TYPE(object) == state_type &&
      Py_TYPE(args[0]) == state_type) {
    const running_object &self = running_of(object), &other = running_of(args[0]);
    bool are_equal = false;
    if (self.own != nullptr && other.own != nullptr &&
        self.own->try_compare(*other.own, are_equal)) {
      return PyBool_FromLong(are_equal ? 1 : 0);
    }
  }
  return call_slow(do_equal, object, args, count, names);
}

template <class Function>
PyMethodDef method_of(const char* name, Function* function, int flags) {
  return {name, reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(function)), flags, nullptr};
}

constexpr int with_arguments = METH_FASTCALL | METH_KEYWORDS;
std::array<PyMethodDef, num_methods> methods{
    method_of("push", push, with_arguments),
    method_of("merge", joined<do_merge, monofold_state_merge>, with_arguments),
    method_of("append", joined<do_append, monofold_state_append>, with_arguments),
    method_of("subtract", joined<do_subtract, monofold_state_subtract>, with_arguments),
    method_of("finish", finish, METH_NOARGS),
    method_of("digest", digest, METH_NOARGS),
    method_of("copy", copy, METH_NOARGS),
    method_of("__bytes__", save, METH_NOARGS),
    method_of("__eq__", equal, with_arguments)};

/// The quick method for one of State's, with its signature and docstring.
nb::object quicken(nb::type_object type, const char* name, const char* document, nb::object own) {
  static std::array<std::string, num_methods> documents;
  for (std::size_t i = 0; i < methods.size(); ++i) {
    if (std::strcmp(methods[i].ml_name, name) != 0) continue;
    documents[i] = document;
    methods[i].ml_doc = documents[i].c_str();
    slow[i] = own.inc_ref().ptr();
    state_type = reinterpret_cast<PyTypeObject*>(type.inc_ref().ptr());
    return nb::steal(PyDescr_NewMethod(state_type, &methods[i]));
  }
  throw nb::key_error(name);
}

}  // namespace

void bind_quick_state(nb::module_& core) {
  static PyMethodDef own_methods[] = {{"_hold", hold_core, METH_VARARGS, nullptr},
                                      {nullptr, nullptr, 0, nullptr}};
  static PyMemberDef members[] = {
      {"_core", T_OBJECT_EX, offsetof(running_object, core), READONLY, nullptr},
      {nullptr, 0, 0, 0, nullptr}};
  static PyGetSetDef attributes[] = {{"_fold", get_fold, change_fold, nullptr, nullptr},
                                     {"_code", get_code, nullptr, nullptr, nullptr},
                                     {nullptr, nullptr, nullptr, nullptr, nullptr}};
  static PyType_Slot slots[] = {{Py_tp_dealloc, reinterpret_cast<void*>(destroy_running)},
                                {Py_tp_methods, own_methods},
                                {Py_tp_members, members},
                                {Py_tp_getset, attributes},
                                {0, nullptr}};
  static PyType_Spec spec = {"monofold._core.running", sizeof(running_object), 0,
                             Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots};
  codes_name = PyUnicode_InternFromString("codes");
  alone_name = PyUnicode_InternFromString("is_alone");
  plain_name = PyUnicode_InternFromString("plain");
  core.attr("running") = nb::steal(PyType_FromSpec(&spec));
  core.def("quicken", &quicken);
  bind_quick_push(core);
}

}  // namespace monofold::python
