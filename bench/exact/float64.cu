// float64: exact sums beside the plain ones and CUB's reproducible one.

#include "bench/exact/case.cuh"
#include "bench/exact/cub_reproducible.cuh"
#include "bench/gpu/cub_peer.cuh"

namespace bench {

std::vector<exact_case> exact_float64() {
  auto peers = cub_reproducible_sums<double>();
  peers.push_back(cub_sum<double, double>());
  return {exact_case_of<double>("sum", gpu_items::float64, mf::sum, mf::plain_sum, peers),
          exact_variance_case<double>(gpu_items::float64),
          exact_dot_case<double>(gpu_items::float64),
          exact_statistics_case<double>(gpu_items::float64)};
}

}  // namespace bench
