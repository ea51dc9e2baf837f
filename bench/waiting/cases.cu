// Calls that wait for their answer, and the least that one can take.

#include "bench/waiting/cases.hpp"

#include "bench/gpu/cub_peer.cuh"
#include "bench/gpu/ours.cuh"

namespace bench {

namespace {

template <class Item, class F>
gpu_case waiting_case(const char* op, gpu_items type, F fold, gpu_waiting_subject peer) {
  return {op, type, 0, {}, {}, {ours_waiting<Item>(fold), std::move(peer)}, on_cpu<Item>(fold)};
}

__global__ void write_word_kernel(volatile std::uint32_t* word, std::uint32_t value) {
  *word = value;
}

}  // namespace

std::vector<gpu_case> waiting_cases() {
  std::vector<gpu_case> made{
      waiting_case<float>("plain_sum", gpu_items::float32, mf::plain_sum,
                          cub_waiting<float>(cub_sum<float, float>())),
      waiting_case<float>("exact sum", gpu_items::float32, mf::sum,
                          cub_waiting<float>(cub_sum<float, float>())),
      waiting_case<float>("max", gpu_items::float32, mf::max, cub_waiting<float>(cub_max<float>())),
      waiting_case<double>("exact sum", gpu_items::float64, mf::sum,
                           cub_waiting<double>(cub_sum<double, double>())),
      waiting_case<std::int32_t>("sum", gpu_items::int32, mf::plain_sum,
                                 cub_waiting<std::int64_t>(cub_sum<std::int32_t, std::int64_t>())),
  };
  made.front().waiting.push_back(thrust_sum_waiting<float, float>());
  return made;
}

gpu_waiting_subject one_word_waiting() {
  void* pinned = nullptr;
  check(cudaHostAlloc(&pinned, sizeof(std::uint32_t), cudaHostAllocMapped), "cudaHostAlloc");
  auto* const word = static_cast<volatile std::uint32_t*>(pinned);  // for the rest of the program
  *word = 0;
  const auto value = std::make_shared<std::uint32_t>(0);
  return {"empty kernel, wait for one word", [=](const gpu_range&) {
            write_word_kernel<<<1, 1>>>(word, ++*value);
            check(cudaGetLastError(), "an empty kernel");
            mf::detail::throw_if(mf::detail::wait_for_flag(word, *value, nullptr));
            return 0.0;
          }};
}

}  // namespace bench
