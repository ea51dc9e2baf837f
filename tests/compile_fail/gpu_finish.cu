/// compile_fail/gpu_finish: a kernel that finishes calls `finish`, which is for the host alone.
// EXPECT: calling a __host__ function\("steepest::finish\(.*finish_needs_MONOFOLD_HD

#include "monofold/monofold.cuh"

struct steepest {
  using state = float;
  MONOFOLD_HD state lift(float x, std::int64_t) const { return x; }
  MONOFOLD_HD state combine(state l, state r) const { return l < r ? r : l; }
  double finish(state s) const { return s; }
};

void answer(const monofold::contiguous_view<float>& items, double* out,
            const monofold::gpu_workspace& workspace) {
  monofold::reduce_into(monofold::gpu, items, steepest{}, out, workspace);
}
