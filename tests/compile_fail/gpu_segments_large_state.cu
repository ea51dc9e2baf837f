/// compile_fail/gpu_segments_large_state: states of segments have a limit of their own.
// EXPECT: of segments on a GPU a state has at most 1 KiB

#include "monofold/monofold.cuh"
#include "monofold/reduce_segments.cuh"

struct large {
  struct state {
    double parts[129];
  };
  MONOFOLD_HD state lift(float x, std::int64_t) const { return {{x}}; }
  MONOFOLD_HD state combine(const state& left, const state&) const { return left; }
};

auto answer(const monofold::contiguous_view<float>& items) {
  return monofold::reduce_segments(monofold::gpu, items, monofold::fixed_segments(100, 10),
                                   large{});
}
