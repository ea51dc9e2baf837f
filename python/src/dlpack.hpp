#pragma once
/// python/src/dlpack: arrays of other libraries by the DLPack protocol.

#include "python/src/array.hpp"

namespace monofold::python {

/// The array in a capsule that an object's __dlpack__ gave; the capsule is used up.
///
/// errors     TypeError: items of a type that is not reduced, or of several lanes; ValueError: no such capsule,
///            one that was used before, or extents that no array has; DeviceUnavailable: memory of a device that is
///            not the current GPU
array from_dlpack(nb::object capsule);

void bind_dlpack(nb::module_& core);

}  // namespace monofold::python
