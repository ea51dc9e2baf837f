/// compile_fail/level_map: a level in one's own kernel calls the function of `map`, which is for the host alone.
// EXPECT: calling a __host__ function\("square::operator.*what_takes_items_needs_MONOFOLD_HD

#include "monofold/monofold.cuh"

struct square {
  double operator()(float x) const { return 1.0 * x * x; }
};

using squares = decltype(monofold::max | monofold::map(square{}));

__global__ void answer(const squares f, const float* items) {
  static_cast<void>(monofold::warp::reduce(f, items[threadIdx.x]));
}
