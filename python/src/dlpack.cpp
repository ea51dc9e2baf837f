#include "python/src/dlpack.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "python/src/dlpack_layout.hpp"
#include "python/src/gather.hpp"
#include "runtime/gpu/devices.hpp"
#include "runtime/gpu/rows/row_library.hpp"

namespace monofold::python {

monofold_dtype known_dtype(dl_type type) {
  if (type.lanes != 1) return -1;
  const auto with_bits = [&](monofold_dtype eight) -> monofold_dtype {
    return type.bits == 8    ? eight
           : type.bits == 16 ? eight + 1
           : type.bits == 32 ? eight + 2
           : type.bits == 64 ? eight + 3
                             : -1;
  };
  switch (type.code) {
    case 0: return with_bits(MONOFOLD_INT8);
    case 1: return with_bits(MONOFOLD_UINT8);
    case 2:
      return type.bits == 16   ? MONOFOLD_FLOAT16
             : type.bits == 32 ? MONOFOLD_FLOAT32
             : type.bits == 64 ? MONOFOLD_FLOAT64
                               : -1;
    case 4: return type.bits == 16 ? MONOFOLD_BFLOAT16 : -1;
    case 6: return type.bits == 8 ? MONOFOLD_BOOL : -1;
    default: return -1;
  }
}

dl_type dl_type_of(monofold_dtype dtype) {
  const bool is_signed = dtype >= MONOFOLD_INT8 && dtype <= MONOFOLD_INT64;
  const bool is_unsigned = dtype >= MONOFOLD_UINT8 && dtype <= MONOFOLD_UINT64;
  const std::uint8_t code = is_signed                    ? 0
                            : is_unsigned                ? 1
                            : dtype == MONOFOLD_BFLOAT16 ? 4
                            : dtype == MONOFOLD_BOOL     ? 6
                                                         : 2;
  return {code, static_cast<std::uint8_t>(8 * bytes_of(dtype)), 1};
}

namespace {

monofold_dtype dtype_of_tensor(dl_type type) {
  if (const monofold_dtype found = known_dtype(type); found >= 0) return found;
  const char* const names[] = {"int", "uint", "float", "opaque", "bfloat", "complex", "bool"};
  const std::string bits = std::to_string(type.bits);
  const std::string name =
      type.code < 7 ? names[type.code] + bits
                    : "DLPack's type " + std::to_string(type.code) + " of " + bits + " bits";
  throw nb::type_error(("arrays of " + name + " are not reduced").c_str());
}

[[noreturn]] void say_unavailable(const std::string& text) {
  const nb::object unavailable = nb::module_::import_("monofold._errors").attr("DeviceUnavailable");
  PyErr_SetString(unavailable.ptr(), text.c_str());
  throw nb::python_error();
}

/// A function of the driver, if a producer has loaded that; it stays loaded. Null: there is none.
template <class Function>
Function in_driver(const char* name) {
  void* driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
  if (driver == nullptr) return nullptr;
  return reinterpret_cast<Function>(dlsym(driver, name));  // and `driver` is not closed
}

using get_device = int (*)(int*);

get_device ask_driver() {
  static std::atomic<get_device> known{nullptr};
  if (const get_device found = known.load(std::memory_order_relaxed)) return found;
  const auto found = in_driver<get_device>("cuCtxGetDevice");
  known.store(found, std::memory_order_relaxed);
  return found;
}

thread_local std::int32_t gpu_of_call = -1;  // which `gpu_in_use` says; -1: the driver does

/// The number of the GPU that this thread's kernels run on.
std::int32_t current_gpu() {
  if (gpu_of_call >= 0) return gpu_of_call;
  int number = 0;
  const get_device get = ask_driver();
  if (get == nullptr || get(&number) != 0) number = 0;  // no context yet: kernels make the first's
  return number;
}

/// errors     OtherGpu: it is not that of this number
void check_current_gpu(std::int32_t number) {
  const std::int32_t here = current_gpu();
  if (number == here) return;
  const nb::object type = nb::module_::import_("monofold._errors").attr("OtherGpu");
  PyErr_SetObject(type.ptr(), type(number, here).ptr());
  throw nb::python_error();
}

monofold_place place_of(dl_device device) {
  switch (device.kind) {
    case on_cpu:
    case in_pinned_memory: return MONOFOLD_HOST;
    case on_cuda: check_current_gpu(device.number); return MONOFOLD_DEVICE;
    case in_managed_memory: return MONOFOLD_MANAGED;
    default: break;
  }
  say_unavailable("the items lie on a device of DLPack's kind " + std::to_string(device.kind));
}

}  // namespace

bool is_at_hand(dl_device device) {
  return device.kind == on_cpu || device.kind == in_pinned_memory ||
         (device.kind == on_cuda && device.number == current_gpu());
}

const dl_tensor* tensor_in(PyObject* capsule) {
  if (PyCapsule_IsValid(capsule, "dltensor_versioned")) {
    const auto* managed =
        static_cast<dl_managed_versioned*>(PyCapsule_GetPointer(capsule, "dltensor_versioned"));
    return managed->major == 1 ? &managed->tensor : nullptr;
  }
  if (!PyCapsule_IsValid(capsule, "dltensor")) return nullptr;
  return &static_cast<dl_managed*>(PyCapsule_GetPointer(capsule, "dltensor"))->tensor;
}

array array_of(const dl_tensor& tensor, nb::object owner) {
  array out;
  out.dtype = dtype_of_tensor(tensor.type);
  out.place = place_of(tensor.device);
  out.data = static_cast<const char*>(tensor.data) + tensor.byte_offset;
  out.owner = std::move(owner);
  if (tensor.rank < 0) throw nb::value_error("an array with a negative number of axes");
  const auto rank = static_cast<std::size_t>(tensor.rank);
  out.extents.assign(tensor.extents, tensor.extents + rank);
  out.check_extents();
  if (tensor.data == nullptr && out.count() > 0) throw nb::value_error("an array without memory");
  out.strides.resize(rank);
  std::int64_t step = 1;
  for (std::size_t axis = rank; axis-- > 0;) {
    const std::int64_t items = tensor.strides != nullptr ? tensor.strides[axis] : step;
    if (__builtin_mul_overflow(items, out.item_bytes(), &out.strides[axis]))
      throw nb::value_error("an array with a stride of more bytes than can be counted");
    step *= std::max<std::int64_t>(out.extents[axis], 1);
  }
  out.swapped = has_other_bools(out);
  return out;
}

namespace {

/// The producer's structure in a capsule of ours, which calls its release.
template <class Managed>
nb::object owner_of(Managed* managed) {
  const auto release = [](PyObject* capsule) {
    auto* held = static_cast<Managed*>(PyCapsule_GetPointer(capsule, "monofold.dlpack"));
    // A frame that an exception leaves may free this: a producer in Python finds no error set.
    const nb::error_scope raised;
    if (held != nullptr && held->release != nullptr) held->release(held);
  };
  return nb::steal(PyCapsule_New(managed, "monofold.dlpack", release));
}

template <class Managed>
array take(nb::object capsule, const char* name, const char* used_name) {
  auto* managed = static_cast<Managed*>(PyCapsule_GetPointer(capsule.ptr(), name));
  if (managed == nullptr) throw nb::python_error();
  // A consumer renames the capsule: its destructor then leaves the structure alone.
  if (PyCapsule_SetName(capsule.ptr(), used_name) != 0) throw nb::python_error();
  nb::object owner = owner_of(managed);
  return array_of(managed->tensor, std::move(owner));
}

}  // namespace

array from_dlpack(nb::object capsule) {
  if (PyCapsule_IsValid(capsule.ptr(), "dltensor_versioned")) {
    const auto* managed = static_cast<dl_managed_versioned*>(
        PyCapsule_GetPointer(capsule.ptr(), "dltensor_versioned"));
    if (managed->major != 1) throw nb::value_error("DLPack of a version that is not 1");
    const bool read_only = (managed->flags & dl_read_only) != 0;
    array out =
        take<dl_managed_versioned>(capsule, "dltensor_versioned", "used_dltensor_versioned");
    out.read_only = read_only;
    return out;
  }
  if (!PyCapsule_IsValid(capsule.ptr(), "dltensor")) {
    throw nb::value_error("no DLPack capsule, or one that was used before");
  }
  return take<dl_managed>(capsule, "dltensor", "used_dltensor");
}

namespace {

/// What a capsule of ours holds.
template <class Managed>
struct lent {
  Managed managed{};
  std::shared_ptr<void> memory;
  std::vector<std::int64_t> extents, strides;
};

template <class Managed>
nb::object lend(lent<Managed>* own, dl_device device, dl_type type, const char* name,
                PyCapsule_Destructor destroy) {
  std::int64_t step = 1;
  own->strides.resize(own->extents.size());
  for (std::size_t axis = own->extents.size(); axis-- > 0;) {
    own->strides[axis] = step;
    step *= std::max<std::int64_t>(own->extents[axis], 1);
  }
  own->managed.tensor = {own->memory.get(),
                         device,
                         static_cast<std::int32_t>(own->extents.size()),
                         type,
                         own->extents.data(),
                         own->strides.data(),
                         0};
  own->managed.context = own;
  // On any thread, without the interpreter's lock.
  own->managed.release = [](Managed* managed) {
    delete static_cast<lent<Managed>*>(managed->context);
  };
  nb::object capsule = nb::steal(PyCapsule_New(&own->managed, name, destroy));
  if (!capsule.is_valid()) {
    delete own;
    throw nb::python_error();
  }
  return capsule;
}

/// Releases what nobody has taken: who does renames the capsule.
template <class Managed>
void release_untaken(PyObject* capsule, const char* name) {
  if (!PyCapsule_IsValid(capsule, name)) return;
  auto* const managed = static_cast<Managed*>(PyCapsule_GetPointer(capsule, name));
  managed->release(managed);
}

}  // namespace

nb::object to_dlpack(std::shared_ptr<void> memory, monofold_dtype dtype,
                     std::vector<std::int64_t> extents, dl_device device, bool versioned) {
  const dl_type type = dl_type_of(dtype);
  if (!versioned) {
    auto* const own = new lent<dl_managed>{{}, std::move(memory), std::move(extents), {}};
    return lend(own, device, type, "dltensor",
                [](PyObject* capsule) { release_untaken<dl_managed>(capsule, "dltensor"); });
  }
  auto* const own = new lent<dl_managed_versioned>{{}, std::move(memory), std::move(extents), {}};
  own->managed.major = 1;
  return lend(own, device, type, "dltensor_versioned", [](PyObject* capsule) {
    release_untaken<dl_managed_versioned>(capsule, "dltensor_versioned");
  });
}

namespace {

/// Waits until a stream of the current GPU has done what was put in it, by the number that the CUDA array interface has
/// for it.
///
/// errors     DeviceUnavailable: there is no driver, or it refuses
void wait_for_stream(std::uintptr_t stream) {
  const auto wait = in_driver<int (*)(void*)>("cuStreamSynchronize");
  const std::string what =
      "the array is ready once stream " + std::to_string(stream) + " is done: ";
  if (wait == nullptr) say_unavailable(what + "no driver is here to wait for it");
  int code = 0;
  {
    nb::gil_scoped_release released;
    code = wait(reinterpret_cast<void*>(stream));
    constexpr int no_context = 201;  // of this thread's; to make memory makes one
    if (code == no_context) {
      runtime::make_device_memory(1);
      code = wait(reinterpret_cast<void*>(stream));
    }
  }
  if (code != 0) say_unavailable(what + "the driver answers " + std::to_string(code));
}

/// A GPU that is the current one of this thread from enter() to exit().
class with_gpu {
 public:
  explicit with_gpu(std::int32_t number) : number_(number) {}
  /// errors     DeviceUnavailable: there is none of this number
  void enter() {
    try {
      before_ = runtime::use_gpu(number_);
    } catch (const error& why) {
      say_unavailable(why.what());
    }
    told_before_ = std::exchange(gpu_of_call, number_);
  }
  void exit() {
    gpu_of_call = told_before_;
    runtime::use_gpu(before_);
  }

 private:
  std::int32_t number_, before_ = 0, told_before_ = -1;
};

}  // namespace

void bind_dlpack(nb::module_& core) {
  nb::class_<with_gpu>(core, "gpu_in_use", "A GPU that is the current one of this thread.")
      .def(nb::init<std::int32_t>())
      .def("enter", &with_gpu::enter)
      .def("exit", &with_gpu::exit);
  core.def("check_current_gpu", &check_current_gpu);
  core.def("from_dlpack", &from_dlpack);
  core.def("wait_for_stream", &wait_for_stream);
}

}  // namespace monofold::python
