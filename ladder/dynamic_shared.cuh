#pragma once
/// ladder/dynamic_shared: the shared memory whose size a launch says.

#include "monofold/platform/host_device.hpp"

namespace monofold::ladder {

/// Aligned to 16 bytes. Its name is known to the linker alone, so one declaration serves all types.
MONOFOLD_GPU void* dynamic_shared() {
#if defined(MONOFOLD_EMULATED)
  return monofold::emulation::dynamic_shared_memory();
#else
  extern __shared__ __align__(16) unsigned char ladder_shared_bytes[];
  return ladder_shared_bytes;
#endif
}

}  // namespace monofold::ladder
