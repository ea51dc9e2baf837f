// The k best of float32 and bfloat16, uniform and in the worst order, beside a plain sum and CUB.

#include <cuda_bf16.h>

#include <string>
#include <type_traits>

#include "bench/gpu/cub_peer.cuh"
#include "bench/gpu/ours.cuh"
#include "bench/gpu/top_subjects.cuh"

namespace bench {

namespace {

/// What a search for the k best is to be compared with.
template <class Item>
gpu_subject plain_sum() {
  auto made = ours<Item>(mf::plain_sum);
  made.path = "plain sum";
  made.values = [](const void*) { return std::vector<double>{}; };
  return made;
}

template <class Item, class CubItem>
gpu_case top_case(gpu_items type, int k) {
  gpu_case made{"top" + std::to_string(k),
                type,
                0,
                {std::int64_t{256} << 20, std::int64_t{4} << 30},
                {our_top<Item>(k), plain_sum<Item>()},
                {},
                top_on_cpu<Item>(k)};
#if MONOFOLD_BENCH_CUB_TOPK
  made.subjects.push_back(cub_top<CubItem>(k));
#endif
  return made;
}

}  // namespace

std::vector<gpu_case> top_cases() {
  std::vector<gpu_case> out;
  for (const auto type : {gpu_items::float32, gpu_items::ascending_float32}) {
    for (const int k : {2, 10, 100}) out.push_back(top_case<float, float>(type, k));
  }
  for (const auto type : {gpu_items::bfloat16, gpu_items::ascending_bfloat16}) {
    for (const int k : {2, 10, 100}) out.push_back(top_case<mf::bfloat16, __nv_bfloat16>(type, k));
  }
  return out;
}

}  // namespace bench
