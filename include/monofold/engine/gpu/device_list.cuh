#pragma once
/// engine/gpu/device_list: device memory that lives for a part of one call.

#include <cuda_runtime_api.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <utility>

#include "monofold/engine/gpu/engine.cuh"
#include "monofold/engine/gpu/launch.cuh"

namespace monofold::detail {

#if !defined(MONOFOLD_EMULATED)
inline bool has_pools(int device) {
  int has = 0;
  throw_if(failure_of(cudaDeviceGetAttribute(&has, cudaDevAttrMemoryPoolsSupported, device),
                      "cudaDeviceGetAttribute"));
  return has != 0;
}

/// The pool from which lists are allocated. It is the device's current one, if the program has set that pool or its
/// release threshold. If not, it is a pool of the library, which keeps memory from call to call, up to a 64th of the
/// device's.
///
/// errors     throws `error`: out_of_memory, internal
/// source     the default pool gives memory back when a stream is waited for: then 51 MB took 0.35 ms to get, on an H200
inline cudaMemPool_t pool_of_lists(int device) {
  const auto check = [](cudaError_t code, const char* call) { throw_if(failure_of(code, call)); };
  cudaMemPool_t current = nullptr, standard = nullptr;
  check(cudaDeviceGetMemPool(&current, device), "cudaDeviceGetMemPool");
  check(cudaDeviceGetDefaultMemPool(&standard, device), "cudaDeviceGetDefaultMemPool");
  if (current != standard) return current;
  std::uint64_t kept = 0;
  check(cudaMemPoolGetAttribute(current, cudaMemPoolAttrReleaseThreshold, &kept),
        "cudaMemPoolGetAttribute");
  static std::array<cudaMemPool_t, 64> own{};
  if (kept != 0 || device >= static_cast<int>(own.size())) return current;
  static std::mutex making;
  const std::scoped_lock lock(making);
  cudaMemPool_t& pool = own[static_cast<std::size_t>(device)];
  if (pool == nullptr) {
    std::size_t free_bytes = 0, all_bytes = 0;
    check(cudaMemGetInfo(&free_bytes, &all_bytes), "cudaMemGetInfo");
    cudaMemPoolProps what{};
    what.allocType = cudaMemAllocationTypePinned;
    what.location.type = cudaMemLocationTypeDevice;
    what.location.id = device;
    check(cudaMemPoolCreate(&pool, &what), "cudaMemPoolCreate");
    kept = all_bytes / 64;
    check(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &kept),
          "cudaMemPoolSetAttribute");
  }
  return pool;
}
#endif

/// How many bytes stay allocated for lists to come.
///
/// errors     throws `error`: as pool_of_lists
inline std::int64_t bytes_kept_for_lists([[maybe_unused]] int device) {
#if defined(MONOFOLD_EMULATED)
  return std::int64_t{1} << 30;
#else
  if (!has_pools(device)) return 0;
  std::uint64_t kept = 0;
  throw_if(failure_of(
      cudaMemPoolGetAttribute(pool_of_lists(device), cudaMemPoolAttrReleaseThreshold, &kept),
      "cudaMemPoolGetAttribute"));
  constexpr std::uint64_t most = std::uint64_t{1} << 62;
  return static_cast<std::int64_t>(kept < most ? kept : most);
#endif
}

/// Device memory for so many values, from a pool where the device has pools.
///
/// shape      aligned to 256 bytes, not initialized. Made without arguments it has no memory
/// sync       allocated and freed in the order of the stream: kernels that were started before the end of its life may
///            use it
/// errors     throws `error`: out_of_memory
template <class T>
class device_list {
 public:
  device_list() = default;
  device_list(const device_stream& on, std::int64_t count) : on_(on), size_(count) {
    const auto bytes = static_cast<std::size_t>(count > 0 ? count : 1) * sizeof(T);
#if !defined(MONOFOLD_EMULATED)
    is_pooled_ = has_pools(on.device);
    if (is_pooled_) {
      throw_if(
          failure_of(cudaMallocFromPoolAsync(&memory_, bytes, pool_of_lists(on.device), on.stream),
                     "cudaMallocFromPoolAsync"));
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

  /// Forgets all values but the first `count`; the memory stays.
  void shorten(std::int64_t count) { size_ = count; }

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
