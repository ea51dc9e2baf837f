#pragma once
/// bench/gpu/top_subjects: the k best items, by this library and by CUB where its version has them.

#include <thrust/iterator/counting_iterator.h>

#include <vector>

#include "bench/gpu/cub_peer.cuh"
#include "bench/gpu/ours.cuh"

#if __has_include(<cub/device/device_topk.cuh>)
#include <cuda/__execution/determinism.h>
#include <cuda/__execution/output_ordering.h>
#include <cuda/__execution/require.h>
#include <cuda/std/__execution/env.h>
#include <cub/device/device_topk.cuh>
#include <cuda/stream_ref>
#define MONOFOLD_BENCH_CUB_TOPK 1
#else
#define MONOFOLD_BENCH_CUB_TOPK 0
#endif

namespace bench {

/// Indices, then values.
template <class Item>
std::vector<double> doubles_of_top(const std::int64_t* indices, const Item* values, int k) {
  std::vector<double> out;
  for (int i = 0; i < k; ++i) out.push_back(static_cast<double>(indices[i]));
  for (int i = 0; i < k; ++i) out.push_back(static_cast<double>(values[i]));
  return out;
}

/// k indices, then k values, at `out`.
template <class Item>
gpu_subject our_top(int k) {
  const auto fold = mf::top(k);
  gpu_subject made =
      subject_of(fold, as_items<Item>{},
                 [=](const auto& engine, const auto& items, void* out, const auto& workspace) {
                   auto* const indices = static_cast<std::int64_t*>(out);
                   mf::reduce_into(engine, items, fold,
                                   mf::top_out<Item>{reinterpret_cast<Item*>(indices + k), indices},
                                   workspace);
                 });
  made.values = [=](const void* out) {
    const auto* const indices = static_cast<const std::int64_t*>(out);
    return doubles_of_top(indices, reinterpret_cast<const Item*>(indices + k), k);
  };
  return made;
}

template <class Item>
auto top_on_cpu(int k) {
  return [=](const void* items, std::int64_t count) {
    const auto best = mf::reduce(mf::cpu, span_of<Item>(items, count), mf::top(k));
    return doubles_of_top(best.indices.data(), best.values.data(), k);
  };
}

#if MONOFOLD_BENCH_CUB_TOPK
/// In no order, so that values are not compared.
template <class Item>
gpu_subject cub_top(int k) {
  auto made = cub_subject<Item, char>([=](void* memory, std::size_t& bytes, const Item* items,
                                          char* out, std::int64_t count, cudaStream_t stream) {
    const auto demands = cuda::execution::require(cuda::execution::determinism::not_guaranteed,
                                                  cuda::execution::output_ordering::unsorted);
    const auto environment = cuda::std::execution::env{cuda::stream_ref{stream}, demands};
    auto* const indices = reinterpret_cast<std::int64_t*>(out);
    return cub::DeviceTopK::MaxPairs(memory, bytes, items, reinterpret_cast<Item*>(indices + k),
                                     thrust::counting_iterator<std::int64_t>(0), indices, count,
                                     static_cast<std::int64_t>(k), environment);
  });
  made.values = [](const void*) { return std::vector<double>{}; };
  return made;
}
#endif

}  // namespace bench
