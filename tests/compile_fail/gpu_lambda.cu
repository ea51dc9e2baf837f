/// compile_fail/gpu_lambda: a lambda without attributes is for the host alone.
// EXPECT: calling a constexpr __host__ function\("operator\(\)"\) from a __device__ function\("what_takes_items_needs_MONOFOLD_HD"\)
// EXPECT: flag '-extended-lambda'
// LINES: 200

#include "monofold/monofold.cuh"

auto answer(const monofold::contiguous_view<float>& items) {
  const auto positive = [](float x) { return x > 0; };
  return monofold::reduce(monofold::gpu, items, monofold::sum | monofold::where(positive));
}
