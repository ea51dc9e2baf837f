/// compile_fail/gpu_axis_finish: kernels finish rows, for calls that wait too; `finish` is for the host alone.
// EXPECT: calling a __host__ function\("steepest::finish\(.*finish_needs_MONOFOLD_HD

#include "monofold/monofold.cuh"
#include "monofold/reduce_axis.cuh"

struct steepest {
  using state = float;
  MONOFOLD_HD state lift(float x, std::int64_t) const { return x; }
  MONOFOLD_HD state combine(state l, state r) const { return l < r ? r : l; }
  double finish(state s) const { return s; }
};

auto answer(const monofold::array_view<float>& items) {
  return monofold::reduce_axis(monofold::gpu, items, {0}, steepest{});
}
