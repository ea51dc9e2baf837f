// Folds that do not commute. CUB has none; what its users do instead is a scan, whose last item is the
// result.

#include "bench/gpu/cub_peer.cuh"
#include "bench/gpu/ours.cuh"

namespace bench {

namespace {

struct matrix {
  float a, b, c, d;
};
struct multiply {
  __host__ __device__ matrix operator()(const matrix& l, const matrix& r) const {
    return {l.a * r.a + l.b * r.c, l.a * r.b + l.b * r.d, l.c * r.a + l.d * r.c,
            l.c * r.b + l.d * r.d};
  }
};
struct later {
  template <class Item>
  __host__ __device__ Item operator()(const Item&, const Item& right) const {
    return right;
  }
};

template <class Item, class Operator>
gpu_subject cub_scan(Operator op) {
  const auto scanned = std::make_shared<cub_memory>();
  auto made = cub_subject<Item, Item>([=](void* memory, std::size_t& bytes, const Item* items,
                                          Item* out, std::int64_t count, cudaStream_t stream) {
    auto* const to = static_cast<Item*>(scanned->data);
    const auto code = cub::DeviceScan::InclusiveScan(memory, bytes, items, to, op, count, stream);
    if (code != cudaSuccess || memory == nullptr) return code;
    return cudaMemcpyAsync(out, to + count - 1, sizeof(Item), cudaMemcpyDeviceToDevice, stream);
  });
  made.path += " scan";
  const auto prepare = made.prepare;
  made.prepare = [=](std::int64_t count) {
    scanned->reserve(static_cast<std::size_t>(count) * sizeof(Item));
    prepare(count);
  };
  made.values = [](const void* out) { return doubles_of(*static_cast<const Item*>(out)); };
  return made;
}

}  // namespace

std::vector<gpu_case> ordered_cases() {
  const auto product = mf::ordered(multiply{}, matrix{1, 0, 0, 1});
  const auto last = mf::ordered(later{});
  return {
      {"product",
       gpu_items::matrix,
       0,
       large_sizes(),
       {ours<matrix>(product), cub_scan<matrix>(multiply{})},
       {},
       on_cpu<matrix>(product)},
      {"last",
       gpu_items::int32,
       0,
       large_sizes(),
       {ours<std::int32_t>(last), cub_scan<std::int32_t>(later{})},
       {},
       on_cpu<std::int32_t>(last)},
      {"last",
       gpu_items::int64,
       0,
       large_sizes(),
       {ours<std::int64_t>(last), cub_scan<std::int64_t>(later{})},
       {},
       on_cpu<std::int64_t>(last)},
  };
}

}  // namespace bench
