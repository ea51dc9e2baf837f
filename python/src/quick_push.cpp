#include "python/src/quick_push.hpp"

#include <bit>
#include <cstdint>
#include <cstring>

#include "python/src/exact_double.hpp"
#include "python/src/quick_arrays.hpp"

namespace monofold::python {

namespace {

PyTypeObject* double_type = nullptr;  // numpy.float64; it stays

template <class Item>
bool put(long long value, char* to) {
  const auto item = static_cast<Item>(value);
  if (static_cast<long long>(item) != value || (value < 0) != (item < Item{})) return false;
  std::memcpy(to, &item, sizeof item);
  return true;
}

/// A number as an item that has exactly its value; false: there is none, or it is for the other way to find.
bool put_integer(long long value, monofold_dtype dtype, char* to) {
  constexpr long long most_exact = 1LL << 53;
  switch (dtype) {
    case MONOFOLD_INT8: return put<std::int8_t>(value, to);
    case MONOFOLD_INT16: return put<std::int16_t>(value, to);
    case MONOFOLD_INT32: return put<std::int32_t>(value, to);
    case MONOFOLD_INT64: return put<std::int64_t>(value, to);
    case MONOFOLD_UINT8: return put<std::uint8_t>(value, to);
    case MONOFOLD_UINT16: return put<std::uint16_t>(value, to);
    case MONOFOLD_UINT32: return put<std::uint32_t>(value, to);
    case MONOFOLD_UINT64: return value >= 0 && put<std::uint64_t>(value, to);
    case MONOFOLD_FLOAT64:
      return -most_exact <= value && value <= most_exact && put<double>(value, to);
    default: return false;
  }
}

bool put_float(double value, monofold_dtype dtype, char* to) {
  if (dtype == MONOFOLD_FLOAT64) {
    std::memcpy(to, &value, sizeof value);
    return true;
  }
  const auto narrow = static_cast<float>(value);
  // By their bits: a thread that flushes subnormal numbers would take some for zeros.
  const bool is_same =
      std::bit_cast<std::uint64_t>(exact_double(narrow)) == std::bit_cast<std::uint64_t>(value);
  if (dtype != MONOFOLD_FLOAT32 || !is_same) return false;
  std::memcpy(to, &narrow, sizeof narrow);
  return true;
}

bool is_float(PyObject* x) { return PyFloat_CheckExact(x) || Py_TYPE(x) == double_type; }

bool push_number(state& own, monofold_dtype dtype, PyObject* x) {
  alignas(8) char item[8];
  if (is_float(x)) {
    return put_float(PyFloat_AsDouble(x), dtype, item) && own.try_push(item, 1);
  }
  int is_too_large = 0;
  const long long value = PyLong_AsLongLongAndOverflow(x, &is_too_large);
  return is_too_large == 0 && put_integer(value, dtype, item) && own.try_push(item, 1);
}

/// A short list of floats, for a state of float64.
bool push_floats(state& own, monofold_dtype dtype, PyObject* list) {
#ifdef Py_GIL_DISABLED
  return false;  // another thread may change the list
#else
  constexpr Py_ssize_t most = 512;
  const Py_ssize_t count = PyList_Size(list);
  if (dtype != MONOFOLD_FLOAT64 || count > most) return false;
  double items[most];
  for (Py_ssize_t i = 0; i < count; ++i) {
    PyObject* const x = PyList_GetItem(list, i);
    if (!PyFloat_CheckExact(x)) return false;
    items[i] = PyFloat_AsDouble(x);
  }
  return own.try_push(items, count);
#endif
}

}  // namespace

bool push_few(state& own, monofold_dtype dtype, PyObject* x) {
  if (is_float(x) || PyLong_CheckExact(x)) return push_number(own, dtype, x);
  if (PyList_CheckExact(x)) return push_floats(own, dtype, x);
  return with_items_of(x, [&](const packed_items& items, const Py_buffer&) {
    return items.dtype == dtype && items.count < items_without_lock &&
           own.try_push(items.data, items.count);
  });
}

void bind_quick_push(nb::module_& core) {
  core.def("set_double_type", [](nb::type_object type) {
    double_type = reinterpret_cast<PyTypeObject*>(type.inc_ref().ptr());
  });
}

}  // namespace monofold::python
