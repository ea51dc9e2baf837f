#include "python/src/exchange.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <mutex>

#include "python/src/dlpack.hpp"
#include "python/src/dlpack_layout.hpp"

namespace monofold::python {

namespace {

struct known_type {
  PyTypeObject* type;
  int (*show)(void* object, dl_tensor* out);
  // PyTorch's function shows the memory of a tensor whose negation is still to be done, or that needs gradients.
  bool has_gradients;
  bool has_negation;
};

// Types are added and never leave, so that readers need no lock.
std::array<known_type, 8> known_types;
std::atomic<std::size_t> num_known_types{0};
PyObject* gradient_name = nullptr;
PyObject* negation_name = nullptr;

const known_type* known_type_of(PyObject* object) {
  const std::size_t count = num_known_types.load(std::memory_order_acquire);
  for (std::size_t i = 0; i < count; ++i) {
    if (known_types[i].type == Py_TYPE(object)) return &known_types[i];
  }
  return nullptr;
}

/// Whether an answer of Python's is False; an exception is none, and forgotten.
bool is_false(PyObject* answer) {
  const bool found = answer == Py_False;
  Py_XDECREF(answer);
  if (answer == nullptr) PyErr_Clear();
  return found;
}

bool look_at(PyObject* object, dl_tensor& tensor) {
  const known_type* known = known_type_of(object);
  if (known == nullptr) return false;
  if (known->has_gradients && !is_false(PyObject_GetAttr(object, gradient_name))) return false;
  if (known->has_negation &&
      !is_false(PyObject_CallMethodObjArgs(object, negation_name, nullptr))) {
    return false;
  }
  if (known->show(object, &tensor) != 0) {
    PyErr_Clear();
    return false;
  }
  return tensor.device.kind == on_cpu;
}

/// Lets arrays of exactly this type be read by its exchange API; false: the API is of another major version, or
/// shows nothing.
bool add_exchange_type(nb::type_object type, nb::object capsule) {
  static std::mutex adding;
  const auto* api =
      static_cast<dl_exchange*>(PyCapsule_GetPointer(capsule.ptr(), "dlpack_exchange_api"));
  if (api == nullptr) throw nb::python_error();
  if (api->major != 1 || api->show == nullptr) return false;
  // Before the lock: code of Python's may run, which hands the interpreter on or comes back here.
  const known_type own{reinterpret_cast<PyTypeObject*>(type.ptr()), api->show,
                       nb::hasattr(type, gradient_name), nb::hasattr(type, negation_name)};
  const std::lock_guard<std::mutex> locked(adding);
  const std::size_t count = num_known_types.load(std::memory_order_relaxed);
  if (count == known_types.size()) return false;
  known_types[count] = own;
  num_known_types.store(count + 1, std::memory_order_release);
  type.inc_ref();
  capsule.inc_ref();  // the table stays
  return true;
}

/// The array on the host that an object shows; None where it is for its `__dlpack__` to give.
nb::object from_exchange(nb::object object) {
  dl_tensor tensor{};
  if (!look_at(object.ptr(), tensor)) return nb::none();
  return nb::cast(array_of(tensor, object));
}

}  // namespace

bool look_at_packed(PyObject* object, packed_items& items) {
  dl_tensor tensor{};
  if (!look_at(object, tensor)) return false;
  items.dtype = known_dtype(tensor.type);
  if (items.dtype < 0) return false;
  items.count = 1;
  for (std::int32_t axis = tensor.rank; axis-- > 0;) {
    const std::int64_t extent = tensor.extents[axis];
    if (tensor.strides != nullptr && extent > 1 && tensor.strides[axis] != items.count)
      return false;
    items.count *= extent;
  }
  items.data = static_cast<const char*>(tensor.data) + tensor.byte_offset;
  return tensor.data != nullptr || items.count == 0;
}

void bind_exchange(nb::module_& core) {
  gradient_name = PyUnicode_InternFromString("requires_grad");
  negation_name = PyUnicode_InternFromString("is_neg");
  core.def("add_exchange_type", &add_exchange_type);
  core.def("from_exchange", &from_exchange);
}

}  // namespace monofold::python
