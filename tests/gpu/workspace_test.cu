// What a workspace holds between calls: numbers of calls that begin again, what a failed kernel leaves, and
// a second device.

#include <cstdint>
#include <vector>

#include "monofold/engine/gpu/tree/fold_few_tiles_kernel.cuh"
#include "tests/gpu/device.cuh"

namespace {

namespace mf = monofold;
using gpu_tests::device_array;
using gpu_tests::same;

class gpu_workspaces : public gpu_tests::gpu_test {};

constexpr std::int64_t mailed_items = 100 * 1024;  // 100 tiles: blocks meet by mail
constexpr std::int64_t fewer_items = 50 * 1024;    // in half as many boxes

std::vector<float> numbers(std::int64_t count, float first) {
  std::vector<float> out(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < out.size(); ++i) {
    out[i] = first + static_cast<float>(i % 1000) / 16;
  }
  return out;
}

std::uint32_t number_of_call(const mf::gpu_workspace& workspace) {
  std::uint32_t number = 0;
  EXPECT_EQ(cudaMemcpy(&number, workspace.mail().memory, sizeof number, cudaMemcpyDeviceToHost),
            cudaSuccess);
  return number;
}

/// Each call has its own items, so an answer made of an older call's mail is wrong.
template <class F>
void expect_right_across_the_wrap(const F& f) {
  using state = typename mf::bound_fold_t<F, float>::state;
  const mf::gpu_workspace workspace(1 << 20);
  const device_array<state> out(1);
  float first = 1;
  const auto call = [&](std::int64_t count) {
    const std::vector<float> host = numbers(count, first);
    const device_array<float> items(host);
    mf::fold_into(mf::gpu, items.span(0, host.size()), f, out.data(), workspace);
    const auto bound = mf::bind_fold<float>(f);
    const auto got = mf::finish_state(bound, out.host()[0]);
    EXPECT_TRUE(same(got.value(), mf::reduce(host, f))) << first;
    first += 1;
  };
  for (int i = 0; i < 3; ++i) call(mailed_items);
  ASSERT_EQ(number_of_call(workspace), 4u) << "these calls were to go by mail";
  const std::uint32_t late = 0xfffffffe;
  ASSERT_EQ(cudaMemcpy(workspace.mail().memory, &late, sizeof late, cudaMemcpyHostToDevice),
            cudaSuccess);
  // Half of the boxes keep the mail of call 3 until the second call of that number.
  for (int i = 0; i < 2; ++i) call(fewer_items);
  // No box holds mail that a call of the same number could take for its own.
  std::vector<std::uint64_t> boxes(mf::detail::mailbox_storage::words, 1);
  const auto* const first_box =
      static_cast<const char*>(workspace.mail().memory) + mf::detail::mailbox_storage::line_bytes;
  ASSERT_EQ(cudaMemcpy(boxes.data(), first_box, boxes.size() * 8, cudaMemcpyDeviceToHost),
            cudaSuccess);
  for (const std::uint64_t box : boxes) ASSERT_EQ(box, 0u);
  for (int i = 0; i < 3; ++i) call(mailed_items);
  EXPECT_EQ(number_of_call(workspace), 4u);  // 0xfffffffe, 0xffffffff, then 1, 2, 3
}

TEST_F(gpu_workspaces, numbers_of_calls_begin_again_states) {
  expect_right_across_the_wrap(mf::plain_sum_in<double>);
}

TEST_F(gpu_workspaces, numbers_of_calls_begin_again_exact_sums) {
  expect_right_across_the_wrap(mf::sum);
}

TEST_F(gpu_workspaces, a_second_device_has_its_own) {
  const gpu_tests::several_devices here(2);
  int count = 0;
  ASSERT_EQ(cudaGetDeviceCount(&count), cudaSuccess);
  if (count < 2) GTEST_SKIP() << "one device";
  const std::vector<float> host = numbers(300001, 3);
  const mf::gpu_workspace of_first(1 << 20);
  const device_array<float> on_first(host);
  for (const int device : {1, 0, 1}) {
    ASSERT_EQ(cudaSetDevice(device), cudaSuccess);
    const device_array<float> items(host);
    const auto range = items.span(0, host.size());
    EXPECT_TRUE(same(mf::reduce(mf::gpu, range, mf::sum), mf::reduce(host, mf::sum)));
    EXPECT_TRUE(same(mf::reduce(mf::gpu, range, mf::plain_sum), mf::reduce(host, mf::plain_sum)));
    EXPECT_TRUE(mf::reduce(mf::gpu, range, mf::top(5)).indices ==
                mf::reduce(host, mf::top(5)).indices);
    if (device == 0) continue;
    EXPECT_EQ(mf::try_reduce(mf::gpu, on_first.span(0, host.size()), mf::sum).code(),
              mf::status::invalid_argument);
    const device_array<double> out(1);
    EXPECT_THROW(mf::reduce_into(mf::gpu, range, mf::sum, out.data(), of_first), mf::error);
  }
}

#if defined(MONOFOLD_EMULATED)

TEST_F(gpu_workspaces, a_kernel_that_failed_leaves_none_behind) {
  const std::vector<float> host = numbers(mailed_items, 2);
  const device_array<float> items(host);
  const auto range = items.span(0, host.size());
  const float* freed = nullptr;
  {
    const device_array<float> gone(16);
    freed = gone.data();
  }
  for (int turn = 0; turn < 2; ++turn) {
    EXPECT_FALSE(
        mf::try_reduce(mf::gpu, range, gpu_tests::sum_that_fails{70000, freed}).has_value());
    static_cast<void>(mf::emulation::take_reports());
    EXPECT_TRUE(same(mf::reduce(mf::gpu, range, gpu_tests::sum_that_fails{70000}),
                     mf::reduce(host, gpu_tests::sum_that_fails{70000})));
    EXPECT_TRUE(same(mf::reduce(mf::gpu, range, mf::sum), mf::reduce(host, mf::sum)));
    EXPECT_TRUE(mf::reduce(mf::gpu, range, mf::top(3)).indices ==
                mf::reduce(host, mf::top(3)).indices);
  }
}

#endif

}  // namespace
