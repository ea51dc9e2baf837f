#include "python/src/quick_call.hpp"

#include <nanobind/stl/vector.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <exception>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "python/src/answers.hpp"
#include "python/src/array.hpp"
#include "python/src/exact_double.hpp"
#include "python/src/few_items.hpp"
#include "python/src/gather.hpp"
#include "python/src/quick_arrays.hpp"
#include "runtime/c_boundary.hpp"
#include "runtime/typed_answers.hpp"

namespace monofold::python {

namespace {

// Holds for every call from now on; any thread's.
std::atomic<std::int32_t> num_threads{0};

PyObject* best_type = nullptr;  // monofold.TopK; it stays

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
  if (is_pair(code)) {
    return Py_BuildValue("(NN)", number_of(result.value), number_of(result.second));
  }
  return number_of(result.value);
}

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

/// Answers for items next to each other.
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

namespace {

/// Calls use(a, b) with the items of two arrays of NumPy's of one shape, and of few items.
template <class Use>
bool with_few_pairs(PyObject* left, PyObject* right, const Use& use) {
  return with_items_of(left, [&](const packed_items& a, const Py_buffer& of_a) {
    return a.count < items_without_lock &&
           with_items_of(right, [&](const packed_items& b, const Py_buffer& of_b) {
             return std::equal(of_a.shape, of_a.shape + of_a.ndim, of_b.shape,
                               of_b.shape + of_b.ndim) &&
                    use(a, b);
           });
  });
}

}  // namespace

bool quick_call::answer_marked(PyObject* array, PyObject* mask, monofold_result& result) {
  return with_few_pairs(array, mask, [&](const packed_items& items, const packed_items& marks) {
    if (marks.dtype != MONOFOLD_BOOL) return false;
    alignas(8) char kept[items_without_lock * 8];
    const std::int64_t bytes = bytes_of(items.dtype);
    std::memcpy(kept, items.data, static_cast<std::size_t>(items.count * bytes));
    const auto* const bits = static_cast<const char*>(marks.data);
    const std::int64_t count = keep_marked(kept, bytes, bits, items.count);
    if (!short_.reduce(kept, items.dtype, count, &result)) return false;
    if (result.index >= 0) result.index = place_in(bits, result.index);
    return true;
  });
}

bool quick_call::dot(PyObject* left, PyObject* right, monofold_result& result) {
  return with_few_pairs(left, right, [&](const packed_items& a, const packed_items& b) {
    return a.dtype == b.dtype && short_.dot(a.data, b.data, a.dtype, a.count, result);
  });
}

namespace {

/// One of a type that typing.NamedTuple made, as its `_make` makes it, without a line of Python's. The values are used
/// up; null: an exception.
PyObject* named_tuple(PyObject* type, PyObject* values) {
  static const auto make = reinterpret_cast<newfunc>(PyType_GetSlot(&PyTuple_Type, Py_tp_new));
  PyObject* const given = values != nullptr ? PyTuple_Pack(1, values) : nullptr;
  PyObject* const made =
      given != nullptr ? make(reinterpret_cast<PyTypeObject*>(type), given, nullptr) : nullptr;
  Py_XDECREF(given);
  Py_XDECREF(values);
  return made;
}

/// A monofold.TopK of k values of a type and their indices, which these two fill; null: one did not, or an exception.
template <class FillValues, class FillIndices>
PyObject* best_of(std::int64_t k, monofold_dtype dtype, const FillValues& fill_values,
                  const FillIndices& fill_indices) {
  PyObject* const values = filled_array(&k, 1, dtype, fill_values);
  if (values == nullptr) return nullptr;
  PyObject* const indices = filled_array(&k, 1, MONOFOLD_INT64, [&](void* to) {
    return fill_indices(static_cast<std::int64_t*>(to));
  });
  PyObject* const made =
      indices != nullptr ? named_tuple(best_type, PyTuple_Pack(2, values, indices)) : nullptr;
  Py_DECREF(values);
  Py_XDECREF(indices);
  return made;
}

}  // namespace

PyObject* quick_call::best(PyObject* array) {
  PyObject* made = nullptr;
  with_items_of(array, [&](const packed_items& items, const Py_buffer&) {
    made = best_of_few(items);
    if (made != nullptr || PyErr_Occurred() != nullptr) return made != nullptr;
    runtime::answer best{};
    if (items.count >= items_without_lock ||
        !short_.rank(items.data, items.dtype, items.count, best)) {
      return false;
    }
    const auto k = static_cast<std::int64_t>(best.indices.size());
    const auto type = static_cast<monofold::dtype>(items.dtype);
    const auto store = [&](const runtime::typed_arrays& to) {
      return runtime::c_boundary::guarded(
          [&] { return static_cast<monofold_status>(runtime::store_typed(to, 0, best)); });
    };
    made = best_of(
        k, items.dtype,
        [&](void* to) {
          return store({type, to, nullptr, nullptr, k});
        },
        [&](std::int64_t* to) {
          return store({type, nullptr, nullptr, to, k});
        });
    return made != nullptr;
  });
  return made;
}

PyObject* quick_call::best_of_few(const packed_items& items) {
  const std::int64_t k = short_.options().k;
  std::int64_t places[most_ranked];
  if (k > items.count || items.count > most_ranked ||
      !rank_few(items.data, items.dtype, items.count, k, code(0) == MONOFOLD_TOP, places)) {
    return nullptr;
  }
  const auto bytes = static_cast<std::size_t>(bytes_of(items.dtype));
  const auto fill_values = [&](void* to) {
    const auto* const from = static_cast<const char*>(items.data);
    for (std::int64_t i = 0; i < k; ++i) {
      std::memcpy(static_cast<char*>(to) + static_cast<std::size_t>(i) * bytes,
                  from + static_cast<std::size_t>(places[i]) * bytes, bytes);
    }
    return MONOFOLD_OK;
  };
  return best_of(k, items.dtype, fill_values, [&](std::int64_t* to) {
    std::copy_n(places, k, to);
    return MONOFOLD_OK;
  });
}

namespace {

/// Several operations on packed arrays, as Python calls them. No class of nanobind's: folds that live as long as the
/// process keep some, which it would report.
struct several_object {
  PyObject_HEAD quick_call* own;
  PyObject* type;  // that named answers are of; null: they are a tuple
  std::array<unsigned char, quick_call::most_ops> places;  // where among them each answer goes
};

/// (codes, options[, a type of typing.NamedTuple, places])
PyObject* make_several(PyTypeObject* type, PyObject* args, PyObject*) {
  PyObject *codes = nullptr, *options = nullptr, *named = nullptr, *places = nullptr;
  if (!PyArg_ParseTuple(args, "OO|OO", &codes, &options, &named, &places)) return nullptr;
  try {
    auto own =
        std::make_unique<quick_call>(nb::cast<std::vector<monofold_operation>>(nb::handle(codes)),
                                     nb::cast<const how&>(nb::handle(options)).options);
    std::array<unsigned char, quick_call::most_ops> order{};
    std::iota(order.begin(), order.end(), static_cast<unsigned char>(0));
    if (places != nullptr) {
      const auto told = nb::cast<std::vector<unsigned char>>(nb::handle(places));
      const auto is_none = [&](unsigned char place) { return place >= own->num_ops(); };
      if (told.size() != own->num_ops() || std::any_of(told.begin(), told.end(), is_none))
        throw std::invalid_argument("places");
      std::copy(told.begin(), told.end(), order.begin());
    }
    const auto allocate = reinterpret_cast<allocfunc>(PyType_GetSlot(type, Py_tp_alloc));
    PyObject* const made = allocate(type, 0);
    if (made == nullptr) return nullptr;
    auto& self = *reinterpret_cast<several_object*>(made);
    self.own = own.release();
    self.type = Py_XNewRef(named);
    self.places = order;
    return made;
  } catch (const std::exception& wrong) {
    return PyErr_Format(PyExc_ValueError, "operations: %s", wrong.what());
  }
}

void destroy_several(PyObject* object) {
  PyTypeObject* const type = Py_TYPE(object);
  const auto& self = *reinterpret_cast<several_object*>(object);
  delete self.own;
  Py_XDECREF(self.type);
  reinterpret_cast<freefunc>(PyType_GetSlot(type, Py_tp_free))(object);
  Py_DECREF(type);
}

/// What a caller sees: answers in a tuple, or with names; null without an exception: this call is not quick.
PyObject* answers_of(const several_object& self, PyObject* array) {
  quick_call& own = *self.own;
  std::array<monofold_result, quick_call::most_ops> results;
  if (!own.answer(array, results.data()) || PyErr_Occurred() != nullptr) return nullptr;
  PyObject* const values = PyTuple_New(static_cast<Py_ssize_t>(own.num_ops()));
  for (std::size_t i = 0; values != nullptr && i < own.num_ops(); ++i) {
    PyObject* const value = value_of(own.code(i), results[i]);
    if (value == nullptr) {
      Py_DECREF(values);
      return nullptr;
    }
    PyTuple_SetItem(values, self.places[i], value);
  }
  return self.type != nullptr ? named_tuple(self.type, values) : values;
}

/// The same to Python; None: not quick.
PyObject* values_of(PyObject* object, PyObject* array) {
  PyObject* const found = answers_of(*reinterpret_cast<several_object*>(object), array);
  return found != nullptr || PyErr_Occurred() != nullptr ? found : Py_NewRef(Py_None);
}

/// What is called with an array: quickly, or by its method `_call`.
struct called_object {
  PyObject_HEAD PyObject* quick;  // a several_object; null: not yet
};
PyObject* call_name = nullptr;

PyObject* call_it(PyObject* object, PyObject* args, PyObject* keywords) {
  PyObject* const quick = reinterpret_cast<called_object*>(object)->quick;
  if (quick != nullptr && keywords == nullptr && PyTuple_Size(args) == 1) {
    PyObject* const found =
        answers_of(*reinterpret_cast<several_object*>(quick), PyTuple_GetItem(args, 0));
    if (found != nullptr || PyErr_Occurred() != nullptr) return found;
  }
  PyObject* const slow = PyObject_GetAttr(object, call_name);
  PyObject* const answer = slow != nullptr ? PyObject_Call(slow, args, keywords) : nullptr;
  Py_XDECREF(slow);
  return answer;
}

PyTypeObject* several_type = nullptr;

/// Says what calls are answered by.
PyObject* set_quick(PyObject* object, PyObject* quick) {
  if (Py_TYPE(quick) != several_type) return PyErr_Format(PyExc_TypeError, "not several");
  auto& self = *reinterpret_cast<called_object*>(object);
  PyObject* const before = self.quick;
  self.quick = Py_NewRef(quick);
  Py_XDECREF(before);
  Py_RETURN_NONE;
}

void destroy_called(PyObject* object) {
  PyTypeObject* const type = Py_TYPE(object);
  Py_XDECREF(reinterpret_cast<called_object*>(object)->quick);
  reinterpret_cast<freefunc>(PyType_GetSlot(type, Py_tp_free))(object);
  Py_DECREF(type);
}

void bind_called(nb::module_& core) {
  static PyMethodDef methods[] = {{"_set_quick", set_quick, METH_O, nullptr},
                                  {nullptr, nullptr, 0, nullptr}};
  static PyType_Slot slots[] = {{Py_tp_call, reinterpret_cast<void*>(call_it)},
                                {Py_tp_dealloc, reinterpret_cast<void*>(destroy_called)},
                                {Py_tp_methods, methods},
                                {0, nullptr}};
  static PyType_Spec spec = {"monofold._core.called", sizeof(called_object), 0,
                             Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots};
  call_name = PyUnicode_InternFromString("_call");
  core.attr("called") = nb::steal(PyType_FromSpec(&spec));
}

}  // namespace

void bind_quick_call(nb::module_& core) {
  static PyMethodDef methods[] = {{"values", values_of, METH_O, nullptr},
                                  {nullptr, nullptr, 0, nullptr}};
  static PyType_Slot slots[] = {{Py_tp_new, reinterpret_cast<void*>(make_several)},
                                {Py_tp_dealloc, reinterpret_cast<void*>(destroy_several)},
                                {Py_tp_methods, methods},
                                {0, nullptr}};
  static PyType_Spec spec = {"monofold._core.several", sizeof(several_object), 0,
                             Py_TPFLAGS_DEFAULT, slots};
  several_type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&spec));
  core.attr("several") = nb::borrow(reinterpret_cast<PyObject*>(several_type));
  bind_called(core);
  core.attr("most_quick") = quick_call::most_ops;
  core.def("set_threads", [](std::int32_t count) { num_threads = count; });
  core.def("set_best_type", [](nb::type_object type) { best_type = type.inc_ref().ptr(); });
}

}  // namespace monofold::python
