#pragma once
/// ladder/broken: runs a broken kernel under many orders of threads and blocks.

#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "emulation/random.hpp"
#include "emulation/report.hpp"
#include "tests/gpu/device.cuh"

namespace ladder_tests {

namespace emulation = monofold::emulation;
using emulation::finding;
using gpu_tests::device_array;

/// Calls `run` under 20 seeds.
template <class Run>
void for_seeds(const Run& run) {
  const std::uint64_t before = emulation::seed();
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    emulation::set_seed(seed);
    run(seed);
  }
  emulation::set_seed(before);
}

/// Launches; how it ended.
template <class... Parameters, class... Arguments>
cudaError_t start(void (*kernel)(Parameters...), unsigned blocks, unsigned threads,
                  Arguments... arguments) {
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(blocks);
  config.blockDim = dim3(threads);
  return cudaLaunchKernelEx(&config, kernel, static_cast<Parameters>(arguments)...);
}

/// The emulated device finds this in every order.
template <class... Parameters, class... Arguments>
void expect_found(finding what, void (*kernel)(Parameters...), unsigned blocks, unsigned threads,
                  Arguments... arguments) {
  for_seeds([&](std::uint64_t seed) {
    testing::internal::CaptureStderr();
    EXPECT_EQ(start(kernel, blocks, threads, arguments...), cudaErrorLaunchFailure) << seed;
    static_cast<void>(testing::internal::GetCapturedStderr());
    const std::vector<emulation::report> found = emulation::take_reports();
    ASSERT_EQ(found.size(), 1u) << seed;
    EXPECT_EQ(found[0].what, what) << found[0].text;
  });
}

/// In how many of 20 orders the result is right; the emulated device has nothing to say.
template <class Run, class T>
int times_right(const Run& run, const T& wanted) {
  int right = 0;
  for_seeds([&](std::uint64_t seed) {
    right += run() == wanted ? 1 : 0;
    EXPECT_TRUE(emulation::take_reports().empty()) << seed;
  });
  return right;
}

/// Whether an order gives a wrong result, of 200: for what goes wrong once in 30.
template <class Run, class T>
bool is_ever_wrong(const Run& run, const T& wanted) {
  const std::uint64_t before = emulation::seed();
  bool is_wrong = false;
  for (std::uint64_t seed = 1; seed <= 200 && !is_wrong; ++seed) {
    emulation::set_seed(seed);
    is_wrong = !(run() == wanted);
    EXPECT_TRUE(emulation::take_reports().empty()) << seed;
  }
  emulation::set_seed(before);
  return is_wrong;
}

}  // namespace ladder_tests
