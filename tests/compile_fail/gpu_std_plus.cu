/// compile_fail/gpu_std_plus: operators of the standard library are for the host, unless nvcc is asked.
// EXPECT: calling a constexpr __host__ function.*what_takes_states_needs_MONOFOLD_HD
// EXPECT: flag '--expt-relaxed-constexpr'

#include <functional>

#include "monofold/monofold.cuh"

auto answer(const monofold::contiguous_view<float>& items) {
  return monofold::reduce(monofold::gpu, items, monofold::ordered(std::plus<>{}));
}
