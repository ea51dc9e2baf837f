#pragma once
/// level/block_shared: the shared memory of a block whose size its launch says.

#include "monofold/platform/host_device.hpp"

namespace monofold {

/// Where it begins, aligned to 16 bytes: the same for all threads of the block, whatever they keep there.
MONOFOLD_GPU void* dynamic_shared() {
#if defined(MONOFOLD_EMULATED)
  return emulation::dynamic_shared_memory();
#else
  // Its name is known to the linker alone, so one declaration serves all types.
  extern __shared__ __align__(16) unsigned char monofold_dynamic_shared[];
  return monofold_dynamic_shared;
#endif
}

namespace detail {

MONOFOLD_HD_CALL constexpr int in_chunks_of_16(int bytes) { return (bytes + 15) / 16 * 16; }

}  // namespace detail

}  // namespace monofold
