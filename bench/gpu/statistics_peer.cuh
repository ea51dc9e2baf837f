#pragma once
/// bench/gpu/statistics_peer: sum, sum of squares, smallest and largest by CUB, as a user would write it.

#include <cub/cub.cuh>
#include <limits>

#include "bench/gpu/cub_peer.cuh"

namespace bench {

template <class Item>
struct cub_statistics_of {
  double sum, squares;
  Item min, max;
};
struct join_statistics {
  template <class Item>
  __host__ __device__ cub_statistics_of<Item> operator()(const cub_statistics_of<Item>& l,
                                                         const cub_statistics_of<Item>& r) const {
    return {l.sum + r.sum, l.squares + r.squares, l.min < r.min ? l.min : r.min,
            l.max < r.max ? r.max : l.max};
  }
};
struct lift_to_statistics {
  template <class Item>
  __host__ __device__ cub_statistics_of<Item> operator()(Item x) const {
    const auto wide = static_cast<double>(x);
    return {wide, wide * wide, x, x};
  }
};

/// Sum of squares instead of a variance, no indices: less than what ours computes.
template <class Item>
gpu_subject cub_statistics() {
  using statistics = cub_statistics_of<Item>;
  auto made = cub_subject<Item, statistics>([](void* memory, std::size_t& bytes, const Item* items,
                                               statistics* out, std::int64_t count,
                                               cudaStream_t stream) {
    const statistics none{0, 0, std::numeric_limits<Item>::infinity(),
                          -std::numeric_limits<Item>::infinity()};
    return cub::DeviceReduce::TransformReduce(memory, bytes, items, out, count, join_statistics{},
                                              lift_to_statistics{}, none, stream);
  });
  made.values = [](const void*) { return std::vector<double>{}; };
  return made;
}

}  // namespace bench
