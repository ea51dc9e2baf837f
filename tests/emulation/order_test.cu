// The order of threads and blocks: by the seed, and different for different ones.

#include <algorithm>
#include <numeric>

#include "tests/emulation/planted.cuh"

namespace {

using emulation_tests::numbers;
namespace emulation = monofold::emulation;

__global__ void order_kernel(int* order) {
  const int place = atomicAdd(order, 1);
  order[1 + place] = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
}

std::vector<int> order_of(std::uint64_t seed) {
  const numbers out(1 + 12 * 64);
  emulation::set_seed(seed);
  EXPECT_EQ(emulation_tests::start({12, 64}, order_kernel, out.data()), cudaSuccess);
  auto order = out.host();
  order.erase(order.begin());
  return order;
}

TEST(emulation_order, a_seed_gives_one_order_of_all_threads) {
  const auto first = order_of(5);
  EXPECT_EQ(first, order_of(5));
  EXPECT_NE(first, order_of(6));
  auto sorted = first;
  std::sort(sorted.begin(), sorted.end());
  std::vector<int> all(sorted.size());
  std::iota(all.begin(), all.end(), 0);
  EXPECT_EQ(sorted, all);
  EXPECT_NE(first, all);
  // Blocks are not in order either.
  std::vector<int> blocks;
  for (const int thread : first) {
    if (std::find(blocks.begin(), blocks.end(), thread / 64) == blocks.end()) {
      blocks.push_back(thread / 64);
    }
  }
  EXPECT_FALSE(std::is_sorted(blocks.begin(), blocks.end()));
}

TEST(emulation_order, launches_of_one_seed_differ) {
  emulation::set_seed(5);
  const auto once = [] {
    const numbers out(1 + 64);
    EXPECT_EQ(emulation_tests::start({1, 64}, order_kernel, out.data()), cudaSuccess);
    return out.host();
  };
  EXPECT_NE(once(), once());
}

__global__ void places_kernel(int* out) {
  const unsigned block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  const unsigned thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  atomicAdd(out + block * 24 + thread, 1);
}

TEST(emulation_order, every_thread_of_every_block_runs_once) {
  const numbers out(30 * 24);
  const emulation_tests::shape shape{dim3(5, 3, 2), dim3(2, 3, 4)};
  ASSERT_EQ(emulation_tests::start(shape, places_kernel, out.data()), cudaSuccess);
  for (const int times : out.host()) EXPECT_EQ(times, 1);
}

TEST(emulation_order, launches_that_no_device_runs_are_refused) {
  const numbers out(1);
  const auto refused = [&](const emulation_tests::shape& shape) {
    EXPECT_EQ(emulation_tests::start(shape, places_kernel, out.data()),
              cudaErrorInvalidConfiguration);
  };
  refused({0, 1});
  refused({1, 1025});
  refused({1, 1, 1 << 20});
  refused({3, 1, 0, 2});
  refused({32, 1, 0, 32});
}

}  // namespace
