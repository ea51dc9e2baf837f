// Launches for which there is no memory: they say so, and the next launch knows nothing of them.

#include <cstdio>
#include <cstdlib>

#include "tests/emulation/planted.cuh"
#include "tests/inputs/short_memory.hpp"

namespace {

using emulation_tests::numbers;
using emulation_tests::start;

constexpr int num_blocks = 8;
constexpr int num_threads = 1024;

/// Threads go on to what others wrote: a record that an earlier launch left behind would be found.
__global__ void count_threads_kernel(int* out) {
  __shared__ int cells[num_threads];
  cells[blockDim.x - 1 - threadIdx.x] = 1;
  __syncthreads();
  if (threadIdx.x != 0) return;
  int count = 0;
  for (unsigned i = 0; i < blockDim.x; ++i) count += cells[i];
  out[blockIdx.x] = count;
}

void expect(bool is_so, const char* what) {
  if (is_so) return;
  std::fprintf(stderr, "%s\n", what);
  std::exit(1);
}

/// More and more memory, until it is enough: each launch ends in another place.
[[noreturn]] void fail_and_go_on() {
  const numbers out(num_blocks);
  int num_failed = 0;
  for (std::size_t kib = 0;; kib = kib * 3 / 2 + 40) {
    cudaError_t code = cudaSuccess;
    {
      const inputs::short_memory here(kib * 1024);
      code = start({num_blocks, num_threads}, count_threads_kernel, out.data());
    }
    expect(monofold::emulation::take_reports().empty(), "there is a report");
    if (code == cudaSuccess) break;
    expect(code == cudaErrorMemoryAllocation, "not out of memory");
    expect(start({1, 32}, count_threads_kernel, out.data()) == cudaSuccess, "the next one failed");
    ++num_failed;
  }
  expect(num_failed > 3, "memory was not short");
  expect(out.host() == std::vector<int>(num_blocks, num_threads), "a wrong count");
  std::exit(0);
}

TEST(emulation_short_memory, a_launch_that_fails_leaves_nothing_behind) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(fail_and_go_on(), testing::ExitedWithCode(0), "");
}

}  // namespace
