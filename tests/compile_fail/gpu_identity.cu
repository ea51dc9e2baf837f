/// compile_fail/gpu_identity: a kernel calls `identity`, which is for the host alone.
// EXPECT: calling a __host__ function\("steepest::identity\(.*needs_MONOFOLD_HD

#include "monofold/monofold.cuh"

struct steepest {
  using state = float;
  MONOFOLD_HD state lift(float x, std::int64_t) const { return x; }
  MONOFOLD_HD state combine(state l, state r) const { return l < r ? r : l; }
  state identity() const { return 0; }
};

auto answer(const monofold::contiguous_view<float>& items) {
  return monofold::reduce(monofold::gpu, items, steepest{});
}
