// float16 and bfloat16: exact sums beside the plain sum.

#include "bench/exact/case.cuh"

namespace bench {

std::vector<exact_case> exact_bfloat16() {
  return {exact_case_of<mf::bfloat16>("sum", gpu_items::bfloat16, mf::sum, mf::plain_sum, {}),
          exact_statistics_case<mf::bfloat16>(gpu_items::bfloat16)};
}
std::vector<exact_case> exact_float16() {
  return {exact_case_of<mf::float16>("sum", gpu_items::float16, mf::sum, mf::plain_sum, {}),
          exact_statistics_case<mf::float16>(gpu_items::float16)};
}

}  // namespace bench
