#pragma once
/// python/src/dlpack: arrays of other libraries by the DLPack protocol.

#include "python/src/array.hpp"

namespace monofold::python {

/// The array in a capsule that an object's __dlpack__ gave; the capsule is used up.
///
/// errors     TypeError: items of a type that is not reduced, or of several lanes; ValueError: no such capsule,
///            or one that was used before; DeviceUnavailable: memory of a device that is no GPU of ours
array from_dlpack(nb::object capsule);

void bind_dlpack(nb::module_& core);

}  // namespace monofold::python
