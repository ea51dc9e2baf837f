#include "bench/groups/keys.hpp"

#include <cuda_runtime.h>

#include <limits>

#include "bench/gpu/check.cuh"
#include "bench/gpu/mixed.cuh"
#include "bench/groups/cases.hpp"
#include "bench/groups/shuffled.hpp"

namespace bench {

namespace {

template <class Key>
__global__ void run_keys_kernel(Key* out, std::int64_t count, std::int64_t length) {
  const std::int64_t step = std::int64_t{gridDim.x} * blockDim.x;
  for (std::int64_t i = blockIdx.x * std::int64_t{blockDim.x} + threadIdx.x; i < count; i += step) {
    const auto run = static_cast<std::uint64_t>(i / length);
    // The factor is odd: neighbours differ as keys of 32 bits, too.
    out[i] = static_cast<Key>(run * 0x9e3779b97f4a7c15u);
  }
}

__global__ void group_keys_kernel(std::int64_t* out, std::uint64_t count,
                                  std::uint64_t num_groups) {
  const std::uint64_t step = std::uint64_t{gridDim.x} * blockDim.x;
  for (std::uint64_t i = blockIdx.x * std::uint64_t{blockDim.x} + threadIdx.x; i < count;
       i += step) {
    out[i] =
        static_cast<std::int64_t>(num_groups == count ? shuffled(i, count) : mixed(i) % num_groups);
  }
}

}  // namespace

const char* name_of(grouping kind) {
  static constexpr const char* names[] = {"runs", "sorted", "first"};
  return names[static_cast<int>(kind)];
}

void fill_run_keys(gpu_items type, void* keys, std::int64_t count, std::int64_t length) {
  if (type == gpu_items::int32) {
    run_keys_kernel<<<2048, 256>>>(static_cast<std::int32_t*>(keys), count, length);
  } else {
    run_keys_kernel<<<2048, 256>>>(static_cast<std::int64_t*>(keys), count, length);
  }
  check(cudaDeviceSynchronize(), "filling the keys");
}

void fill_group_keys(void* keys, std::int64_t count, std::int64_t num_groups) {
  group_keys_kernel<<<2048, 256>>>(static_cast<std::int64_t*>(keys),
                                   static_cast<std::uint64_t>(count),
                                   static_cast<std::uint64_t>(num_groups));
  check(cudaDeviceSynchronize(), "filling the keys");
}

void keep_pool_memory() {
  cudaMemPool_t pool = nullptr;
  check(cudaDeviceGetDefaultMemPool(&pool, 0), "cudaDeviceGetDefaultMemPool");
  std::uint64_t kept = std::numeric_limits<std::uint64_t>::max();
  check(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &kept),
        "cudaMemPoolSetAttribute");
}

}  // namespace bench
