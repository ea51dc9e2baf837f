#pragma once
/// gpu/replayed: calls that were captured in a graph, and other data for their replays.

#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <vector>

#include "tests/gpu/device.cuh"

namespace gpu_tests {

/// A call that was captured once.
class replayed {
 public:
  template <class Call>
  explicit replayed(const Call& call) {
    EXPECT_EQ(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), cudaSuccess);
    EXPECT_EQ(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal), cudaSuccess);
    call(stream_);
    EXPECT_EQ(cudaStreamEndCapture(stream_, &graph_), cudaSuccess);
    EXPECT_EQ(cudaGraphInstantiate(&replay_, graph_, 0), cudaSuccess);
  }
  replayed(const replayed&) = delete;
  replayed& operator=(const replayed&) = delete;
  ~replayed() {
    static_cast<void>(cudaGraphExecDestroy(replay_));
    static_cast<void>(cudaGraphDestroy(graph_));
    static_cast<void>(cudaStreamDestroy(stream_));
  }
  void run() const {
    ASSERT_EQ(cudaGraphLaunch(replay_, stream_), cudaSuccess);
    ASSERT_EQ(cudaStreamSynchronize(stream_), cudaSuccess);
  }

 private:
  cudaStream_t stream_ = nullptr;
  cudaGraph_t graph_ = nullptr;
  cudaGraphExec_t replay_ = nullptr;
};

template <class T>
void overwrite(const device_array<T>& there, const std::vector<T>& with) {
  ASSERT_EQ(cudaMemcpy(there.data(), with.data(), with.size() * sizeof(T), cudaMemcpyHostToDevice),
            cudaSuccess);
  // The copy of pageable memory may still be on its way, and streams of replays do not wait for it.
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
}

/// What a replay must write anew.
template <class T>
void poison(const device_array<T>& there) {
  ASSERT_EQ(cudaMemset(there.data(), 0xee, there.size_bytes()), cudaSuccess);
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
}

}  // namespace gpu_tests
