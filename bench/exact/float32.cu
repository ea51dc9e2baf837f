// float32: exact sums beside the plain ones and CUB's reproducible one.

#include "bench/exact/case.cuh"
#include "bench/exact/cub_reproducible.cuh"
#include "bench/gpu/cub_peer.cuh"

namespace bench {

std::vector<exact_case> exact_float32() {
  auto peers = cub_reproducible_sums<float>();
  peers.push_back(cub_sum<float, float>());
  return {exact_case_of<float>("sum", gpu_items::float32, mf::sum, mf::plain_sum, peers),
          exact_variance_case<float>(gpu_items::float32), exact_dot_case<float>(gpu_items::float32),
          exact_statistics_case<float>(gpu_items::float32)};
}

}  // namespace bench
