// The CUDA of README.md, docs/gpu.md and docs/emulated.md: their code blocks are the marked pieces
// (tests/docs/snippets_test.py).

#include <cstdint>
#include <span>
#include <vector>

// [gpu_calls]
#include "monofold/monofold.cuh"
namespace mf = monofold;

// [/gpu_calls]
// [segment_calls]
#include "monofold/reduce_segments.cuh"
// [/segment_calls]
#include "tests/gpu/device.cuh"

namespace {

using gpu_tests::device_array;

// [readme_kernel]
__global__ void __launch_bounds__(1024) sum_blocks(const float* x, float* sums) {
  __shared__ mf::block_storage<decltype(mf::plain_sum), float> storage;
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  const float sum = mf::block::reduce(mf::plain_sum, x[i], storage);  // in thread 0
  if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}
// [/readme_kernel]

// [gpu_own]
struct larger {
  MONOFOLD_HD int operator()(int a, int b) const { return a > b ? a : b; }
};
// [/gpu_own]

// [dynamic_shared]
__device__ float* dynamic_floats() {
#if defined(MONOFOLD_EMULATED)
  return static_cast<float*>(monofold::emulation::dynamic_shared_memory());
#else
  extern __shared__ float floats[];
  return floats;
#endif
}
// [/dynamic_shared]

__global__ void reversed_kernel(float* x) {
  dynamic_floats()[blockDim.x - 1 - threadIdx.x] = x[threadIdx.x];
  __syncthreads();  // what was written above is read below
  x[threadIdx.x] = dynamic_floats()[threadIdx.x];
}

class gpu_readme : public gpu_tests::gpu_test {};

TEST_F(gpu_readme, kernel) {
  const device_array<float> x(std::vector<float>(2048, 1.0F));
  const device_array<float> sums(2);
  gpu_tests::start(sum_blocks, 2, 1024, x.data(), sums.data());
  EXPECT_EQ(sums.host(), (std::vector<float>{1024, 1024}));
}

TEST_F(gpu_readme, operator_of_ones_own) {
  const device_array<int> readings(std::vector<int>{3, 9, 4});
  const std::span<const int> range = readings.span(0, 3);
  // [gpu_own]
  auto largest = mf::reduce(mf::gpu, range, mf::ordered(larger{}));  // waits; the bits of mf::cpu
  // [/gpu_own]
  EXPECT_EQ(largest, 9);
}

TEST_F(gpu_readme, dynamic_shared_memory) {
  const device_array<float> x(std::vector<float>{1, 2, 3});
  cudaLaunchConfig_t config{};
  config.gridDim = 1;
  config.blockDim = 3;
  config.dynamicSmemBytes = 3 * sizeof(float);
  ASSERT_EQ(cudaLaunchKernelEx(&config, reversed_kernel, x.data()), cudaSuccess);
  EXPECT_EQ(x.host(), (std::vector<float>{3, 2, 1}));
}

TEST_F(gpu_readme, calls) {
  const std::vector<float> values{0.5F, 1e30F, 0.25F, -1e30F};
  const device_array<float> array(values);
  const device_array<double> answer(1);
  const float* const device_pointer = array.data();
  const std::size_t n = values.size();
  double* const out = answer.data();
  cudaStream_t stream = nullptr;
  // [gpu_calls]
  std::span<const float> x(device_pointer, n);             // device, managed or pinned memory
  double total = mf::reduce(mf::gpu, x, mf::sum);          // waits for the value
  auto best = mf::reduce(mf::gpu(stream), x, mf::argmax);  // std::int64_t, the first largest

  mf::gpu_workspace workspace(mf::workspace_bytes(x, mf::sum));  // once
  mf::reduce_into(mf::gpu(stream), x, mf::sum, out, workspace);  // does not wait
  // [/gpu_calls]
  EXPECT_EQ(total, 0.75);
  EXPECT_EQ(best, 1);
  EXPECT_EQ(answer.host()[0], 0.75);
}

TEST_F(gpu_readme, segments) {
  const device_array<float> array(std::vector<float>(400, 0.25f));
  const device_array<std::int64_t> offsets(std::vector<std::int64_t>{0, 4, 4, 400});
  const device_array<double> answers(3);
  const std::int64_t* const device_offsets = offsets.data();
  const std::int64_t count = 3;
  const std::int64_t rows = 4;
  const std::span<const float> x = array.span(0, 400);
  double* const out = answers.data();
  const cudaStream_t stream = nullptr;
  // [segment_calls]
  mf::offset_segments<std::int64_t> segments(device_offsets, count);  // never read by the host
  mf::gpu_workspace workspace(mf::workspace_bytes(x, segments, mf::sum));
  mf::reduce_segments_into(mf::gpu(stream), x, segments, mf::sum, out, workspace);  // does not wait
  std::vector<float> most = mf::reduce_segments(mf::gpu, x, mf::fixed_segments(100, rows), mf::max);
  // [/segment_calls]
  EXPECT_EQ(most, std::vector<float>(4, 0.25f));
  EXPECT_EQ(answers.host(), (std::vector<double>{1, 0, 99}));
}

TEST_F(gpu_readme, top) {
  const device_array<float> array(std::vector<float>{3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5});
  const device_array<float> best_values(10);
  const device_array<std::int64_t> best_indices(10);
  const std::span<const float> x = array.span(0, 11);
  float* const values = best_values.data();
  std::int64_t* const indices = best_indices.data();
  cudaStream_t stream = nullptr;
  // [gpu_top]
  auto best = mf::reduce(mf::gpu, x, mf::top(10));  // values and indices, best first
  mf::gpu_workspace workspace(mf::workspace_bytes(x, mf::top(10)));
  mf::reduce_into(mf::gpu(stream), x, mf::top(10), mf::top_out<float>{values, indices}, workspace);
  // [/gpu_top]
  EXPECT_EQ(best.values[0], 9);
  EXPECT_EQ(best.indices, best_indices.host());
  EXPECT_EQ(best.values, best_values.host());
}

}  // namespace
