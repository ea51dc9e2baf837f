#pragma once
/// tests/compile_fail/without_cub/cub/device/device_radix_sort: what sorts the keys of groups, declared. What is refused
/// there is not CUB's, and to read CUB is half of what nvcc does there.

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

namespace cub {

struct DeviceRadixSort {
  template <class Word, class Payload>
  static cudaError_t SortPairs(void* scratch, std::size_t& bytes, const Word* words,
                               Word* sorted_words, const Payload* payload, Payload* sorted_payload,
                               std::uint32_t count, int begin_bit, int end_bit,
                               cudaStream_t stream);
};

}  // namespace cub
