// Exact sums and means of few floats of 16 bits on the device.

#include "tests/gpu/exact_few_tests.cuh"

namespace gpu_tests {

// Where nvcc only looks at the sources, one type is enough.
#if !defined(MONOFOLD_NVCC_LOOKS)
INSTANTIATE_TYPED_TEST_SUITE_P(bfloat16, gpu_exact_few, mf::bfloat16);
INSTANTIATE_TYPED_TEST_SUITE_P(float16, gpu_exact_few, mf::float16);
#endif

}  // namespace gpu_tests
