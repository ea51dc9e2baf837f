#pragma once
/// bench/scaling/shards: memory of several devices, filled so that an item depends on its index among all alone.

#include <cuda_runtime.h>

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "bench/gpu/check.cuh"
#include "bench/gpu/mixed.cuh"

namespace bench {

namespace detail {

/// Words of [0, 1).
__global__ void fill_shard_kernel(float* to, std::int64_t count, std::int64_t first) {
  const std::int64_t step = std::int64_t{gridDim.x} * blockDim.x;
  for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += step) {
    to[i] = static_cast<float>(mixed(static_cast<std::uint64_t>(first + i)) >> 40) * 0x1p-24f;
  }
}

}  // namespace detail

/// Memory of one device.
class device_shard {
 public:
  device_shard(int device, std::int64_t num_floats) : device_(device), count_(num_floats) {
    check(cudaSetDevice(device), "cudaSetDevice");
    void* memory = nullptr;
    check(cudaMalloc(&memory, static_cast<std::size_t>(num_floats) * sizeof(float)), "cudaMalloc");
    memory_ = static_cast<float*>(memory);
  }
  device_shard(const device_shard&) = delete;
  device_shard& operator=(const device_shard&) = delete;
  ~device_shard() { static_cast<void>(cudaFree(memory_)); }

  /// Items `first`, `first` + 1, ..; waits.
  void fill(std::int64_t first) {
    check(cudaSetDevice(device_), "cudaSetDevice");
    detail::fill_shard_kernel<<<1024, 256>>>(memory_, count_, first);
    check(cudaDeviceSynchronize(), "fill_shard_kernel");
  }
  template <class Item>
  std::span<const Item> items(std::int64_t num_floats) const {
    return {reinterpret_cast<const Item*>(memory_),
            static_cast<std::size_t>(num_floats) * sizeof(float) / sizeof(Item)};
  }
  int device() const { return device_; }

 private:
  int device_;
  float* memory_ = nullptr;
  std::int64_t count_;
};

/// So many floats of each of the first devices.
struct shard_range {
  const std::vector<std::unique_ptr<device_shard>>& all;
  std::vector<std::int64_t> num_floats;

  std::size_t num_devices() const { return num_floats.size(); }
  template <class Item>
  std::span<const Item> items(std::size_t i) const {
    return all[i]->items<Item>(num_floats[i]);
  }
};

}  // namespace bench
