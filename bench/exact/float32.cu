// float32: exact sums beside the plain sum and CUB's reproducible one.

#include "bench/exact/case.cuh"
#include "bench/exact/cub_reproducible.cuh"
#include "bench/gpu/cub_peer.cuh"

namespace bench {

exact_case exact_float32() {
  auto peers = cub_reproducible_sums<float>();
  peers.push_back(cub_sum<float, float>());
  return exact_case_of<float>(gpu_items::float32, peers);
}

}  // namespace bench
