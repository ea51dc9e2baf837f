// Kernels that read a range as fast as it goes and add it up as floats, in no stated order. They are
// what "share of the limit" refers to; none is a reduction that one could use.

#include <algorithm>
#include <memory>

#include "bench/gpu/check.cuh"
#include "bench/gpu/device.hpp"

namespace bench {

namespace {

template <int threads, int loads, bool by_tiles>
__global__ void __launch_bounds__(threads)
    read_kernel(const float4* items, std::int64_t chunks, float* out) {
  float total = 0;
  const std::int64_t step = by_tiles ? threads : std::int64_t{gridDim.x} * threads;
  const std::int64_t jump = std::int64_t{gridDim.x} * threads * loads;
  std::int64_t at = by_tiles ? std::int64_t{blockIdx.x} * threads * loads + threadIdx.x
                             : std::int64_t{blockIdx.x} * threads + threadIdx.x;
  for (; at + (loads - 1) * step < chunks; at += jump) {
    float4 taken[loads];
#pragma unroll
    for (int i = 0; i < loads; ++i) taken[i] = __ldcs(items + at + i * step);
#pragma unroll
    for (int i = 0; i < loads; ++i) total += (taken[i].x + taken[i].y) + (taken[i].z + taken[i].w);
  }
  for (int i = 0; i < loads && at + i * step < chunks; ++i) {
    const float4 last = __ldcs(items + at + i * step);
    total += (last.x + last.y) + (last.z + last.w);
  }
  __shared__ float warps[threads / 32];
  for (int distance = 16; distance > 0; distance /= 2) {
    total += __shfl_down_sync(~0u, total, distance);
  }
  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = total;
  __syncthreads();
  if (threadIdx.x != 0) return;
  for (int w = 1; w < threads / 32; ++w) total += warps[w];
  atomicAdd(out, total);  // one a block
}

template <int threads, int loads, bool by_tiles>
gpu_subject reader(const char* name, int blocks_each) {
  gpu_subject made;
  made.path = name;
  made.prepare = [](std::int64_t) {};
  made.start = [=](const gpu_range& range, void* out, void* stream) {
    // The count is in units of 16 bytes here.
    const std::int64_t per_block = std::int64_t{threads} * loads;
    const std::int64_t most = std::int64_t{132} * blocks_each;
    const auto blocks =
        std::clamp<std::int64_t>((range.count + per_block - 1) / per_block, 1, most);
    read_kernel<threads, loads, by_tiles>
        <<<static_cast<unsigned>(blocks), threads, 0, static_cast<cudaStream_t>(stream)>>>(
            static_cast<const float4*>(range.items), range.count, static_cast<float*>(out));
    check(cudaGetLastError(), "a read kernel");
  };
  made.values = [](const void*) { return std::vector<double>{}; };
  return made;
}

__global__ void nothing_kernel() {}

}  // namespace

gpu_subject empty_kernel() {
  gpu_subject made;
  made.path = "empty kernel";
  made.prepare = [](std::int64_t) {};
  made.start = [](const gpu_range&, void*, void* stream) {
    nothing_kernel<<<1, 32, 0, static_cast<cudaStream_t>(stream)>>>();
    check(cudaGetLastError(), "an empty kernel");
  };
  made.values = [](const void*) { return std::vector<double>{}; };
  return made;
}

std::vector<gpu_subject> read_kernels() {
  return {reader<256, 4, false>("256 x 4 by grid", 8), reader<512, 8, false>("512 x 8 by grid", 4),
          reader<256, 8, true>("256 x 8 by tiles", 8), reader<512, 4, true>("512 x 4 by tiles", 4)};
}

}  // namespace bench
