#pragma once
/// bench/gpu/statistics_peer: sum, sum of squares, smallest and largest by CUB, as a user would write it.

#include <cub/cub.cuh>
#include <cuda/std/limits>
#include <type_traits>

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
    double wide;
    if constexpr (std::is_arithmetic_v<Item>) {
      wide = static_cast<double>(x);
    } else {
      wide = static_cast<double>(static_cast<float>(x));  // 16 bits have no other way
    }
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
    using limits = cuda::std::numeric_limits<Item>;
    const statistics none{0, 0, limits::max(), limits::lowest()};
    const auto reduce = [&](auto first) {
      return cub::DeviceReduce::TransformReduce(memory, bytes, first, out, count, join_statistics{},
                                                lift_to_statistics{}, none, stream);
    };
    if constexpr (sizeof(Item) == 1) {
      // By a pointer CUB 3.6 reads words of four bytes at places that are none of them, and stops.
      return reduce(cub::CacheModifiedInputIterator<cub::LOAD_DEFAULT, Item>(items));
    } else {
      return reduce(items);
    }
  });
  made.values = [](const void*) { return std::vector<double>{}; };
  return made;
}

}  // namespace bench
