// float64: exact sums beside the plain sum and CUB's reproducible one.

#include "bench/exact/case.cuh"
#include "bench/exact/cub_reproducible.cuh"
#include "bench/gpu/cub_peer.cuh"

namespace bench {

exact_case exact_float64() {
  auto peers = cub_reproducible_sums<double>();
  peers.push_back(cub_sum<double, double>());
  return exact_case_of<double>(gpu_items::float64, peers);
}

}  // namespace bench
