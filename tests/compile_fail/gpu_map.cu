/// compile_fail/gpu_map: a kernel calls the function of `map`, which is for the host alone.
// EXPECT: calling a __host__ function\("square::operator.*what_takes_items_needs_MONOFOLD_HD

#include "monofold/monofold.cuh"

struct square {
  double operator()(float x) const { return 1.0 * x * x; }
};

auto answer(const monofold::contiguous_view<float>& items) {
  return monofold::reduce(monofold::gpu, items, monofold::sum | monofold::map(square{}));
}
