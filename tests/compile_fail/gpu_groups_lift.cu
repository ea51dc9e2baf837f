/// compile_fail/gpu_groups_lift: a kernel calls `lift` of each item of a run, which is for the host alone.
// EXPECT: calling a __host__ function\("steepest::lift\(.*needs_MONOFOLD_HD

#include "monofold/group_by.cuh"
#include "monofold/monofold.cuh"

struct steepest {
  using state = float;
  state lift(float x, std::int64_t) const { return x; }
  MONOFOLD_HD state combine(state l, state r) const { return l < r ? r : l; }
};

auto answer(const monofold::contiguous_view<int>& keys,
            const monofold::contiguous_view<float>& items) {
  return monofold::reduce_by_key(monofold::gpu, keys, items, steepest{});
}
