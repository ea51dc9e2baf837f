// The CUDA of docs/groups.md: its code block is the marked pieces (tests/docs/snippets_test.py).

#include <cstdint>
#include <span>
#include <vector>

// [group_calls]
#include "monofold/group_by.cuh"
#include "monofold/monofold.cuh"
namespace mf = monofold;

// [/group_calls]
#include "tests/gpu/device.cuh"

namespace {

using gpu_tests::device_array;

class gpu_groups_page : public gpu_tests::gpu_test {};

TEST_F(gpu_groups_page, calls) {
  const device_array<std::int64_t> shop(std::vector<std::int64_t>{7, 3, 7, 7, 3});
  const device_array<double> price(std::vector<double>{0.5, 3, 0.25, 8, 5});
  const std::int64_t* const device_keys = shop.data();
  const double* const device_values = price.data();
  const std::size_t n = 5;
  cudaStream_t stream = nullptr;
  // [group_calls]
  std::span<const std::int64_t> keys(device_keys, n);  // device, managed or pinned memory
  std::span<const double> values(device_values, n);
  auto [shops, totals] = mf::group_by(mf::gpu, keys, values, mf::sum);  // vectors of the host
  auto first = mf::group_by(mf::gpu(stream), keys, values, mf::mean, mf::key_order::first);
  auto runs = mf::reduce_by_key(mf::gpu, keys, values, mf::count);
  // [/group_calls]
  EXPECT_EQ(shops, (std::vector<std::int64_t>{3, 7}));
  EXPECT_EQ(totals, (std::vector<double>{8, 8.75}));
  EXPECT_EQ(first.keys, (std::vector<std::int64_t>{7, 3}));
  EXPECT_EQ(first.answers.back(), 4);
  EXPECT_EQ(runs.answers, (std::vector<std::int64_t>{1, 1, 2, 1}));
}

}  // namespace
