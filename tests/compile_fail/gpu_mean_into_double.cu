/// compile_fail/gpu_mean_into_double: a mean of nothing is none, so that what it leaves is a `result`.
// EXPECT: Why=monofold::why::out_must_point_to<monofold::result<double>>

#include "monofold/monofold.cuh"

void answer(const monofold::contiguous_view<float>& items, double* out,
            const monofold::gpu_workspace& workspace) {
  monofold::reduce_into(monofold::gpu, items, monofold::mean, out, workspace);
}
