// float16 and bfloat16: plain sums (in float) of every size, arg-max.

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "bench/gpu/cub_peer.cuh"
#include "bench/gpu/ours.cuh"

namespace bench {

std::vector<gpu_case> half_cases() {
  const auto statistics = mf::all(mf::count, mf::plain_sum_in<double>, mf::plain_mean,
                                  mf::plain_variance(), mf::extrema);
  return {
      {"plain_sum",
       gpu_items::float16,
       1.01,
       all_sizes(),
       {ours<mf::float16>(mf::plain_sum), cub_sum<__half, float>()},
       {},
       on_cpu<mf::float16>(mf::plain_sum)},
      {"plain_sum",
       gpu_items::bfloat16,
       1.01,
       all_sizes(),
       {ours<mf::bfloat16>(mf::plain_sum), cub_sum<__nv_bfloat16, float>()},
       {},
       on_cpu<mf::bfloat16>(mf::plain_sum)},
      {"argmax",
       gpu_items::bfloat16,
       1,
       large_sizes(),
       {ours<mf::bfloat16>(mf::argmax), cub_argmax<__nv_bfloat16>()},
       {},
       on_cpu<mf::bfloat16>(mf::argmax)},
      {"stats",
       gpu_items::bfloat16,
       0,
       large_sizes(),
       {ours<mf::bfloat16>(statistics)},
       {},
       on_cpu<mf::bfloat16>(statistics)},
  };
}

}  // namespace bench
