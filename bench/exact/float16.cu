// float16: exact sums beside the plain ones.

#include "bench/exact/case.cuh"

namespace bench {

std::vector<exact_case> exact_float16() {
  return {exact_case_of<mf::float16>("sum", gpu_items::float16, mf::sum, mf::plain_sum, {}),
          exact_variance_case<mf::float16>(gpu_items::float16),
          exact_dot_case<mf::float16>(gpu_items::float16),
          exact_statistics_case<mf::float16>(gpu_items::float16)};
}

}  // namespace bench
