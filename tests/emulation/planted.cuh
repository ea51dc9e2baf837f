#pragma once
/// emulation/planted: runs a kernel with a bug and gives what the emulated device says of it.

#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <vector>

#include "emulation/random.hpp"
#include "emulation/report.hpp"

namespace emulation_tests {

namespace emulation = monofold::emulation;

struct shape {
  dim3 grid;
  dim3 block;
  std::size_t shared_bytes = 0;
  unsigned cluster = 1;
};

template <class... Parameters, class... Arguments>
cudaError_t start(const shape& of, void (*kernel)(Parameters...), Arguments... arguments) {
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim = {of.cluster, 1, 1};
  cudaLaunchConfig_t config{};
  config.gridDim = of.grid;
  config.blockDim = of.block;
  config.dynamicSmemBytes = of.shared_bytes;
  config.attrs = &attribute;
  config.numAttrs = 1;
  return cudaLaunchKernelEx(&config, kernel, static_cast<Parameters>(arguments)...);
}

/// The one report that a kernel gets. It is printed too, and the launch fails.
template <class... Parameters, class... Arguments>
emulation::report report_of(const shape& of, void (*kernel)(Parameters...),
                            Arguments... arguments) {
  testing::internal::CaptureStderr();
  const cudaError_t code = start(of, kernel, arguments...);
  const std::string printed = testing::internal::GetCapturedStderr();
  EXPECT_EQ(code, cudaErrorLaunchFailure);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorLaunchFailure);
  const std::vector<emulation::report> found = emulation::take_reports();
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  if (found.size() != 1) {
    ADD_FAILURE() << found.size() << " reports\n" << printed;
    return {};
  }
  EXPECT_EQ(printed, emulation::to_text(found[0]));
  return found[0];
}

/// Expects such a report, in every one of many orders of threads.
template <class... Parameters, class... Arguments>
void expect_found(emulation::finding what, const std::string& kernel_name, const std::string& words,
                  const shape& of, void (*kernel)(Parameters...), Arguments... arguments) {
  const std::uint64_t before = emulation::seed();
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    emulation::set_seed(seed);
    const emulation::report found = report_of(of, kernel, arguments...);
    EXPECT_EQ(found.what, what) << found.text;
    EXPECT_EQ(found.kernel, kernel_name);
    EXPECT_EQ(found.seed, seed);
    EXPECT_NE(found.text.find(words), std::string::npos) << found.text;
    EXPECT_LT(found.block.x, of.grid.x);
    EXPECT_LT(found.thread.x, of.block.x);
  }
  emulation::set_seed(before);
}

/// Expects none, in every one of many orders.
template <class... Parameters, class... Arguments>
void expect_clean(const shape& of, void (*kernel)(Parameters...), Arguments... arguments) {
  const std::uint64_t before = emulation::seed();
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    emulation::set_seed(seed);
    EXPECT_EQ(start(of, kernel, arguments...), cudaSuccess) << "seed " << seed;
    EXPECT_TRUE(emulation::take_reports().empty());
  }
  emulation::set_seed(before);
}

/// Device memory of `count` numbers, each 0 at first.
class numbers {
 public:
  explicit numbers(std::size_t count) : count_(count) {
    EXPECT_EQ(cudaMalloc(&memory_, count * sizeof(int)), cudaSuccess);
    EXPECT_EQ(cudaMemset(memory_, 0, count * sizeof(int)), cudaSuccess);
  }
  numbers(const numbers&) = delete;
  numbers& operator=(const numbers&) = delete;
  ~numbers() { static_cast<void>(cudaFree(memory_)); }

  int* data() const { return memory_; }
  std::vector<int> host() const {
    std::vector<int> out(count_);
    EXPECT_EQ(cudaMemcpy(out.data(), memory_, count_ * sizeof(int), cudaMemcpyDeviceToHost),
              cudaSuccess);
    return out;
  }

 private:
  int* memory_ = nullptr;
  std::size_t count_;
};

}  // namespace emulation_tests
