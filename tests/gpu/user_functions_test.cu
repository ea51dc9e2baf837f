// What a user writes for the host alone works on the host in a CUDA source, without a warning; what is
// marked gives the GPU's answer too. What is not marked and a kernel calls: tests/compile_fail/gpu_*.cu.

#if !defined(MONOFOLD_EMULATED)
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#endif

#include <algorithm>
#include <cstdint>
#include <functional>
#include <tuple>
#include <vector>

#include "tests/gpu/device.cuh"
#include "tests/gpu/numbers.cuh"

namespace {

namespace mf = monofold;
using gpu_tests::compare;
using gpu_tests::device_array;

/// For the host alone.
struct host_steepest {
  using state = float;
  state lift(float x, std::int64_t) const { return x; }
  constexpr state combine(state l, state r) const { return std::max(l, r); }
  void absorb(state& own, float x, std::int64_t) const { own = std::max(own, x); }
  state identity() const { return -1; }
  constexpr double finish(state s) const { return s; }
};
struct host_square {
  float operator()(float x) const { return x * x; }
};
struct host_positive {
  bool operator()(float x) const { return x > 0; }
};
struct host_number {
  float operator()(std::int64_t i) const { return static_cast<float>(i); }
};
struct host_larger {
  float operator()(float l, float r) const { return std::max(l, r); }
};

TEST(user_functions, those_for_the_host_work_on_the_host) {
  const std::vector<float> items{3, -1, 2};
  EXPECT_EQ(mf::reduce(items, host_steepest{}), 3);
  EXPECT_EQ(mf::reduce(items, mf::ordered(host_larger{})), 3);
  EXPECT_EQ(mf::reduce(items, mf::commutative(std::plus<>{}, 0.0f)), 4);
  EXPECT_EQ(mf::reduce(items, mf::sum | mf::map(host_square{})), 14);
  EXPECT_EQ(mf::reduce(items, mf::all(mf::max, mf::sum) | mf::where(host_positive{})),
            std::tuple(3.0f, 5.0));
  EXPECT_EQ(mf::reduce(mf::transform(items, host_square{}), mf::max), 9);
  EXPECT_EQ(mf::reduce(mf::generate(4, host_number{}), mf::sum), 6);
  EXPECT_EQ(mf::reduce(items, mf::sum | mf::map([](float x) { return 2 * x; })), 8);
  mf::running_state<float, host_steepest> running(host_steepest{});
  running.push(items);
  EXPECT_EQ(running.finish(), 3);
}

class gpu_user_functions : public gpu_tests::gpu_test {};

// A function of its own: nvcc takes no such lambda in a private member, which a test's body is.
void compare_lambdas() {
  const gpu_tests::numbers<float> x(gpu_tests::few_items_to_compare<float>());
  const auto square = [] MONOFOLD_HD_LAMBDA(float v) { return v * v; };
  const auto positive = [] MONOFOLD_HD_LAMBDA(float v) { return v > 0; };
  compare("squares", mf::sum | mf::map(square), x.host, x.device);
  compare("no NaN", mf::plain_sum | mf::raise_nan, x.host, x.device);
  compare("positive ones", mf::max | mf::where(positive), x.host, x.device);
  const gpu_tests::numbers<std::int64_t> wide(gpu_tests::few_items_to_compare<std::int64_t>());
  const auto odd = [] MONOFOLD_HD_LAMBDA(std::int64_t v) { return v % 2 != 0; };
  compare("odd ones", mf::variance(0) | mf::where(odd), wide.host,
          wide.device);  // a state with padding
}

TEST_F(gpu_user_functions, marked_lambdas_have_the_answers_of_the_host) { compare_lambdas(); }

/// A sum whose state is no sum of states where it is made without arguments; with members that the library's own folds
/// have for themselves.
struct sum_and_one {
  struct state {
    std::int64_t sum = 1;
  };
  static constexpr bool commutative = true;
  static constexpr bool exact = true;
  MONOFOLD_HD state lift(int x, std::int64_t) const { return {x}; }
  MONOFOLD_HD state combine(const state& l, const state& r) const { return {l.sum + r.sum}; }
  MONOFOLD_HD state identity() const { return {0}; }
  MONOFOLD_HD static state total_of_lanes(const state& own) { return own; }
  MONOFOLD_HD std::int64_t finish(const state& s) const { return s.sum; }
};

TEST_F(gpu_user_functions, names_of_members_say_nothing_else) {
  const gpu_tests::numbers<int> x(gpu_tests::few_items_to_compare<int>());
  compare("sum", sum_and_one{}, x.host, x.device);
  EXPECT_EQ(sum_and_one::total_of_lanes({5}).sum, 5);
}

#if !defined(MONOFOLD_EMULATED)
/// A fold of the user's that takes CUDA's type gets it as it is.
struct largest_half {
  using state = float;
  MONOFOLD_HD state lift(const __half& x, std::int64_t) const { return __half2float(x); }
  MONOFOLD_HD state combine(state l, state r) const { return l < r ? r : l; }
};

TEST(user_functions, short_floats_of_cuda_are_items) {
  const std::vector<__half> halves{__float2half(1.5f), __float2half(-3.0f)};
  const std::vector<__nv_bfloat16> brains{__float2bfloat16(1.5f), __float2bfloat16(-3.0f)};
  EXPECT_EQ(mf::reduce(halves, mf::sum), -1.5);
  EXPECT_EQ(mf::reduce(halves, mf::argmin), 1);
  EXPECT_EQ(mf::reduce(halves, largest_half{}), 1.5f);
  EXPECT_EQ(static_cast<float>(mf::reduce(brains, mf::max)), 1.5f);
}

TEST_F(gpu_user_functions, short_floats_of_cuda_are_items) {
  const std::vector<__half> host(10000, __float2half(0.1f));
  const device_array<__half> device(host);
  const mf::contiguous_view<__half> view(device.data(), 10000);
  EXPECT_EQ(mf::reduce(mf::gpu, view, mf::sum), mf::reduce(host, mf::sum));
  EXPECT_EQ(mf::reduce(mf::gpu, view, largest_half{}), mf::reduce(host, largest_half{}));
}
#endif

}  // namespace
