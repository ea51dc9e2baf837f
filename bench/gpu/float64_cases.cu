// float64: plain sums of every size, arg-max, eight statistics.

#include "bench/gpu/cub_peer.cuh"
#include "bench/gpu/ours.cuh"
#include "bench/gpu/statistics_peer.cuh"

namespace bench {

std::vector<gpu_case> float64_cases() {
  const auto statistics = mf::all(mf::count, mf::plain_sum_in<double>, mf::plain_mean,
                                  mf::plain_variance(), mf::extrema);
  constexpr auto type = gpu_items::float64;
  return {
      {"plain_sum",
       type,
       1.01,
       all_sizes(),
       {ours<double>(mf::plain_sum), cub_sum<double, double>()},
       {},
       on_cpu<double>(mf::plain_sum)},
      {"argmax",
       type,
       1,
       large_sizes(),
       {ours<double>(mf::argmax), cub_argmax<double>()},
       {},
       on_cpu<double>(mf::argmax)},
      {"stats",
       type,
       1,
       large_sizes(),
       {ours<double>(statistics), cub_statistics<double>()},
       {},
       on_cpu<double>(statistics)},
  };
}

}  // namespace bench
