// float32: exact means.

#include "bench/segments/case.cuh"

namespace bench {

segments_family segments_float32_means() {
  return {
      gpu_items::float32,
      {segments_of<float>("mean", mf::mean), segments_of<float>("mean_square", mf::mean_square)},
      "",
      {}};
}

}  // namespace bench
