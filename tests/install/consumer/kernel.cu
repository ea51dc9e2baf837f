// A user's CUDA source: a block reduction in a kernel of his own, and the engine. Without a device
// it is compiled and linked all the same, and says so.

#include <cstdio>

#include <cuda_runtime_api.h>
#include "monofold/monofold.cuh"

namespace mf = monofold;

__global__ void totals(const float* x, float* out) {
  __shared__ mf::block_storage<decltype(mf::plain_sum), float> storage;
  const float sum = mf::block::reduce(mf::plain_sum, x[threadIdx.x], storage);
  if (threadIdx.x == 0) *out = sum;
}

int main() {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    std::puts("no device");
    return 0;
  }
  float* x = nullptr;
  if (cudaMallocManaged(&x, 65 * sizeof(float)) != cudaSuccess) return 1;
  for (int i = 0; i < 64; ++i) x[i] = static_cast<float>(i);
  totals<<<1, 64>>>(x, x + 64);
  if (cudaDeviceSynchronize() != cudaSuccess || x[64] != 2016) return 1;
  const std::span<const float> range(x, 64);
  return mf::reduce(mf::gpu, range, mf::sum) == mf::reduce(range, mf::sum) ? 0 : 1;
}
