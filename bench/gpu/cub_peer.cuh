#pragma once
/// bench/gpu/cub_peer: CUB's and Thrust's reductions as subjects.

#include <thrust/device_ptr.h>
#include <thrust/execution_policy.h>
#include <thrust/reduce.h>

#include <cub/cub.cuh>
#include <cuda/functional>
#include <memory>
#include <string>
#include <utility>

#include "bench/gpu/cases.hpp"
#include "bench/gpu/check.cuh"

namespace bench {

inline std::string cub_name() {
  return "cub " + std::to_string(CUB_MAJOR_VERSION) + "." + std::to_string(CUB_MINOR_VERSION);
}

/// Temporary memory of CUB's, which its first call asks for.
struct cub_memory {
  void* data = nullptr;
  std::size_t bytes = 0;

  cub_memory() = default;
  cub_memory(const cub_memory&) = delete;
  cub_memory& operator=(const cub_memory&) = delete;
  ~cub_memory() { static_cast<void>(cudaFree(data)); }
  void reserve(std::size_t wanted) {
    static_cast<void>(cudaFree(data));
    check(cudaMalloc(&data, wanted + 1), "cudaMalloc");
    bytes = wanted;
  }
};

/// `call` is one of CUB's: (temporary, bytes, items, out, count, stream).
template <class Item, class Out, class Call>
gpu_subject cub_subject(Call call) {
  const auto memory = std::make_shared<cub_memory>();
  gpu_subject made;
  made.path = cub_name();
  made.prepare = [=](std::int64_t count) {
    std::size_t bytes = 0;
    check(call(nullptr, bytes, static_cast<const Item*>(nullptr), static_cast<Out*>(nullptr), count,
               cudaStream_t{}),
          "CUB");
    memory->reserve(bytes);
  };
  made.start = [=](const gpu_range& range, void* out, void* stream) {
    std::size_t bytes = memory->bytes;
    check(call(memory->data, bytes, static_cast<const Item*>(range.items), static_cast<Out*>(out),
               range.count, static_cast<cudaStream_t>(stream)),
          "CUB");
  };
  return made;
}

/// A sum of items accumulated as `Total`.
template <class Item, class Total>
gpu_subject cub_sum() {
  auto made = cub_subject<Item, Total>([](void* memory, std::size_t& bytes, const Item* items,
                                          Total* out, std::int64_t count, cudaStream_t stream) {
    return cub::DeviceReduce::Reduce(memory, bytes, items, out, count, cuda::std::plus<Total>{},
                                     Total{}, stream);
  });
  made.values = [](const void* out) {
    return std::vector<double>{static_cast<double>(*static_cast<const Total*>(out))};
  };
  return made;
}

template <class Item>
gpu_subject cub_max() {
  auto made = cub_subject<Item, Item>([](void* memory, std::size_t& bytes, const Item* items,
                                         Item* out, std::int64_t count, cudaStream_t stream) {
    return cub::DeviceReduce::Max(memory, bytes, items, out, count, stream);
  });
  made.values = [](const void* out) {
    return std::vector<double>{static_cast<double>(*static_cast<const Item*>(out))};
  };
  return made;
}

template <class Item>
struct largest_item {
  std::int64_t index;
  Item value;
};

template <class Item>
gpu_subject cub_argmax() {
  using largest = largest_item<Item>;
  auto made = cub_subject<Item, largest>([](void* memory, std::size_t& bytes, const Item* items,
                                            largest* out, std::int64_t count, cudaStream_t stream) {
    return cub::DeviceReduce::ArgMax(memory, bytes, items, &out->value, &out->index, count, stream);
  });
  made.values = [](const void* out) {
    return std::vector<double>{static_cast<double>(static_cast<const largest*>(out)->index)};
  };
  return made;
}

/// The call, a copy of the result, an `Out`, to the host, waiting.
template <class Out>
gpu_waiting_subject cub_waiting(gpu_subject started) {
  const auto call = std::make_shared<gpu_subject>(std::move(started));
  const auto out = std::make_shared<cub_memory>();
  out->reserve(64);
  const auto prepared = std::make_shared<std::int64_t>(0);
  return {
      cub_name() + ", copy, wait", [=](const gpu_range& range) {
        if (*prepared < range.count) {
          call->prepare(range.count);
          *prepared = range.count;
        }
        call->start(range, out->data, nullptr);
        Out result{};
        check(cudaMemcpyAsync(&result, out->data, sizeof(result), cudaMemcpyDeviceToHost, nullptr),
              "cudaMemcpyAsync");
        check(cudaStreamSynchronize(nullptr), "cudaStreamSynchronize");
        return static_cast<double>(result);
      }};
}

template <class Item, class Total>
gpu_waiting_subject thrust_sum_waiting() {
  return {"thrust", [](const gpu_range& range) {
            const thrust::device_ptr<const Item> first(static_cast<const Item*>(range.items));
            return static_cast<double>(
                thrust::reduce(thrust::device, first, first + range.count, Total{}));
          }};
}

}  // namespace bench
