/// compile_fail/gpu_segments_top_in_all: top has kernels of its own for segments too.
// EXPECT: Why=monofold::why::on_a_gpu_top_and_bottom_stand_alone

#include "monofold/monofold.cuh"
#include "monofold/reduce_segments.cuh"

auto answer(const monofold::contiguous_view<float>& items) {
  return monofold::reduce_segments(monofold::gpu, items, monofold::fixed_segments(100, 10),
                                   monofold::all(monofold::sum, monofold::top(3)));
}
