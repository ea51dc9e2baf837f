// Groups by key on a GPU: views, streams, errors, and the bytes of `reduce` of a group's items.

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "monofold/group_by.cuh"
#include "monofold/monofold.cuh"
#include "monofold/platform/host_device.hpp"
#include "tests/gpu/keyed_items.cuh"
#include "tests/inputs/answer_bytes.hpp"

namespace {

namespace mf = monofold;
using gpu_tests::device_array;
using gpu_tests::expect_same_groups;
using gpu_tests::gpu_group_by;
using gpu_tests::many_items;
using gpu_tests::numbers_of;
using gpu_tests::spread_keys;

TEST_F(gpu_group_by, a_group_has_the_bytes_of_reduce_of_its_items) {
  const auto keys = spread_keys(many_items, 40, 1000);
  const auto values = numbers_of<double>(many_items);
  std::map<std::int64_t, std::vector<double>> slow;
  for (std::size_t i = 0; i < keys.size(); ++i) slow[keys[i]].push_back(values[i]);
  const device_array<std::int64_t> there(keys);
  const device_array<double> device(values);
  const auto got =
      mf::group_by(mf::gpu, there.span(0, many_items), device.span(0, many_items), mf::plain_sum);
  ASSERT_EQ(got.keys.size(), slow.size());
  std::size_t g = 0;
  for (const auto& [key, group] : slow) {
    const device_array<double> alone(group);
    ASSERT_EQ(got.keys[g], key);
    EXPECT_EQ(inputs::bytes_of(got.answers[g]),
              inputs::bytes_of(mf::reduce(mf::cpu, group, mf::plain_sum)));
    EXPECT_EQ(inputs::bytes_of(got.answers[g]),
              inputs::bytes_of(mf::reduce(mf::gpu, alone.span(0, group.size()), mf::plain_sum)));
    ++g;
  }
}

TEST_F(gpu_group_by, no_items_are_no_groups) {
  const std::span<const std::int64_t> keys;
  const std::span<const double> values;
  EXPECT_TRUE(mf::group_by(mf::gpu, keys, values, mf::plain_sum).keys.empty());
  EXPECT_TRUE(mf::reduce_by_key(mf::gpu, keys, values, mf::argmax).answers.empty());
}

TEST_F(gpu_group_by, a_stream_of_its_own) {
  const auto keys = spread_keys(many_items, 30);
  const auto values = numbers_of<double>(many_items);
  const device_array<std::int64_t> there(keys);
  const device_array<double> device(many_items);
  cudaStream_t stream = nullptr;
  ASSERT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
  ASSERT_EQ(cudaMemcpyAsync(device.data(), values.data(), many_items * sizeof(double),
                            cudaMemcpyHostToDevice, stream),
            cudaSuccess);
  expect_same_groups("stream",
                     mf::group_by(mf::gpu(stream), there.span(0, many_items),
                                  device.span(0, many_items), mf::sum, mf::key_order::first),
                     mf::group_by(mf::cpu, keys, values, mf::sum, mf::key_order::first));
  ASSERT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), cudaSuccess);
  gpu_tests::expect_refused(
      [&] {
        static_cast<void>(
            mf::group_by(mf::gpu(stream), there.span(0, 9), device.span(0, 9), mf::sum));
      },
      "the stream is being captured");
  cudaGraph_t graph = nullptr;
  ASSERT_EQ(cudaStreamEndCapture(stream, &graph), cudaSuccess);
  static_cast<void>(cudaGraphDestroy(graph));
  EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
}

template <class Call>
std::string refusal_of(const Call& call) {
  try {
    call();
  } catch (const mf::error& refused) {
    return refused.what();
  }
  return "nothing";
}

TEST_F(gpu_group_by, errors_have_the_words_of_the_cpu) {
  const std::vector<std::int64_t> keys{5, 3, 5, 9, 3, 7};
  const std::vector<double> values{1, 2, 3, 4, 5, 6};
  const device_array<std::int64_t> there(keys);
  const device_array<double> device(values);
  const auto first_of = [&](mf::key_order order) {
    const std::string got = refusal_of([&] {
      static_cast<void>(
          mf::group_by(mf::gpu, there.span(0, 6), device.span(0, 6), mf::variance(1), order));
    });
    EXPECT_EQ(got, refusal_of([&] {
                static_cast<void>(mf::group_by(mf::cpu, keys, values, mf::variance(1), order));
              }));
    return got;
  };
  EXPECT_NE(first_of(mf::key_order::sorted).find("group 2"), std::string::npos);
  EXPECT_NE(first_of(mf::key_order::first).find("group 2"), std::string::npos);
  const std::vector<double> fewer{1, 2};
  EXPECT_EQ(
      refusal_of([&] {
        static_cast<void>(mf::reduce_by_key(mf::gpu, there.span(0, 6), device.span(0, 2), mf::sum));
      }),
      refusal_of([&] { static_cast<void>(mf::reduce_by_key(mf::cpu, keys, fewer, mf::sum)); }));
  gpu_tests::expect_refused(
      [&] {
        static_cast<void>(mf::group_by(mf::gpu, mf::contiguous_view<std::int64_t>(nullptr, 6),
                                       device.span(0, 6), mf::sum));
      },
      "null pointer");
}

}  // namespace
