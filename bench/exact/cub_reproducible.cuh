#pragma once
/// bench/exact/cub_reproducible: CUB's sum that is the same on every GPU, where its version has one.

#include <cub/cub.cuh>
#include <memory>
#include <string>
#include <vector>

#include "bench/gpu/cases.hpp"
#include "bench/gpu/check.cuh"
#include "bench/gpu/cub_peer.cuh"

#if __has_include(<cuda/__execution/determinism.h>) && CUB_MAJOR_VERSION >= 3 && CUB_MINOR_VERSION >= 2
#define MONOFOLD_BENCH_CUB_REPRODUCIBLE 1
#include <cuda/__execution/determinism.h>
#include <cuda/__execution/require.h>
#include <cuda/memory_resource>
#include <cuda/std/execution>
#include <cuda/stream_ref>
#endif

namespace bench {

#if defined(MONOFOLD_BENCH_CUB_REPRODUCIBLE)

#if CUB_MAJOR_VERSION > 3 || CUB_MINOR_VERSION >= 6
using memory_query = cuda::mr::get_memory_resource_t;
#else
using memory_query = cuda::mr::__get_memory_resource_t;
#endif

/// Memory that is there already: the peer's time has no allocation in it.
class ready_memory {
 public:
  explicit ready_memory(void* memory) : memory_(memory) {}
  void* allocate(cuda::stream_ref, std::size_t, std::size_t = 256) { return memory_; }
  void deallocate(cuda::stream_ref, void*, std::size_t, std::size_t = 256) noexcept {}
  void* allocate_sync(std::size_t, std::size_t = 256) { return memory_; }
  void deallocate_sync(void*, std::size_t, std::size_t = 256) noexcept {}
  friend bool operator==(const ready_memory&, const ready_memory&) = default;
  friend void get_property(const ready_memory&, cuda::mr::device_accessible) noexcept {}

 private:
  void* memory_;
};

template <class Item>
std::vector<gpu_subject> cub_reproducible_sums() {
  const auto memory = std::make_shared<cub_memory>();
  gpu_subject made;
  made.path = cub_name() + " gpu_to_gpu";
  made.prepare = [=](std::int64_t) {
    if (memory->data == nullptr) memory->reserve(std::size_t{256} << 20);
  };
  made.start = [=](const gpu_range& range, void* out, void* stream) {
    namespace execution = cuda::execution;
    const ready_memory resource(memory->data);
    const cuda::stream_ref on(static_cast<cudaStream_t>(stream));
    const auto how =
        cuda::std::execution::env{on, execution::require(execution::determinism::gpu_to_gpu),
                                  cuda::std::execution::prop{memory_query{}, resource}};
    check(cub::DeviceReduce::Reduce(static_cast<const Item*>(range.items), static_cast<Item*>(out),
                                    range.count, cuda::std::plus<Item>{}, Item{}, how),
          "CUB");
  };
  made.values = [](const void* out) {
    return std::vector<double>{static_cast<double>(*static_cast<const Item*>(out))};
  };
  return {made};
}

#else

template <class Item>
std::vector<gpu_subject> cub_reproducible_sums() {
  return {};
}

#endif

}  // namespace bench
