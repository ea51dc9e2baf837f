/// compile_fail/gpu_axis_global_index: a fold that uses an index for anything would get those in the row.
// EXPECT: global_index is for extrema

#include "monofold/reduce_axis.cuh"

struct last_index {
  using state = std::int64_t;
  MONOFOLD_HD state lift(float, std::int64_t index) const { return index; }
  MONOFOLD_HD state combine(state, state right) const { return right; }
};

void refused(const float* items) {
  const monofold::array_view array(items, {3, 4});
  monofold::reduce_axis(monofold::gpu, array, {1}, monofold::all(monofold::argmax, last_index{}),
                        monofold::keepdims::no, monofold::global_index);
}
