// int8, int32 and int64: exact sums of every size, arg-max.

#include "bench/gpu/cub_peer.cuh"
#include "bench/gpu/ours.cuh"

namespace bench {

std::vector<gpu_case> integer_cases() {
  return {
      {"sum",
       gpu_items::int8,
       1.01,
       all_sizes(),
       {ours<std::int8_t>(mf::plain_sum_in<double>), cub_sum<std::int8_t, std::int64_t>()},
       {},
       on_cpu<std::int8_t>(mf::plain_sum_in<double>)},
      {"sum",
       gpu_items::int32,
       1.01,
       all_sizes(),
       {ours<std::int32_t>(mf::plain_sum_in<double>), cub_sum<std::int32_t, std::int64_t>()},
       {},
       on_cpu<std::int32_t>(mf::plain_sum_in<double>)},
      {"sum",
       gpu_items::int64,
       1.01,
       all_sizes(),
       {ours<std::int64_t>(mf::plain_sum), cub_sum<std::int64_t, std::int64_t>()},
       {},
       on_cpu<std::int64_t>(mf::plain_sum)},
      {"argmax",
       gpu_items::int32,
       1,
       large_sizes(),
       {ours<std::int32_t>(mf::argmax), cub_argmax<std::int32_t>()},
       {},
       on_cpu<std::int32_t>(mf::argmax)},
  };
}

}  // namespace bench
