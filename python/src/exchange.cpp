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
  decltype(dl_exchange::show) show;  // null: by the method `__dlpack__`
  decltype(dl_exchange::current_stream) current_stream;
  // PyTorch's function shows the memory of a tensor whose negation is still to be done, or that needs gradients.
  bool has_gradients;
  bool has_negation;
};

// Types are added and never leave, so that readers need no lock.
std::array<known_type, 8> known_types;
std::atomic<std::size_t> num_known_types{0};
PyObject* gradient_name = nullptr;
PyObject* negation_name = nullptr;
PyObject* dlpack_name = nullptr;
PyObject* gpu_arguments = nullptr;  // of `__dlpack__`

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

/// Whether the items are read as they are by work in the default stream of the current GPU.
bool is_ordered(const known_type& known, dl_device device) {
  if (device.kind == on_cpu) return true;
  if (device.kind != on_cuda || known.current_stream == nullptr || !is_at_hand(device))
    return false;
  void* stream = nullptr;
  if (known.current_stream(device.kind, device.number, &stream) != 0) {
    PyErr_Clear();
    return false;
  }
  return stream == nullptr;
}

bool look_at(const known_type& known, PyObject* object, dl_tensor& tensor) {
  if (known.show == nullptr) return false;
  if (known.has_gradients && !is_false(PyObject_GetAttr(object, gradient_name))) return false;
  if (known.has_negation && !is_false(PyObject_CallMethodObjArgs(object, negation_name, nullptr))) {
    return false;
  }
  if (known.show(object, &tensor) != 0) {
    PyErr_Clear();
    return false;
  }
  return is_ordered(known, tensor.device);
}

/// The capsule of an array on a GPU, which the producer has put before work in the default stream; null: for a
/// longer way to ask for, unless an exception is set that is no error, such as an interrupt.
nb::object ordered_capsule(PyObject* object) {
  const nb::object method = nb::steal(PyObject_GetAttr(object, dlpack_name));
  static PyObject* const nothing = PyTuple_New(0);
  nb::object capsule;
  if (method.is_valid()) capsule = nb::steal(PyObject_Call(method.ptr(), nothing, gpu_arguments));
  if (!capsule.is_valid() && PyErr_ExceptionMatches(PyExc_Exception)) PyErr_Clear();
  return capsule;
}

void add_known_type(const known_type& own) {
  static std::mutex adding;
  const std::lock_guard<std::mutex> locked(adding);
  const std::size_t count = num_known_types.load(std::memory_order_relaxed);
  if (count == known_types.size()) return;
  known_types[count] = own;
  num_known_types.store(count + 1, std::memory_order_release);
  Py_INCREF(reinterpret_cast<PyObject*>(own.type));  // the table stays
}

/// Lets arrays of exactly this type be read by its exchange API, unless that is of another major version or shows
/// nothing.
void add_exchange_type(nb::type_object type, nb::object capsule) {
  const auto* api =
      static_cast<dl_exchange*>(PyCapsule_GetPointer(capsule.ptr(), "dlpack_exchange_api"));
  if (api == nullptr) throw nb::python_error();
  if (api->major != 1 || api->show == nullptr) return;
  capsule.inc_ref();  // as long as the type
  add_known_type({reinterpret_cast<PyTypeObject*>(type.ptr()), api->show, api->current_stream,
                  nb::hasattr(type, gradient_name), nb::hasattr(type, negation_name)});
}

/// Lets arrays of exactly this type, on GPUs, be read by the capsules of `__dlpack__`.
void add_capsule_type(nb::type_object type) {
  add_known_type({reinterpret_cast<PyTypeObject*>(type.ptr()), nullptr, nullptr, false, false});
}

/// The array that an object shows; None where it is for its `__dlpack__` to give.
nb::object from_exchange(nb::object object) {
  dl_tensor tensor{};
  const known_type* known = known_type_of(object.ptr());
  if (known == nullptr || !look_at(*known, object.ptr(), tensor)) return nb::none();
  return nb::cast(array_of(tensor, object));
}

}  // namespace

bool look_at_packed(PyObject* object, packed_items& items) {
  const known_type* known = known_type_of(object);
  if (known == nullptr) return false;
  dl_tensor tensor{};
  if (!look_at(*known, object, tensor)) {
    if (known->show != nullptr) return false;
    items.capsule = ordered_capsule(object);
    const dl_tensor* held = items.capsule.is_valid() ? tensor_in(items.capsule.ptr()) : nullptr;
    if (held == nullptr || !is_at_hand(held->device)) return false;
    tensor = *held;
  }
  items.dtype = known_dtype(tensor.type);
  if (items.dtype < 0) return false;
  items.count = 1;
  for (std::int32_t axis = tensor.rank; axis-- > 0;) {
    const std::int64_t extent = tensor.extents[axis];
    if (tensor.strides != nullptr && extent > 1 && tensor.strides[axis] != items.count)
      return false;
    items.count *= extent;
  }
  if (tensor.device.kind == on_cuda) items.place = MONOFOLD_DEVICE;
  items.data = static_cast<const char*>(tensor.data) + tensor.byte_offset;
  return tensor.data != nullptr || items.count == 0;
}

void bind_exchange(nb::module_& core) {
  gradient_name = PyUnicode_InternFromString("requires_grad");
  negation_name = PyUnicode_InternFromString("is_neg");
  dlpack_name = PyUnicode_InternFromString("__dlpack__");
  // The legacy default stream is 1 there.
  gpu_arguments = Py_BuildValue("{s(ii)si}", "max_version", 1, 1, "stream", 1);
  core.def("add_exchange_type", &add_exchange_type);
  core.def("add_capsule_type", &add_capsule_type);
  core.def("from_exchange", &from_exchange);
}

}  // namespace monofold::python
