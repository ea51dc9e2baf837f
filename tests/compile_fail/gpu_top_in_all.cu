/// compile_fail/gpu_top_in_all: top keeps its candidates on the host, or has kernels of its own.
// EXPECT: Why=monofold::why::on_a_gpu_top_and_bottom_stand_alone

#include "monofold/monofold.cuh"

auto answer(const monofold::contiguous_view<float>& items) {
  return monofold::reduce(monofold::gpu, items, monofold::all(monofold::sum, monofold::top(3)));
}
