#pragma once
/// level/thread: which thread of which block this is, in the order in which folds see them.

#include <cstdint>

#include "monofold/level/shuffle.cuh"
#include "monofold/platform/host_device.hpp"

namespace monofold {

/// The rank of this thread in its block, x fastest: the order of threads in 2-D and 3-D blocks too.
MONOFOLD_GPU int thread_rank() {
  return static_cast<int>(threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z));
}
MONOFOLD_GPU int threads_in_block() {
  return static_cast<int>(blockDim.x * blockDim.y * blockDim.z);
}

/// Warps are 32 neighbouring ranks; the last one of a block may have fewer lanes.
MONOFOLD_GPU int lane_rank() {
#if defined(__CUDA_ARCH__)
  int lane;
  asm("mov.u32 %0, %%laneid;" : "=r"(lane));
  return lane;
#else
  return thread_rank() % warp_lanes;
#endif
}
MONOFOLD_GPU int warp_rank() { return thread_rank() / warp_lanes; }
MONOFOLD_GPU int lanes_in_warp() {
  const int left = threads_in_block() - warp_rank() * warp_lanes;
  return left < warp_lanes ? left : warp_lanes;
}

MONOFOLD_GPU std::int64_t block_rank() {
  return blockIdx.x + std::int64_t{gridDim.x} * (blockIdx.y + std::int64_t{gridDim.y} * blockIdx.z);
}
MONOFOLD_GPU std::int64_t blocks_in_grid() {
  return std::int64_t{gridDim.x} * gridDim.y * gridDim.z;
}

/// All threads of the block reach it before one goes on; what they wrote to memory is then seen.
MONOFOLD_GPU void sync_block() { __syncthreads(); }

/// The same, and whether any thread of the block says yes.
MONOFOLD_GPU bool sync_block_any(bool yes) { return __syncthreads_or(yes ? 1 : 0) != 0; }

/// The same, and how many threads of the block say yes.
MONOFOLD_GPU int sync_block_count(bool yes) { return __syncthreads_count(yes ? 1 : 0); }

/// What launches before this one in its stream wrote may be read after it, and what they read be
/// written. For kernels that `launch_early` starts: all threads call it, before they touch memory.
MONOFOLD_GPU void wait_for_launches_before() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}
/// When all blocks have said so, the next launch may be brought to the device, if `launch_early` starts
/// it; it waits there for the end of this one.
MONOFOLD_GPU void let_next_launch_begin() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;");
#endif
}

/// Ends the kernel with an error.
MONOFOLD_GPU void trap() {
#if defined(__CUDA_ARCH__) || defined(MONOFOLD_EMULATED)
  __trap();
#else
  __builtin_trap();
#endif
}

}  // namespace monofold
