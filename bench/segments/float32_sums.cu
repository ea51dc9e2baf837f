// float32: plain and exact sums.

#include "bench/segments/case.cuh"

namespace bench {

segments_family segments_float32_sums() {
  return {gpu_items::float32,
          {segments_of<float>("plain_sum", mf::plain_sum), segments_of<float>("sum", mf::sum)},
          "plain_sum",
          cub_segment_sums<float, float>()};
}

}  // namespace bench
