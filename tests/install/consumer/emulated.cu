// A user's CUDA source, without a GPU: a reduction, and a kernel of one's own.

#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

#include "monofold/monofold.cuh"
// [emulated]
#include "monofold/emulated.cuh"
namespace mf = monofold;

// [/emulated]

__global__ void total_kernel(const float* items, float* out) {
  __shared__ mf::block_storage<decltype(mf::plain_sum), float> storage;
  const float sum = mf::block::reduce(mf::plain_sum, items[threadIdx.x], storage);
  if (threadIdx.x == 0) *out = sum;
}

int main() {
  // [emulated]
  const std::vector<float> items(10001, 0.1f);
  const double there = mf::reduce(mf::emulated, items, mf::sum);  // kernels of the GPU engine
  const double here = mf::reduce(mf::cpu, items, mf::sum);        // the same bits
  // [/emulated]

  float* device = nullptr;
  if (cudaMalloc(&device, 201 * sizeof(float)) != cudaSuccess) return 1;
  const std::vector<float> ones(200, 1.0f);
  if (cudaMemcpy(device, ones.data(), 800, cudaMemcpyHostToDevice) != cudaSuccess) return 1;
  cudaLaunchConfig_t config{};
  config.gridDim = 1;
  config.blockDim = 200;
  if (cudaLaunchKernelEx(&config, total_kernel, device, device + 200) != cudaSuccess) return 1;
  float total = 0;
  if (cudaMemcpy(&total, device + 200, 4, cudaMemcpyDeviceToHost) != cudaSuccess) return 1;
  std::printf("%.17g %.17g %g\n", there, here, static_cast<double>(total));
  return there == here && total == 200.0f ? 0 : 1;
}
