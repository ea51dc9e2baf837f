// float64: plain and exact sums.

#include "bench/segments/case.cuh"

namespace bench {

segments_family segments_float64() {
  return {gpu_items::float64,
          {segments_of<double>("plain_sum", mf::plain_sum), segments_of<double>("sum", mf::sum)},
          "plain_sum",
          cub_segment_sums<double, double>()};
}

}  // namespace bench
