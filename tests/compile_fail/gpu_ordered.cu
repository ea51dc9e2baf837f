/// compile_fail/gpu_ordered: a kernel calls the operator, which is for the host alone.
// EXPECT: calling a __host__ function\("larger::operator.*what_takes_states_needs_MONOFOLD_HD

#include "monofold/monofold.cuh"

struct larger {
  float operator()(float l, float r) const { return l < r ? r : l; }
};

auto answer(const monofold::contiguous_view<float>& items) {
  return monofold::reduce(monofold::gpu, items, monofold::ordered(larger{}));
}
