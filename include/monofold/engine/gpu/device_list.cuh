#pragma once
/// engine/gpu/device_list: device memory that lives for a part of one call.

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <utility>

#include "monofold/engine/gpu/engine.cuh"
#include "monofold/engine/gpu/launch.cuh"

namespace monofold::detail {

/// So many values of device memory, of the current pool of the device where it has pools.
///
/// shape      aligned to 256 bytes; nothing is in it. Made without arguments: none
/// sync       is there, and is given back, in the order of the stream: what was started before may still use it
/// errors     throws `error`: out_of_memory
template <class T>
class device_list {
 public:
  device_list() = default;
  device_list(const device_stream& on, std::int64_t count) : on_(on), size_(count) {
    const auto bytes = static_cast<std::size_t>(count > 0 ? count : 1) * sizeof(T);
#if !defined(MONOFOLD_EMULATED)
    int has_pools = 0;
    throw_if(
        failure_of(cudaDeviceGetAttribute(&has_pools, cudaDevAttrMemoryPoolsSupported, on.device),
                   "cudaDeviceGetAttribute"));
    is_pooled_ = has_pools != 0;
    if (is_pooled_) {
      throw_if(failure_of(cudaMallocAsync(&memory_, bytes, on.stream), "cudaMallocAsync"));
      return;
    }
#endif
    throw_if(failure_of(cudaMalloc(&memory_, bytes), "cudaMalloc"));
  }
  device_list(device_list&& other) noexcept { *this = std::move(other); }
  device_list& operator=(device_list&& other) noexcept {
    std::swap(on_, other.on_);
    std::swap(memory_, other.memory_);
    std::swap(size_, other.size_);
    std::swap(is_pooled_, other.is_pooled_);
    return *this;
  }
  ~device_list() { give_back(); }

  std::int64_t size() const { return size_; }
  T* data() const { return static_cast<T*>(memory_); }

  void give_back() {
    if (memory_ == nullptr) return;
#if !defined(MONOFOLD_EMULATED)
    if (is_pooled_) {
      static_cast<void>(cudaFreeAsync(memory_, on_.stream));
    } else  // NOLINT(readability-misleading-indentation)
#endif
      static_cast<void>(cudaFree(memory_));
    memory_ = nullptr;
    size_ = 0;
  }

 private:
  device_stream on_{};
  void* memory_ = nullptr;
  std::int64_t size_ = 0;
  bool is_pooled_ = false;
};

}  // namespace monofold::detail
