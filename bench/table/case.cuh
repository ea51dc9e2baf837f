#pragma once
/// bench/table/case: the table's operations on one type, as subjects.

#include <utility>
#include <vector>

#include "bench/gpu/cub_peer.cuh"
#include "bench/gpu/ours.cuh"
#include "bench/gpu/statistics_peer.cuh"
#include "bench/gpu/top_subjects.cuh"
#include "bench/table/cases.hpp"

namespace bench {

/// The answer where there is one, as CUB leaves it; several statistics as a state.
template <class Item, class F>
gpu_case table_case(const char* op, gpu_items type, F fold, std::vector<gpu_subject> peers) {
  constexpr bool is_one = !mf::detail::is_all_fold<mf::bound_fold_t<F, Item>>::value;
  gpu_case made{op, type, 0, {}, {}, {}, on_cpu<Item>(fold)};
  if constexpr (is_one) {
    made.subjects.push_back(our_answer<Item>(fold));
  } else {
    made.subjects.push_back(ours<Item>(fold));
  }
  for (gpu_subject& peer : peers) made.subjects.push_back(std::move(peer));
  return made;
}

/// CUB's sums are of `Total`; `Item` is `CubItem` where CUB calls it so.
template <class Item, class CubItem, class Total, class PlainSum>
std::vector<gpu_case> table_of(gpu_items type, PlainSum plain_sum) {
  constexpr bool is_real = !std::is_integral_v<Item>;
  std::vector<gpu_case> out;
  const auto add = [&](const char* op, const auto& fold, std::vector<gpu_subject> peers) {
    out.push_back(table_case<Item>(op, type, fold, std::move(peers)));
  };
  add(is_real ? "plain_sum" : "sum", plain_sum, {cub_sum<CubItem, Total>()});
  if constexpr (is_real) add("exact sum", mf::sum, {cub_sum<CubItem, Total>()});
  add("max", mf::max, {cub_max<CubItem>()});
  add("argmax", mf::argmax, {cub_argmax<CubItem>()});
  add("exact statistics",
      mf::all(mf::count, mf::sum, mf::min, mf::max, mf::mean, mf::variance(0), mf::argmin,
              mf::argmax),
      {cub_statistics<CubItem>()});
  add("plain statistics",
      mf::all(mf::count, plain_sum, mf::min, mf::max, mf::plain_mean, mf::plain_variance(0),
              mf::argmin, mf::argmax),
      {cub_statistics<CubItem>()});
  add("variance", mf::variance(1), {});
  return out;
}

/// The ten best by `our_top`, and by CUB where its version has them.
template <class Item>
gpu_case table_top10(gpu_items type) {
  gpu_case made{"top10", type, 0, {}, {our_top<Item>(10)}, {}, top_on_cpu<Item>(10)};
#if MONOFOLD_BENCH_CUB_TOPK
  made.subjects.push_back(cub_top<Item>(10));
#endif
  return made;
}

}  // namespace bench
