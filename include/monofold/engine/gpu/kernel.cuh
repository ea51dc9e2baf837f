#pragma once
/// engine/gpu/kernel: what a kernel has of its launch: shared memory, and arguments that a host laid out.

#include <cstdint>

#include "monofold/engine/gpu/load.cuh"
#include "monofold/platform/host_device.hpp"

namespace monofold::detail {

MONOFOLD_HD_CALL constexpr int in_chunks_of_16(int bytes) { return (bytes + 15) / 16 * 16; }

MONOFOLD_GPU bytes16* dynamic_shared() {
#if defined(MONOFOLD_EMULATED)
  return static_cast<bytes16*>(emulation::dynamic_shared_memory());
#else
  extern __shared__ bytes16 monofold_dynamic_shared[];
  return monofold_dynamic_shared;
#endif
}

/// How the host's compiler lays out what it hands to a kernel. Compilers differ over empty members
/// marked [[no_unique_address]] and over what derives from a type with padding at its end.
struct handed_layout {
  int fold_bytes;
  int view_bytes;
  int state_bytes;
  friend constexpr bool operator==(const handed_layout&, const handed_layout&) = default;
};
template <class F, class View>
MONOFOLD_HD_CALL constexpr handed_layout handed_layout_of() {
  return {static_cast<int>(sizeof(F)), static_cast<int>(sizeof(View)),
          static_cast<int>(sizeof(typename F::state))};
}

}  // namespace monofold::detail
