/// compile_fail/gpu_absorb: a kernel calls `absorb`, which is for the host alone.
// EXPECT: calling a __host__ function\("steepest::absorb\(.*needs_MONOFOLD_HD

#include "monofold/monofold.cuh"

struct steepest {
  using state = float;
  MONOFOLD_HD state lift(float x, std::int64_t) const { return x; }
  MONOFOLD_HD state combine(state l, state r) const { return l < r ? r : l; }
  void absorb(state& own, float x, std::int64_t) const { own = own < x ? x : own; }
};

auto answer(const monofold::contiguous_view<float>& items) {
  return monofold::reduce(monofold::gpu, items, steepest{});
}
