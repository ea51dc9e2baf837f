/// compile_fail/level_combine: a level in one's own kernel joins states by an operator for the host alone.
// EXPECT: calling a __host__ function\("larger::operator.*what_takes_states_needs_MONOFOLD_HD

#include "monofold/monofold.cuh"

struct larger {
  float operator()(float l, float r) const { return l < r ? r : l; }
};

using bound = monofold::bound_fold_t<decltype(monofold::ordered(larger{})), float>;

__global__ void answer(const bound f, float* states) {
  __shared__ monofold::block_storage<bound> storage;
  states[0] = monofold::block::combine(f, states[threadIdx.x], storage);
}
