/// compile_fail/gpus_lift: kernels of several devices call `lift`, which is for the host alone.
// EXPECT: calling a __host__ function\("steepest::lift\(.*needs_MONOFOLD_HD

#include <vector>

#include "monofold/gpus.cuh"

struct steepest {
  using state = float;
  state lift(float x, std::int64_t) const { return x; }
  MONOFOLD_HD state combine(state l, state r) const { return l < r ? r : l; }
};

auto answer(const std::vector<monofold::contiguous_view<float>>& shards) {
  return monofold::reduce(monofold::gpus({0, 1}), shards, steepest{});
}
