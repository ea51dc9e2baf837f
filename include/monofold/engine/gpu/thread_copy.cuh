#pragma once
/// engine/gpu/thread_copy: copies chunks to shared memory while a thread computes.

#include <cstdint>

#include "monofold/engine/gpu/load.cuh"
#include "monofold/platform/host_device.hpp"

namespace monofold::detail {

/// Begins to copy 16 bytes to shared memory, without a register. The copy may be done before an earlier read by this
/// thread, if nothing depends on that read.
MONOFOLD_GPU void start_copy(bytes16* to, const bytes16* from) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(
                   static_cast<std::uint32_t>(__cvta_generic_to_shared(to))),
               "l"(__cvta_generic_to_global(from))
               : "memory");
#else
  const bytes16 raw = load_16(from);
  *to = raw;
#endif
}

/// The same by a policy of the second-level cache, see cache_policy_of.
MONOFOLD_GPU void start_copy(bytes16* to, const bytes16* from,
                             [[maybe_unused]] std::uint64_t policy) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  asm volatile("cp.async.cg.shared.global.L2::cache_hint [%0], [%1], 16, %2;" ::"r"(
                   static_cast<std::uint32_t>(__cvta_generic_to_shared(to))),
               "l"(__cvta_generic_to_global(from)), "l"(policy)
               : "memory");
#else
  start_copy(to, from);
#endif
}

/// Waits until all copies that this thread has begun are done.
MONOFOLD_GPU void wait_for_copies() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}

/// Makes one group of all copies that this thread has begun since it last ended a group.
MONOFOLD_GPU void end_group_of_copies() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

/// Waits until all groups of copies of this thread are done, except the last `groups` ones.
template <int groups>
MONOFOLD_GPU void wait_for_copies_but() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_group %0;" ::"n"(groups) : "memory");
#endif
}

/// Rows of 32 chunks that are copied to shared memory ahead of their use.
///
/// shape      `buffer`: rows x 32 chunks of shared memory of this warp; a lane writes and reads its own
template <int rows>
class copied_rows {
 public:
  static constexpr int warp_bytes = rows * warp_lanes * static_cast<int>(sizeof(bytes16));

  MONOFOLD_GPU copied_rows(bytes16* buffer, int lane) : own_(buffer + lane), lane_(lane) {}

  /// Begins to copy rows from an aligned address. What was taken before must have been used.
  MONOFOLD_GPU void start(const void* first) {
    const bytes16* const from = static_cast<const bytes16*>(first) + lane_;
    MONOFOLD_UNROLL
    for (int r = 0; r < rows; ++r) start_copy(own_ + r * warp_lanes, from + r * warp_lanes);
  }

  /// Waits for the rows and loads them, 16 bytes at a time.
  MONOFOLD_GPU void take(bytes16 (&raw)[rows]) const {
    wait_for_copies();
    MONOFOLD_UNROLL
    for (int r = 0; r < rows; ++r) raw[r] = own_[r * warp_lanes];
  }

 private:
  bytes16* own_;
  int lane_;
};

}  // namespace monofold::detail
