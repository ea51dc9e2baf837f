#pragma once
/// python/src/dlpack: arrays of other libraries by the DLPack protocol.

#include <cstdint>
#include <memory>
#include <vector>

#include "python/src/array.hpp"
#include "python/src/dlpack_layout.hpp"

namespace monofold::python {

/// The type of items of the protocol's; -1: none of ours.
monofold_dtype known_dtype(dl_type type);
/// And back.
dl_type dl_type_of(monofold_dtype dtype);

/// Whether a GPU's items are read here; the host's are everywhere.
///
/// cost       a question to the driver, where the items are a GPU's
bool is_at_hand(dl_device device);

/// The structure in a capsule that nobody used up; null: there is none, or of another version.
const dl_tensor* tensor_in(PyObject* capsule);

/// The array that a structure tells of, kept by `owner`; errors as of from_dlpack.
array array_of(const dl_tensor& tensor, nb::object owner);

/// The array in a capsule that an object's __dlpack__ gave; the capsule is used up.
///
/// errors     TypeError: items of a type that is not reduced, or of several lanes; ValueError: no such capsule,
///            one that was used before, or extents that no array has; DeviceUnavailable: memory of a device that is
///            none; OtherGpu: of one that is not the current GPU
array from_dlpack(nb::object capsule);

/// A capsule of packed items in memory that lives as long as the capsule, or who has taken it.
///
/// versioned  whether the consumer knows DLPack 1
nb::object to_dlpack(std::shared_ptr<void> memory, monofold_dtype dtype,
                     std::vector<std::int64_t> extents, dl_device device, bool versioned);

void bind_dlpack(nb::module_& core);

}  // namespace monofold::python
