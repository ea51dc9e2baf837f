// bfloat16: exact sums beside the plain ones.

#include "bench/exact/case.cuh"

namespace bench {

std::vector<exact_case> exact_bfloat16() {
  return {exact_case_of<mf::bfloat16>("sum", gpu_items::bfloat16, mf::sum, mf::plain_sum, {}),
          exact_variance_case<mf::bfloat16>(gpu_items::bfloat16),
          exact_dot_case<mf::bfloat16>(gpu_items::bfloat16),
          exact_statistics_case<mf::bfloat16>(gpu_items::bfloat16)};
}

}  // namespace bench
