// CUDA's names for short floats: rows, segments and running states on a GPU take them as float16 and bfloat16.

#include <cstdint>

#if defined(MONOFOLD_EMULATED)
struct __half {  // NOLINT
  std::uint16_t bits;
};
struct __nv_bfloat16 {  // NOLINT
  std::uint16_t bits;
};
#else
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#endif

#include "monofold/monofold.cuh"
#include "monofold/reduce_axis.cuh"
#include "monofold/reduce_segments.cuh"
#include "tests/gpu/device.cuh"
#include "tests/gpu/numbers.cuh"

namespace {

namespace mf = monofold;
using gpu_tests::same;

class gpu_short_floats_of_cuda : public gpu_tests::gpu_test {};

template <class Cuda, class Own>
void compare_with_cpu() {
  constexpr std::int64_t rows = 5;
  constexpr std::int64_t columns = 9000;
  const gpu_tests::numbers<Own> x(rows * columns);
  const auto* const items = reinterpret_cast<const Cuda*>(x.device.data());
  const mf::axis_numbers extents{rows, columns};
  const mf::array_view host(x.host.data(), extents);
  for (const std::int64_t axis : {0, 1}) {
    EXPECT_TRUE(
        same(mf::reduce_axis(mf::gpu, mf::array_view(items, extents), {axis}, mf::plain_sum).values,
             mf::reduce_axis(mf::cpu, host, {axis}, mf::plain_sum).values));
  }
  const mf::contiguous_view<Cuda> range(items, rows * columns);
  const mf::fixed_segments segments{rows, columns};
  EXPECT_TRUE(same(mf::reduce_segments(mf::gpu, range, segments, mf::plain_sum),
                   mf::reduce_segments(mf::cpu, x.host, segments, mf::plain_sum)));
  mf::running_state<Own, decltype(mf::plain_sum)> by_device(mf::plain_sum);
  mf::running_state<Own, decltype(mf::plain_sum)> by_host(mf::plain_sum);
  by_device.push(mf::gpu, range);
  by_host.push(x.host);
  EXPECT_EQ(by_device.finish(), by_host.finish());
}

TEST_F(gpu_short_floats_of_cuda, have_the_answers_of_ours) {
  compare_with_cpu<__half, mf::float16>();
  compare_with_cpu<__nv_bfloat16, mf::bfloat16>();
}

}  // namespace
