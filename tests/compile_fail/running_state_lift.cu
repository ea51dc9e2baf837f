/// compile_fail/running_state_lift: a device folds what is pushed by `lift`, which is for the host alone.
// EXPECT: calling a __host__ function\("steepest::lift\(.*needs_MONOFOLD_HD

#include "monofold/running_state.cuh"

struct steepest {
  using state = float;
  state lift(float x, std::int64_t) const { return x; }
  MONOFOLD_HD state combine(state l, state r) const { return l < r ? r : l; }
};

void take(monofold::running_state<float, steepest>& all,
          const monofold::contiguous_view<float>& items) {
  all.push(monofold::gpu, items);
}
