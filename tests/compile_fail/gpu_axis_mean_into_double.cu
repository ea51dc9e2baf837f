/// compile_fail/gpu_axis_mean_into_double: a row may have no mean, so that what it leaves is a `result`.
// EXPECT: Why=monofold::why::out_must_point_to<monofold::result<double>>

#include "monofold/monofold.cuh"
#include "monofold/reduce_axis.cuh"

void answer(const monofold::array_view<float>& items, double* out,
            const monofold::gpu_workspace& workspace) {
  monofold::reduce_axis_into(monofold::gpu, items, {0}, monofold::mean, out, workspace);
}
