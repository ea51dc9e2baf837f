// float32: the largest item, and where it is.

#include <cuda/functional>
#include <limits>

#include "bench/segments/case.cuh"

namespace bench {

segments_family segments_float32_max() {
  return {gpu_items::float32,
          {segments_of<float>("max", mf::max)},
          "max",
          cub_segments_by<float, float>(cuda::maximum<float>{},
                                        -std::numeric_limits<float>::infinity())};
}

segments_family segments_float32_argmax() {
  using largest = cub::KeyValuePair<int, float>;
  return {gpu_items::float32,
          {segments_of<float>("argmax", mf::argmax)},
          "argmax",
          {cub_segments<float, largest>(
              "offsets",
              [](void* memory, std::size_t& bytes, const float* items, largest* out,
                 const segment_list& list, cudaStream_t stream) {
                return cub::DeviceSegmentedReduce::ArgMax(memory, bytes, items, out, list.count,
                                                          list.offsets, list.offsets + 1, stream);
              },
              [](const largest& own) { return own.key; })}};
}

}  // namespace bench
