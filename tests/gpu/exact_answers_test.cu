// Exact answers of the device: what peers get wrong, results of every type, graphs.

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "tests/exact/items.hpp"
#include "tests/gpu/exact_states.cuh"

namespace {

namespace mf = monofold;
using gpu_tests::device_array;
using gpu_tests::same;

constexpr double inf = std::numeric_limits<double>::infinity();

class gpu_exact : public gpu_tests::gpu_test {
 protected:
  static double sum(const std::vector<double>& items) {
    const device_array<double> device(items);
    return mf::reduce(mf::gpu, device.span(0, items.size()), mf::sum);
  }
};

TEST_F(gpu_exact, what_peers_get_wrong) {
  EXPECT_TRUE(same(sum(std::vector<double>(1000, 0.0)), 0.0));
  EXPECT_EQ(sum({inf, 1, 2}), inf);
  EXPECT_EQ(sum({-inf, 1}), -inf);
  EXPECT_TRUE(std::isnan(sum({-inf, 1, inf})));
  EXPECT_EQ(sum(std::vector<double>(10, 1e300)), 1e301);
  EXPECT_EQ(sum({1.7e308, 1.7e308, -1.7e308}), 1.7e308);
  EXPECT_EQ(sum({1.7e308, 1.7e308}), inf);
  EXPECT_EQ(sum(std::vector<double>(1000, 1e-310)), 1000 * 1e-310);  // 1e-310 is subnormal
  EXPECT_EQ(sum(std::vector<double>(1000, 1e-307)), 1e-304);
  EXPECT_EQ(sum(std::vector<double>(1000000, 1e-300)), 1e-294);
  std::vector<double> cancelling;
  for (int i = 0; i < 10000; ++i) {
    for (const double x : {1.0, 1e100, 1.0, -1e100}) cancelling.push_back(x);
  }
  EXPECT_EQ(sum(cancelling), 20000.0);
  EXPECT_TRUE(same(sum({-0.0, -0.0, -0.0}), -0.0));
  EXPECT_TRUE(same(sum({-0.0, 0.0, -0.0}), 0.0));
  EXPECT_TRUE(same(sum({}), 0.0));
}

TEST_F(gpu_exact, the_same_bits_at_every_offset) {
  const auto host = inputs::items_of<float>("normal", 100003 + 5, 2);
  const device_array<float> device(host);
  for (const std::size_t offset : {0, 1, 2, 3, 5}) {
    const std::span<const float> items(host.data() + offset, 100003);
    EXPECT_TRUE(same(mf::reduce(mf::gpu, device.span(offset, 100003), mf::sum),
                     mf::reduce(mf::cpu, items, mf::sum)));
  }
}

TEST_F(gpu_exact, largest_numbers_and_their_negatives) {
  std::vector<double> items(20001, std::numeric_limits<double>::max());
  for (std::size_t i = 0; i < 10000; ++i) items[2 * i] = -items[2 * i];
  EXPECT_EQ(sum(items), std::numeric_limits<double>::max());
  const device_array<double> device(std::vector<double>(7, std::numeric_limits<double>::max()));
  EXPECT_EQ(mf::reduce(mf::gpu, device.span(0, 7), mf::mean), std::numeric_limits<double>::max());
}

TEST_F(gpu_exact, finished_on_the_device_as_any_type) {
  const auto host = inputs::items_of<double>("normal", 30001, 8);
  const device_array<double> device(host);
  const auto range = device.span(0, host.size());
  const mf::gpu_workspace workspace(mf::workspace_bytes(range, mf::sum));
  const device_array<float> as_float(1);
  mf::reduce_into(mf::gpu, range, mf::sum_to<float>, as_float.data(), workspace);
  EXPECT_TRUE(same(as_float.host()[0], mf::reduce(host, mf::sum_to<float>)));
  const device_array<mf::float16> as_half(1);
  mf::reduce_into(mf::gpu, range, mf::norm1_to<mf::float16>, as_half.data(), workspace);
  EXPECT_TRUE(same(as_half.host()[0], mf::reduce(host, mf::norm1_to<mf::float16>)));
  const device_array<mf::result<double>> mean(1);
  mf::reduce_into(mf::gpu, range, mf::mean, mean.data(), workspace);
  EXPECT_TRUE(same(mean.host()[0].value(), mf::reduce(host, mf::mean)));
}

/// Signs, ties, sums of few and of many limbs, rounded by a warp.
TEST_F(gpu_exact, random_sums_finished_on_the_device) {
  inputs::generator random(21);
  const device_array<double> out(1);
  const device_array<float> as_float(1);
  const mf::gpu_workspace workspace(0);
  std::vector<double> items;
  for (unsigned round = 0; round < gpu_tests::repetitions(2000, 300); ++round) {
    do inputs::draw_small(random, items);
    while (items.empty());
    const device_array<double> device(items);
    const auto range = device.span(0, items.size());
    mf::reduce_into(mf::gpu, range, mf::sum, out.data(), workspace);
    mf::reduce_into(mf::gpu, range, mf::sum_to<float>, as_float.data(), workspace);
    ASSERT_TRUE(same(out.host()[0], mf::reduce(items, mf::sum))) << "round " << round;
    ASSERT_TRUE(same(as_float.host()[0], mf::reduce(items, mf::sum_to<float>)))
        << "round " << round;
  }
}

/// Where leading bits decide and where they do not, of short sums and of digits; any number of items from
/// any place on.
template <class Item>
void expect_variances(const std::vector<Item>& items, std::size_t offset) {
  const device_array<Item> device(items);
  const auto range = device.span(offset, items.size() - offset);
  const std::span<const Item> host(items.data() + offset, range.size());
  const mf::gpu_workspace workspace(mf::workspace_bytes(range, mf::variance()));
  const auto expect = [&]<class Answer>(const auto& fold, Answer) {
    const device_array<Answer> out(1);
    mf::reduce_into(mf::gpu, range, fold, out.data(), workspace);
    const auto expected = mf::try_reduce(host, fold);
    if constexpr (requires(Answer a) { a.has_value(); }) {
      const Answer got = out.host()[0];
      ASSERT_EQ(got.code(), expected.code());
      if (got) {
        ASSERT_TRUE(same(*got, *expected)) << host.size() << " items from " << offset;
      }
    } else {
      ASSERT_TRUE(same(out.host()[0], *expected)) << host.size() << " items from " << offset;
    }
  };
  expect(mf::variance(), mf::result<double>());
  expect(mf::standard_deviation<float>(1), mf::result<float>());
  expect(mf::mean_to<float>, mf::result<float>());
  expect(mf::norm2, double());
}

TEST_F(gpu_exact, random_variances_finished_on_the_device) {
  inputs::generator random(22);
  std::vector<double> items;
  std::vector<mf::float16> halves;
  for (unsigned round = 0; round < gpu_tests::repetitions(200, 40); ++round) {
    inputs::draw_small(random, items);
    inputs::draw_small(random, halves);
    SCOPED_TRACE(round);
    ASSERT_NO_FATAL_FAILURE(expect_variances(items, items.size() / 3));
    ASSERT_NO_FATAL_FAILURE(expect_variances(halves, halves.size() / 3));
  }
}

TEST_F(gpu_exact, variances_finished_on_the_device) {
  for (const char* kind : {"normal", "wide", "cancelling", "zeros", "integers", "specials"}) {
    SCOPED_TRACE(kind);
    for (const int n : {1, 1001, 20003}) {
      ASSERT_NO_FATAL_FAILURE(expect_variances(inputs::items_of<float>(kind, n, 3), n % 3));
      ASSERT_NO_FATAL_FAILURE(expect_variances(inputs::items_of<double>(kind, n, 3), n % 3));
      ASSERT_NO_FATAL_FAILURE(expect_variances(inputs::items_of<mf::bfloat16>(kind, n, 3), n % 3));
    }
  }
  // Too much cancels: all limbs are needed.
  std::vector<double> near(3001, 1.0);
  near[77] += 0x1p-52;
  near[78] = 1e-30;
  near[79] = 2 - 1e-30;
  ASSERT_NO_FATAL_FAILURE(expect_variances(near, 1));
  ASSERT_NO_FATAL_FAILURE(expect_variances(std::vector<double>{0, 1, -1, 0x1p-200}, 1));
}

TEST_F(gpu_exact, a_graph_replayed_with_the_same_workspace) {
  const auto first = inputs::items_of<double>("any finite", 50000, 1);
  const auto second = inputs::items_of<double>("uniform", 50000, 2);
  const device_array<double> device(first);
  const auto range = device.span(0, first.size());
  const device_array<double> out(1);
  const mf::gpu_workspace workspace(mf::workspace_bytes(range, mf::sum));
  cudaStream_t stream = nullptr;
  ASSERT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t call = nullptr;
  ASSERT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), cudaSuccess);
  mf::reduce_into(mf::gpu(stream), range, mf::sum, out.data(), workspace);
  ASSERT_EQ(cudaStreamEndCapture(stream, &graph), cudaSuccess);
  ASSERT_EQ(cudaGraphInstantiate(&call, graph, 0), cudaSuccess);
  for (const auto* items : {&first, &first, &second, &first}) {
    ASSERT_EQ(cudaMemcpy(device.data(), items->data(), items->size() * sizeof(double),
                         cudaMemcpyHostToDevice),
              cudaSuccess);
    // The copy of pageable memory may still be on its way, and the stream does not wait for it.
    ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    ASSERT_EQ(cudaGraphLaunch(call, stream), cudaSuccess);
    ASSERT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
    EXPECT_TRUE(same(out.host()[0], mf::reduce(*items, mf::sum)));
  }
  static_cast<void>(cudaGraphExecDestroy(call));
  static_cast<void>(cudaGraphDestroy(graph));
  static_cast<void>(cudaStreamDestroy(stream));
}

}  // namespace
