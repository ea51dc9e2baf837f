#pragma once
/// ladder/bulk_copy: how a warp brings a run of items to shared memory without its registers.
///
/// Compute capability 9.0: one lane starts a bulk copy and goes on; a barrier object in shared
/// memory counts the bytes that arrive, and its phase ends with the last of them. Elsewhere (the
/// emulated device too) the lanes copy item by item, and there is nothing to wait for but each
/// other.

#include <cstdint>

#include "monofold/level/shuffle.cuh"
#include "monofold/platform/host_device.hpp"

namespace monofold::ladder {

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
#define MONOFOLD_LADDER_BULK 1
MONOFOLD_GPU std::uint32_t shared_address(const void* at) {
  return static_cast<std::uint32_t>(__cvta_generic_to_shared(at));
}
#endif

/// Items that arrive together; both ends are aligned to 16 bytes.
template <class Item, int count>
struct alignas(16) bulk_stage {
  Item items[count];
};

/// Makes a barrier object usable. One lane calls it, then the warp meets.
MONOFOLD_GPU void open_arrival([[maybe_unused]] std::uint64_t* arrival) {
#if defined(MONOFOLD_LADDER_BULK)
  asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_address(arrival)) : "memory");
  // The copy engine must see the object too.
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
#endif
}

/// Starts filling a stage. All lanes call it, behind a warp barrier after the last reads of the
/// stage.
template <class Item, int count>
MONOFOLD_GPU void start_copy(bulk_stage<Item, count>& stage, const Item* from,
                             [[maybe_unused]] std::uint64_t* arrival, int lane) {
#if defined(MONOFOLD_LADDER_BULK)
  if (lane != 0) return;
  constexpr std::uint32_t bytes = count * sizeof(Item);
  asm volatile(
      "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(arrival)),
      "r"(bytes)
      : "memory");
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::
          "r"(shared_address(&stage)),
      "l"(__cvta_generic_to_global(from)), "r"(bytes), "r"(shared_address(arrival))
      : "memory");
#else
  for (int i = lane; i < count; i += warp_lanes) stage.items[i] = from[i];
#endif
}

/// Waits until a stage is full for the time number `turn` (from 0). All lanes call it.
MONOFOLD_GPU void await_copy([[maybe_unused]] std::uint64_t* arrival,
                             [[maybe_unused]] std::int64_t turn) {
#if defined(MONOFOLD_LADDER_BULK)
  std::uint32_t done = 0;
  while (done == 0) {
    asm volatile(
        "{\n.reg .pred full;\n"
        "mbarrier.try_wait.parity.shared::cta.b64 full, [%1], %2;\n"
        "selp.u32 %0, 1, 0, full;\n}"
        : "=r"(done)
        : "r"(shared_address(arrival)), "r"(static_cast<std::uint32_t>(turn & 1))
        : "memory");
  }
#else
  __syncwarp();  // items written by start_copy are read by other lanes behind it
#endif
}

}  // namespace monofold::ladder
