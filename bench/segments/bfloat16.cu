// bfloat16: plain and exact sums; CUB's are of float.

#include <cuda_bf16.h>

#include "bench/segments/case.cuh"

namespace bench {

segments_family segments_bfloat16() {
  return {gpu_items::bfloat16,
          {segments_of<mf::bfloat16>("plain_sum", mf::plain_sum),
           segments_of<mf::bfloat16>("sum", mf::sum)},
          "plain_sum",
          cub_segment_sums<__nv_bfloat16, float>()};
}

}  // namespace bench
