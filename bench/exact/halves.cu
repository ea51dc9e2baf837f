// float16 and bfloat16: exact sums beside the plain sum.

#include "bench/exact/case.cuh"

namespace bench {

exact_case exact_bfloat16() { return exact_case_of<mf::bfloat16>(gpu_items::bfloat16, {}); }
exact_case exact_float16() { return exact_case_of<mf::float16>(gpu_items::float16, {}); }

}  // namespace bench
