/// compile_fail/gpu_large_state: a state has a limit.
// EXPECT: Why=monofold::why::on_a_gpu_a_state_has_at_most_8_KiB

#include "monofold/monofold.cuh"

struct large {
  struct state {
    double parts[1025];
  };
  MONOFOLD_HD state lift(float x, std::int64_t) const { return {{x}}; }
  MONOFOLD_HD state combine(const state& left, const state&) const { return left; }
};

auto answer(const monofold::contiguous_view<float>& items) {
  return monofold::reduce(monofold::gpu, items, large{});
}
