/// compile_fail/level_ordered: a level in one's own kernel calls the operator, which is for the host alone.
// EXPECT: calling a __host__ function\("larger::operator.*what_takes_states_needs_MONOFOLD_HD

#include "monofold/monofold.cuh"

struct larger {
  float operator()(float l, float r) const { return l < r ? r : l; }
};

using operators = decltype(monofold::ordered(larger{}));

__global__ void answer(const operators f, float* items) {
  __shared__ monofold::block_storage<operators, float> storage;
  items[0] = monofold::block::reduce(f, items[threadIdx.x], storage);
}
