// float16: every operation of the table; CUB's sums are of float.

#include <cuda_fp16.h>

#include "bench/table/case.cuh"

namespace bench {

std::vector<gpu_case> table_float16() {
  return table_of<mf::float16, __half, float>(gpu_items::float16, mf::plain_sum);
}

}  // namespace bench
