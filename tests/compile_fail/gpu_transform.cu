/// compile_fail/gpu_transform: a kernel calls the function of `transform`, which is for the host alone.
// EXPECT: calling a __host__ function\("square::operator.*item_of_view_needs_MONOFOLD_HD

#include "monofold/monofold.cuh"

struct square {
  double operator()(float x) const { return 1.0 * x * x; }
};

auto answer(const monofold::contiguous_view<float>& items) {
  return monofold::reduce(monofold::gpu, monofold::transform(items, square{}), monofold::sum);
}
