/// compile_fail/gpu_where: a kernel calls the predicate, which is for the host alone.
// EXPECT: calling a __host__ function\("positive::operator.*what_takes_items_needs_MONOFOLD_HD

#include "monofold/monofold.cuh"

struct positive {
  bool operator()(float x) const { return x > 0; }
};

auto answer(const monofold::contiguous_view<float>& items) {
  return monofold::reduce(monofold::gpu, items, monofold::sum | monofold::where(positive{}));
}
