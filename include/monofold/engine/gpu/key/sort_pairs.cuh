#pragma once
/// engine/gpu/key/sort_pairs: sorts words, each with a payload.

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

#if defined(MONOFOLD_EMULATED)
#include <algorithm>
#include <numeric>
#include <vector>
#else
#include <cub/device/device_radix_sort.cuh>
#endif

#include "monofold/engine/gpu/device_list.cuh"
#include "monofold/engine/gpu/engine.cuh"
#include "monofold/engine/gpu/launch.cuh"

namespace monofold::detail {

#if defined(MONOFOLD_EMULATED)
template <class T>
std::vector<T> on_the_host(const T* from, std::int64_t count) {
  std::vector<T> out(static_cast<std::size_t>(count));
  throw_if(failure_of(cudaMemcpy(out.data(), from, out.size() * sizeof(T), cudaMemcpyDeviceToHost),
                      "cudaMemcpy"));
  return out;
}
template <class T>
void put_in_order(const std::vector<T>& from, const std::vector<std::size_t>& order, T* to) {
  std::vector<T> sorted;
  for (const std::size_t i : order) sorted.push_back(from[i]);
  throw_if(
      failure_of(cudaMemcpy(to, sorted.data(), sorted.size() * sizeof(T), cudaMemcpyHostToDevice),
                 "cudaMemcpy"));
}
#endif

/// Sorts words below 2^bits, and moves the payload of each word with it. Equal words keep their order.
///
/// shape      fewer than 2^32 of each, in device memory; in and out do not overlap
/// sync       does not wait
/// errors     throws `error`: out_of_memory
/// cost       a pass for each 8 bits; a third copy of words and payloads where that is more than one
/// tested by  tests/gpu/group_by_sums_test.cu
template <class Word, class Payload>
void sort_pairs(const device_stream& on, const Word* words, Word* sorted_words,
                const Payload* payload, Payload* sorted_payload, std::int64_t count, int bits) {
#if defined(MONOFOLD_EMULATED)
  static_cast<void>(on);
  static_cast<void>(bits);
  const std::vector<Word> by = on_the_host(words, count);
  std::vector<std::size_t> order(by.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return by[a] < by[b]; });
  put_in_order(by, order, sorted_words);
  put_in_order(on_the_host(payload, count), order, sorted_payload);
#else
  const auto sort = [&](void* scratch, std::size_t& bytes) {
    throw_if(failure_of(cub::DeviceRadixSort::SortPairs(
                            scratch, bytes, words, sorted_words, payload, sorted_payload,
                            static_cast<std::uint32_t>(count), 0, bits, on.stream),
                        "cub::DeviceRadixSort::SortPairs"));
  };
  std::size_t bytes = 0;
  sort(nullptr, bytes);
  const device_list<char> scratch(on, static_cast<std::int64_t>(bytes));
  sort(scratch.data(), bytes);
#endif
}

}  // namespace monofold::detail
