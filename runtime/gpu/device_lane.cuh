#pragma once
/// runtime/gpu/device_lane: a stream, and the memory of one thread that feeds a GPU.

#include <cuda_runtime_api.h>

#include <array>
#include <cstdint>
#include <memory>

#include "monofold/engine/gpu/workspace.cuh"

namespace monofold::runtime {

/// Throws `error` where a CUDA call failed.
void check_cuda(cudaError_t code, const char* call);

/// Host memory that GPUs read without a copy in between; goes back by cudaFreeHost.
char* allocate_pinned(std::int64_t bytes);

/// Two buffers of pinned memory and of device memory, so that one is filled while the other is on its
/// way.
///
/// errors     the constructor throws `error`: device_unavailable, out_of_memory
class device_lane {
 public:
  struct buffer {
    char* pinned = nullptr;
    char* device = nullptr;
    char* states = nullptr;  // pinned
    cudaEvent_t done = nullptr;
  };

  device_lane();
  device_lane(const device_lane&) = delete;
  device_lane& operator=(const device_lane&) = delete;
  ~device_lane();

  cudaStream_t stream() const { return stream_; }
  /// At least so many bytes; waits for the stream where it has to grow.
  const gpu_workspace& workspace(std::int64_t bytes);
  const buffer& at(std::size_t i) const { return buffers_[i % buffers_.size()]; }
  /// The buffers for items; made when host memory is first folded, pinned ones when it is not pinned.
  void make_buffers(bool is_pinned);
  /// Room for the states of a piece.
  void make_states(std::int64_t bytes);

 private:
  void release();

  cudaStream_t stream_ = nullptr;
  gpu_workspace workspace_;
  std::array<buffer, 2> buffers_{};
  std::int64_t states_bytes_ = 0;
};

/// A lane of this process for one thread's use: one that is free, or a new one.
class lane_lease {
 public:
  lane_lease();
  lane_lease(const lane_lease&) = delete;
  lane_lease& operator=(const lane_lease&) = delete;
  ~lane_lease();
  device_lane& lane() const { return *lane_; }

 private:
  std::unique_ptr<device_lane> lane_;
};

}  // namespace monofold::runtime
