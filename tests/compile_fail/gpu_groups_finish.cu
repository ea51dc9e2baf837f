/// compile_fail/gpu_groups_finish: kernels finish groups; `finish` is for the host alone.
// EXPECT: calling a __host__ function\("steepest::finish\(.*finish_needs_MONOFOLD_HD

#include "monofold/group_by.cuh"
#include "monofold/monofold.cuh"

struct steepest {
  using state = float;
  MONOFOLD_HD state lift(float x, std::int64_t) const { return x; }
  MONOFOLD_HD state combine(state l, state r) const { return l < r ? r : l; }
  double finish(state s) const { return s; }
};

auto answer(const monofold::contiguous_view<int>& keys,
            const monofold::contiguous_view<float>& items) {
  return monofold::group_by(monofold::gpu, keys, items, steepest{});
}
