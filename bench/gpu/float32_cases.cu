// float32: plain sums of every size, arg-max, eight statistics, what a user waits for.

#include "bench/gpu/cub_peer.cuh"
#include "bench/gpu/ours.cuh"
#include "bench/gpu/statistics_peer.cuh"

namespace bench {

std::vector<gpu_case> float32_cases() {
  const auto statistics = mf::all(mf::count, mf::plain_sum_in<double>, mf::plain_mean,
                                  mf::plain_variance(), mf::extrema);
  constexpr auto type = gpu_items::float32;
  return {
      {"plain_sum",
       type,
       1.01,
       all_sizes(),
       {ours<float>(mf::plain_sum), cub_sum<float, float>()},
       {ours_waiting<float>(mf::plain_sum), cub_waiting<float>(cub_sum<float, float>()),
        thrust_sum_waiting<float, float>()},
       on_cpu<float>(mf::plain_sum)},
      {"sum",
       type,
       0,
       large_sizes(),
       {ours<float>(mf::plain_sum_in<double>), cub_sum<float, double>()},
       {},
       on_cpu<float>(mf::plain_sum_in<double>)},
      {"argmax",
       type,
       1,
       large_sizes(),
       {ours<float>(mf::argmax), cub_argmax<float>()},
       {},
       on_cpu<float>(mf::argmax)},
      {"stats",
       type,
       1,
       large_sizes(),
       {ours<float>(statistics), cub_statistics<float>()},
       {},
       on_cpu<float>(statistics)},
  };
}

}  // namespace bench
