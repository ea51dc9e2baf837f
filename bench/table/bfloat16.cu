// bfloat16: every operation of the table; CUB's sums are of float.

#include <cuda_bf16.h>

#include "bench/table/case.cuh"

namespace bench {

std::vector<gpu_case> table_bfloat16() {
  return table_of<mf::bfloat16, __nv_bfloat16, float>(gpu_items::bfloat16, mf::plain_sum);
}

}  // namespace bench
