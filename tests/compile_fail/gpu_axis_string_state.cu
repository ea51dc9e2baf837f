/// compile_fail/gpu_axis_string_state: lanes exchange the bytes of states, of rows too.
// EXPECT: Why=monofold::why::on_a_gpu_a_state_must_be_trivially_copyable

#include <string>

#include "monofold/reduce_axis.cuh"

struct joined {
  using state = std::string;
  state lift(float x, std::int64_t) const { return std::to_string(x); }
  state combine(const state& left, const state& right) const { return left + right; }
};

auto answer(const monofold::array_view<float>& items) {
  return monofold::reduce_axis(monofold::gpu, items, {0}, joined{});
}
