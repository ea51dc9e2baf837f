#include "python/src/exchange.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <mutex>

#include "python/src/dlpack.hpp"
#include "python/src/dlpack_layout.hpp"
#include "python/src/quick_arrays.hpp"

namespace monofold::python {

namespace {

struct known_type {
  PyTypeObject* type;
  const dl_exchange* api;  // null: by the method `__dlpack__`
  // PyTorch's function shows the memory of a tensor whose negation is still to be done, or that needs gradients.
  bool has_gradients;
  bool has_negation;
  // Where there is no API: empty(shape, dtype) and current_stream() of CuPy, or null.
  PyObject* make_empty;
  PyObject* ask_stream;
};

// Types are added and never leave, so that readers need no lock.
std::array<known_type, 32> known_types;  // arrays of more types go a longer way
std::atomic<std::size_t> num_known_types{0};
PyObject* gradient_name = nullptr;
PyObject* negation_name = nullptr;
PyObject* dlpack_name = nullptr;
PyObject* gpu_arguments = nullptr;  // of `__dlpack__`
PyObject* data_name = nullptr;
PyObject* pointer_name = nullptr;
PyObject* capture_name = nullptr;

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

/// The stream that an API's library works in; false: it does not say.
bool tell_stream(const dl_exchange& api, dl_device device, void*& stream) {
  if (api.current_stream == nullptr) return false;
  if (api.current_stream(device.kind, device.number, &stream) == 0) return true;
  PyErr_Clear();
  return false;
}

/// What an object of a type with an API shows of memory that is at hand.
bool show(const known_type& known, PyObject* object, dl_tensor& tensor) {
  if (known.api == nullptr) return false;
  if (known.has_gradients && !is_false(PyObject_GetAttr(object, gradient_name))) return false;
  if (known.has_negation && !is_false(PyObject_CallMethodObjArgs(object, negation_name, nullptr))) {
    return false;
  }
  if (known.api->show(object, &tensor) != 0) {
    PyErr_Clear();
    return false;
  }
  return tensor.device.kind == on_cpu ||
         (tensor.device.kind == on_cuda && is_at_hand(tensor.device));
}

/// And whose items work in the default stream reads as they are.
bool look_at(const known_type& known, PyObject* object, dl_tensor& tensor) {
  if (!show(known, object, tensor)) return false;
  void* stream = nullptr;
  return tensor.device.kind == on_cpu ||
         (tell_stream(*known.api, tensor.device, stream) && stream == nullptr);
}

/// A number that an object's attributes lead to; -1: none.
long long number_at(const nb::object& object, PyObject* first, PyObject* second) {
  nb::object found = object;
  for (PyObject* const name : {first, second}) {
    if (name != nullptr && found.is_valid()) found = nb::steal(PyObject_GetAttr(found.ptr(), name));
  }
  const long long number = found.is_valid() ? PyLong_AsLongLong(found.ptr()) : -1;
  if (PyErr_Occurred()) PyErr_Clear();
  return number;
}

/// Whether the stream that a library works in is being captured, or does not say: its own way to put the stream before
/// others would end the capture.
bool is_captured(const known_type& known) {
  if (known.ask_stream == nullptr) return false;
  const nb::object stream = nb::steal(PyObject_CallNoArgs(known.ask_stream));
  if (number_at(stream, pointer_name, nullptr) == 0) return false;  // the default one cannot be
  return !stream.is_valid() ||
         !is_false(PyObject_CallMethodObjArgs(stream.ptr(), capture_name, nullptr));
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

/// The tensor in such a capsule, on the current GPU.
const dl_tensor* ordered_tensor(PyObject* object, nb::object& capsule) {
  capsule = ordered_capsule(object);
  const dl_tensor* held = capsule.is_valid() ? tensor_in(capsule.ptr()) : nullptr;
  return held != nullptr && held->device.kind == on_cuda && is_at_hand(held->device) ? held
                                                                                     : nullptr;
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
  add_known_type({reinterpret_cast<PyTypeObject*>(type.ptr()), api,
                  nb::hasattr(type, gradient_name), nb::hasattr(type, negation_name), nullptr,
                  nullptr});
}

/// Lets arrays of exactly this type, on GPUs, be read by the capsules of `__dlpack__`; new ones are made by two
/// functions of CuPy's, or not at all.
void add_capsule_type(nb::type_object type, nb::object make_empty, nb::object ask_stream) {
  add_known_type({reinterpret_cast<PyTypeObject*>(type.ptr()), nullptr, false, false,
                  make_empty.is_none() ? nullptr : make_empty.inc_ref().ptr(),
                  ask_stream.is_none() ? nullptr : ask_stream.inc_ref().ptr()});
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
    if (known->api != nullptr || is_captured(*known)) return false;
    const dl_tensor* held = ordered_tensor(object, items.capsule);
    if (held == nullptr) return false;
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
  if (tensor.data == nullptr || items.count == 0) return items.count == 0;
  const bool are_bytes = items.dtype == MONOFOLD_BOOL && items.place == MONOFOLD_HOST;
  return !are_bytes || !has_other_bools(items.data, items.count);
}

bool look_at_there(PyObject* object, array_there& out) {
  const known_type* known = known_type_of(object);
  if (known == nullptr) return false;
  out.library = known;
  if (known->api != nullptr) {
    return show(*known, object, out.tensor) && out.tensor.device.kind == on_cuda &&
           known->api->allocate != nullptr && known->api->take != nullptr &&
           tell_stream(*known->api, out.tensor.device, out.stream);
  }
  if (known->ask_stream == nullptr) return false;
  const nb::object stream = nb::steal(PyObject_CallNoArgs(known->ask_stream));
  if (number_at(stream, pointer_name, nullptr) != 0) {  // others are for the long way to order
    PyErr_Clear();
    return false;
  }
  const dl_tensor* held = ordered_tensor(object, out.capsule);
  if (held != nullptr) out.tensor = *held;
  return held != nullptr;
}

nb::object new_array_beside(const array_there& one, const std::int64_t* extents, std::int32_t rank,
                            monofold_dtype dtype, void*& memory) {
  const known_type& known = *static_cast<const known_type*>(one.library);
  if (known.api != nullptr) {
    dl_tensor like{nullptr,
                   one.tensor.device,
                   rank,
                   dl_type_of(dtype),
                   const_cast<std::int64_t*>(extents),
                   nullptr,
                   0};
    dl_managed_versioned* made = nullptr;
    const auto no_word = [](void*, const char*, const char*) {};  // the long way has one
    if (known.api->allocate(&like, &made, nullptr, no_word) != 0 || made == nullptr) return {};
    memory = static_cast<char*>(made->tensor.data) + made->tensor.byte_offset;
    void* object = nullptr;
    if (known.api->take(made, &object) != 0) return {};
    return nb::steal(static_cast<PyObject*>(object));
  }
  PyObject* const type = numpy_type(dtype);
  const nb::object shape = nb::steal(PyTuple_New(rank));
  if (type == nullptr || !shape.is_valid()) return {};
  for (std::int32_t axis = 0; axis < rank; ++axis)
    PyTuple_SetItem(shape.ptr(), axis, PyLong_FromLongLong(extents[axis]));
  nb::object made =
      nb::steal(PyObject_CallFunctionObjArgs(known.make_empty, shape.ptr(), type, nullptr));
  if (!made.is_valid()) return {};
  memory = reinterpret_cast<void*>(number_at(made, data_name, pointer_name));
  return made;
}

void bind_exchange(nb::module_& core) {
  gradient_name = PyUnicode_InternFromString("requires_grad");
  negation_name = PyUnicode_InternFromString("is_neg");
  dlpack_name = PyUnicode_InternFromString("__dlpack__");
  data_name = PyUnicode_InternFromString("data");
  pointer_name = PyUnicode_InternFromString("ptr");
  capture_name = PyUnicode_InternFromString("is_capturing");
  // The legacy default stream is 1 there.
  gpu_arguments = Py_BuildValue("{s(ii)si}", "max_version", 1, 1, "stream", 1);
  core.def("add_exchange_type", &add_exchange_type);
  core.def("add_capsule_type", &add_capsule_type, nb::arg("type"), nb::arg("make_empty").none(),
           nb::arg("ask_stream").none());
  core.def("from_exchange", &from_exchange, nb::arg("array").none());
}

}  // namespace monofold::python
