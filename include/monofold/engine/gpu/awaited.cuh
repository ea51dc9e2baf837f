#pragma once
/// engine/gpu/awaited: a place where a kernel leaves a state and the host waits for it.

#include <cuda_runtime_api.h>

#include <cstdint>
#include <cstring>

#include "monofold/engine/gpu/launch.cuh"
#include "monofold/engine/gpu/sinks.cuh"
#include "monofold/engine/gpu/workspace.cuh"
#include "monofold/platform/status.hpp"

namespace monofold::detail {

/// Pinned memory that both sides see, and a workspace; one a thread and device, kept for the next call
/// (and not to be used after a cudaDeviceReset).
///
/// The host spins on a flag in it instead of waiting for the stream: 2 us instead of 8 us.
class awaited_state {
 public:
  awaited_state() = default;
  awaited_state(const awaited_state&) = delete;
  awaited_state& operator=(const awaited_state&) = delete;
  ~awaited_state() {
    if (pinned_ != nullptr) static_cast<void>(cudaFreeHost(pinned_));
  }

  /// This thread's for device `device`.
  static awaited_state& of_device(int device) {
    thread_local awaited_state places[max_devices];
    return places[device];
  }
  static constexpr int max_devices = 64;

  const gpu_workspace& workspace() const { return workspace_; }

  /// Room for a state and a workspace of these sizes.
  failure reserve(std::int64_t state_bytes, std::int64_t workspace_bytes) {
    if (workspace_bytes > workspace_.bytes()) {
      if (auto failed = gpu_workspace::try_make(workspace_bytes, workspace_)) return failed;
    }
    if (state_bytes <= pinned_bytes_) return {};
    if (pinned_ != nullptr) static_cast<void>(cudaFreeHost(pinned_));
    pinned_ = nullptr;
    pinned_bytes_ = 0;
    if (auto failed =
            failure_of(cudaHostAlloc(&pinned_, static_cast<std::size_t>(flag_bytes + state_bytes),
                                     cudaHostAllocMapped),
                       "cudaHostAlloc")) {
      return failed;
    }
    *flag() = 0;
    raised_ = 0;
    pinned_bytes_ = state_bytes;
    return {};
  }

  /// A kernel that failed may have left tickets and mail behind: the next call makes a workspace anew.
  void discard_workspace() { workspace_ = gpu_workspace(); }

  /// What the kernel is given; `reserve` came before.
  template <class State>
  awaited_sink<State> sink() {
    static_assert(awaited_sink<State>::flag_bytes == flag_bytes);
    return {pinned_, ++raised_};
  }

  /// Where the state lies.
  void* state_place() const { return static_cast<char*>(pinned_) + flag_bytes; }

  /// Waits until the kernel that got the last `sink` has left its state there.
  failure wait(cudaStream_t stream) {
    for (std::uint32_t spin = 1; *flag() != raised_; ++spin) {
      if (spin % 4096 != 0) continue;
      const cudaError_t state = cudaStreamQuery(stream);
      if (state == cudaErrorNotReady) {
        static_cast<void>(cudaGetLastError());
      } else if (state != cudaSuccess) {
        return failure_of(state, "cudaStreamQuery");
      } else if (*flag() != raised_) {
        return {status::internal, "the stream is done and left no result"};
      }
    }
    __atomic_thread_fence(__ATOMIC_ACQUIRE);  // the state is read behind the flag
    return {};
  }

  template <class State>
  State get() const {
    State out;
    std::memcpy(static_cast<void*>(&out), state_place(), sizeof(State));
    return out;
  }

 private:
  static constexpr std::int64_t flag_bytes = 64;  // a line of its own

  volatile std::uint32_t* flag() const { return static_cast<volatile std::uint32_t*>(pinned_); }

  gpu_workspace workspace_;
  void* pinned_ = nullptr;
  std::int64_t pinned_bytes_ = 0;
  std::uint32_t raised_ = 0;
};

}  // namespace monofold::detail
