// More than 2^32 keys: runs that are longer than 2^31, and runs that begin behind 2^32.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "monofold/group_by.cuh"
#include "tests/gpu/device.cuh"

namespace {

namespace mf = monofold;
using gpu_tests::device_array;
using gpu_tests::is_slow;

class gpu_far_runs : public gpu_tests::gpu_test {};

/// Runs of keys, by where they begin; behind the last one's begin there are so many keys.
struct far_runs {
  static constexpr int count = 8;
  std::int64_t starts[count + 1];

  MONOFOLD_HD std::int64_t size() const { return starts[count]; }
  MONOFOLD_HD std::uint8_t key_of(int run) const { return static_cast<std::uint8_t>(5 + run % 3); }
  MONOFOLD_HD std::uint8_t operator()(std::int64_t i) const {
    int run = 0;
    while (starts[run + 1] <= i) ++run;
    return key_of(run);
  }
};

/// The first run is longer than half of `far`; others begin there, and at the last key.
constexpr far_runs runs_around(std::int64_t far) {
  return {
      {0, far / 2 + 7, far / 2 + 8, far - 1, far, far + 1, far + 5000, far + 9999, far + 10000}};
}

__global__ void __launch_bounds__(256) write_far_keys_kernel(std::uint8_t* to, far_runs runs) {
  const std::int64_t step = std::int64_t{gridDim.x} * blockDim.x;
  for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < runs.size();
       i += step) {
    to[i] = runs(i);
  }
}

/// The value of a key, and the sum of the first n of them.
struct far_value {
  MONOFOLD_HD std::int64_t operator()(std::int64_t i) const { return i % 7; }
};
std::int64_t far_sum(std::int64_t n) {
  const std::int64_t rest = n % 7;
  return n / 7 * 21 + rest * (rest - 1) / 2;
}

template <class Keys>
void expect_far_runs(const Keys& keys, const far_runs& runs) {
  const auto values = mf::generate(runs.size(), far_value{});
  const auto sums = mf::reduce_by_key(mf::gpu, keys, values, mf::sum);
  const auto counts = mf::reduce_by_key(mf::gpu, keys, values, mf::count);
  ASSERT_EQ(sums.keys.size(), std::size_t{far_runs::count});
  ASSERT_EQ(counts.keys, sums.keys);
  for (int run = 0; run < far_runs::count; ++run) {
    const auto at = static_cast<std::size_t>(run);
    const std::int64_t begin = runs.starts[run];
    const std::int64_t end = runs.starts[run + 1];
    EXPECT_EQ(sums.keys[at], runs.key_of(run)) << "run " << run;
    EXPECT_EQ(counts.answers[at], end - begin) << "run " << run;
    EXPECT_EQ(sums.answers[at], far_sum(end) - far_sum(begin)) << "run " << run;
  }
}

void compare_keys_in_memory(const far_runs& runs) {
  std::size_t free_bytes = 0;
  std::size_t all_bytes = 0;
  ASSERT_EQ(cudaMemGetInfo(&free_bytes, &all_bytes), cudaSuccess);
  // The keys, and a bit for each of them.
  if (free_bytes < static_cast<std::size_t>(runs.size() / 4 * 5 + (1 << 28))) {
    GTEST_SKIP() << "too little memory for the keys";
  }
  const device_array<std::uint8_t> keys(static_cast<std::size_t>(runs.size()));
  gpu_tests::start(write_far_keys_kernel, dim3(is_slow ? 2 : 4096), dim3(256), keys.data(), runs);
  expect_far_runs(mf::contiguous_view<std::uint8_t>(keys.data(), runs.size()), runs);
}

constexpr far_runs runs_of_far_keys = runs_around(std::int64_t{1} << 32);
constexpr far_runs runs_of_few_keys = runs_around(1 << 13);

TEST_F(gpu_far_runs, more_than_2_to_the_32_keys_in_memory) {
  if (is_slow) GTEST_SKIP() << "takes minutes on a slow device";
  compare_keys_in_memory(runs_of_far_keys);
}
TEST_F(gpu_far_runs, more_than_2_to_the_32_computed_keys) {
  if (is_slow) GTEST_SKIP() << "takes minutes on a slow device";
  expect_far_runs(mf::generate(runs_of_far_keys.size(), runs_of_far_keys), runs_of_far_keys);
}

/// The same of few keys, for slow devices, too.
TEST_F(gpu_far_runs, thousands_of_keys_in_memory) { compare_keys_in_memory(runs_of_few_keys); }
TEST_F(gpu_far_runs, thousands_of_computed_keys) {
  expect_far_runs(mf::generate(runs_of_few_keys.size(), runs_of_few_keys), runs_of_few_keys);
}

TEST_F(gpu_far_runs, groups_are_of_fewer_keys) {
  const auto keys = mf::generate(std::int64_t{1} << 32, far_value{});
  gpu_tests::expect_refused([&] { mf::group_by(mf::gpu, keys, keys, mf::count); },
                            "fewer than 2^32", mf::status::unsupported);
}

}  // namespace
