// top(k) without waiting: where answers go, graphs, streams, chunks, and what is refused.

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "monofold/engine/gpu/dispatch.cuh"
#include "tests/gpu/device.cuh"
#include "tests/gpu/top_items.cuh"
#include "tests/inputs/random.hpp"

namespace {

namespace mf = monofold;
using gpu_tests::device_array;
using gpu_tests::expect_refused;
using gpu_tests::same_answer;

class gpu_top_into : public gpu_tests::gpu_test {
 protected:
  static std::vector<float> numbers(std::size_t n, std::uint64_t seed = 0) {
    std::vector<float> out(n);
    for (std::size_t i = 0; i < n; ++i) {
      out[i] = static_cast<float>(inputs::mixed(seed * 1000003 + i) % 100000);
    }
    return out;
  }
};

/// The k best in memory of any kind that host and device see.
struct answer_memory {
  mf::top_out<float> out{};
  explicit answer_memory(std::size_t k, unsigned flags = cudaHostAllocMapped) {
    EXPECT_EQ(cudaHostAlloc(reinterpret_cast<void**>(&out.values), k * sizeof(float), flags),
              cudaSuccess);
    EXPECT_EQ(cudaHostAlloc(reinterpret_cast<void**>(&out.indices), k * 8, flags), cudaSuccess);
    for (std::size_t i = 0; i < k; ++i) out.indices[i] = -7;
  }
  answer_memory(const answer_memory&) = delete;
  answer_memory& operator=(const answer_memory&) = delete;
  ~answer_memory() {
    static_cast<void>(cudaFreeHost(out.values));
    static_cast<void>(cudaFreeHost(out.indices));
  }
  mf::top_answer<float> get(std::size_t k) const {
    return {{out.values, out.values + k}, {out.indices, out.indices + k}};
  }
};

TEST_F(gpu_top_into, answers_go_to_device_pinned_and_mapped_memory) {
  const auto host = numbers(gpu_tests::is_slow ? 30001 : 3000001);
  const device_array<float> device(host);
  const auto range = device.span(0, host.size());
  constexpr std::size_t k = 100;
  const auto fold = mf::top(k);
  const auto want = mf::reduce(host, fold);
  const mf::gpu_workspace workspace(mf::workspace_bytes(range, fold));

  const device_array<float> values(k);
  const device_array<std::int64_t> indices(k);
  mf::reduce_into(mf::gpu, range, fold, {values.data(), indices.data()}, workspace);
  EXPECT_TRUE(same_answer({values.host(), indices.host()}, want));

  const answer_memory mapped(k);
  const answer_memory pinned(k, cudaHostAllocDefault);
  mf::reduce_into(mf::gpu, range, fold, mapped.out, workspace);
  mf::reduce_into(mf::gpu, range, fold, pinned.out, workspace);
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_TRUE(same_answer(mapped.get(k), want));
  EXPECT_TRUE(same_answer(pinned.get(k), want));
}

TEST_F(gpu_top_into, a_captured_graph_replays) {
  const std::size_t n = gpu_tests::is_slow ? 90007 : 6000011;
  constexpr std::size_t k = 33;
  constexpr std::size_t few = 70001;
  std::array<std::vector<float>, 2> host{numbers(n, 1), numbers(n, 2)};
  // The second ones are all worse: a bound that a replay left behind would drop them.
  for (float& each : host[1]) each -= 200000;
  const device_array<float> first(host[0]);
  const device_array<float> second(host[1]);
  const device_array<float> items(n);
  const auto range = items.span(0, n);
  const auto sum = mf::reduce(host[1], mf::plain_sum_in<double>);
  const mf::gpu_workspace workspace(mf::workspace_bytes(range, mf::top(k)));
  const answer_memory all(k);
  const answer_memory some(k);
  const device_array<double> total(1);
  cudaStream_t stream = nullptr;
  ASSERT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
  cudaGraph_t graph = nullptr;
  ASSERT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), cudaSuccess);
  mf::reduce_into(mf::gpu(stream), range, mf::top(k), all.out, workspace);
  mf::reduce_into(mf::gpu(stream), range, mf::plain_sum_in<double>, total.data(), workspace);
  mf::reduce_into(mf::gpu(stream), range.first(few), mf::bottom(k), some.out, workspace);
  EXPECT_EQ(mf::try_reduce(mf::gpu(stream), range, mf::top(k)).code(),
            mf::status::invalid_argument);
  ASSERT_EQ(cudaStreamEndCapture(stream, &graph), cudaSuccess);
  cudaGraphExec_t replay = nullptr;
  ASSERT_EQ(cudaGraphInstantiate(&replay, graph, 0), cudaSuccess);
  const std::array want{mf::reduce(host[0], mf::top(k)), mf::reduce(host[1], mf::top(k))};
  const std::array least{mf::reduce(std::span(host[0]).first(few), mf::bottom(k)),
                         mf::reduce(std::span(host[1]).first(few), mf::bottom(k))};
  int right = 0;
  for (std::size_t i = 0; i < gpu_tests::repetitions(100, 4); ++i) {
    const auto& from = i % 2 == 0 ? first : second;
    ASSERT_EQ(cudaMemcpyAsync(items.data(), from.data(), n * sizeof(float),
                              cudaMemcpyDeviceToDevice, stream),
              cudaSuccess);
    ASSERT_EQ(cudaGraphLaunch(replay, stream), cudaSuccess);
    ASSERT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
    right += same_answer(all.get(k), want[i % 2]) && same_answer(some.get(k), least[i % 2]) ? 1 : 0;
  }
  EXPECT_EQ(right, gpu_tests::is_slow ? 4 : 100);
  EXPECT_TRUE(gpu_tests::same(total.host()[0], sum));
  static_cast<void>(cudaGraphExecDestroy(replay));
  static_cast<void>(cudaGraphDestroy(graph));
  static_cast<void>(cudaStreamDestroy(stream));
}

TEST_F(gpu_top_into, two_streams_with_a_workspace_each) {
  const std::size_t n = gpu_tests::is_slow ? 40003 : 2000003;
  constexpr std::size_t k = 128;
  const auto host = numbers(n);
  const device_array<float> device(host);
  std::array<cudaStream_t, 2> stream{};
  std::vector<mf::gpu_workspace> workspaces;
  for (auto& s : stream) {
    ASSERT_EQ(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking), cudaSuccess);
    workspaces.emplace_back(mf::workspace_bytes(device.span(0, n), mf::top(k)));
  }
  const answer_memory out[2] = {answer_memory(k), answer_memory(k)};
  for (unsigned round = 0; round < gpu_tests::repetitions(50, 10); ++round) {
    for (std::size_t s = 0; s < 2; ++s) {
      mf::reduce_into(mf::gpu(stream[s]), device.span(s, n - 1000 * s - s), mf::top(k), out[s].out,
                      workspaces[s]);
    }
  }
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  for (std::size_t s = 0; s < 2; ++s) {
    const auto range = std::span(host).subspan(s, n - 1000 * s - s);
    EXPECT_TRUE(same_answer(out[s].get(k), mf::reduce(range, mf::top(k))));
    static_cast<void>(cudaStreamDestroy(stream[s]));
  }
}

/// A range that comes in chunks: candidates of each, joined on the host.
TEST_F(gpu_top_into, chunks_are_joined_on_the_host) {
  const std::size_t n = gpu_tests::is_slow ? 40017 : 3000017;
  constexpr std::size_t k = 40;
  const auto host = numbers(n);
  const device_array<float> device(host);
  const auto fold = mf::bind_fold<float>(mf::top(k));
  const mf::gpu_workspace workspace(mf::workspace_bytes(device.span(0, n), fold));
  const answer_memory some(k);
  std::int64_t* count = nullptr;
  ASSERT_EQ(cudaHostAlloc(reinterpret_cast<void**>(&count), 8, cudaHostAllocMapped), cudaSuccess);
  auto joined = fold.identity();
  std::size_t at = 0;
  for (const std::size_t size : {std::size_t{7}, std::size_t{0}, std::size_t{999999},
                                 std::size_t{30}, std::size_t{1200001}, n}) {
    const std::size_t here = size < n - at ? size : n - at;
    *count = -1;
    const auto view = mf::view_of(device.span(at, here));
    const mf::detail::gpu_path<decltype(fold), decltype(view)> path(fold, view);
    mf::detail::device_stream on{};
    ASSERT_FALSE(mf::detail::open_stream(mf::gpu, on));
    const auto failed =
        path.start(on, workspace, {some.out.values, some.out.indices, count, nullptr, 0},
                   static_cast<std::int64_t>(at));
    ASSERT_EQ(failed.code, mf::status::ok) << failed.detail;
    ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    ASSERT_EQ(*count, static_cast<std::int64_t>(here < k ? here : k));
    decltype(joined) chunk;
    for (std::int64_t i = 0; i < *count; ++i) {
      chunk.candidates.push_back({fold.key_of(some.out.values[i]), some.out.indices[i]});
    }
    joined = fold.combine(joined, chunk);
    at += here;
  }
  ASSERT_EQ(at, n);
  EXPECT_TRUE(same_answer(*fold.finish(joined), mf::reduce(host, mf::top(k))));
  static_cast<void>(cudaFreeHost(count));
}

/// NaN that are omitted leave places behind.
TEST_F(gpu_top_into, fewer_numbers_than_k) {
  std::vector<float> host(5000, std::numeric_limits<float>::quiet_NaN());
  host[4321] = 1;
  host[17] = 2;
  const device_array<float> device(host);
  const mf::top_fold<float, false, mf::nan_rule::omit> fold{5};
  const answer_memory out(5);
  mf::reduce_into(mf::gpu, device.span(0, host.size()), fold, out.out, {});
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(out.get(5).indices, (std::vector<std::int64_t>{17, 4321, -1, -1, -1}));
  EXPECT_EQ(mf::try_reduce(mf::gpu, device.span(0, host.size()), fold).code(),
            mf::status::empty_input);
}

TEST_F(gpu_top_into, wrong_arguments_are_refused) {
  const std::size_t n = gpu_tests::is_slow ? 30001 : 3000001;
  const auto host = numbers(n);
  const device_array<float> device(host);
  const auto range = device.span(0, n);
  const mf::gpu_workspace workspace(mf::workspace_bytes(range, mf::top(10)));
  // So many blocks cannot mail so many items.
  const std::size_t many = gpu_tests::is_slow ? 300001 : n;
  const device_array<float> more(many);
  const auto long_range = more.span(0, many);
  const mf::gpu_workspace small(mf::workspace_bytes(long_range, mf::top(1000)) - 1);
  const answer_memory out(10);
  using enum mf::status;
  const auto into = [&](std::int64_t k, mf::top_out<float> where, const mf::gpu_workspace& own) {
    return [&, k, where] { mf::reduce_into(mf::gpu, range, mf::top(k), where, own); };
  };
  expect_refused([&] { mf::reduce_into(mf::gpu, long_range, mf::top(1000), out.out, small); },
                 "the workspace has");
  expect_refused(into(10, {nullptr, out.out.indices}, workspace),
                 "the values' place is a null pointer");
  expect_refused(into(10, {out.out.values, nullptr}, workspace),
                 "the indices' place is a null pointer");
  expect_refused(into(-1, out.out, workspace), "k is -1");
  expect_refused(into(1025, out.out, workspace), "k is 1025", unsupported);
  expect_refused([&] { mf::reduce_into(mf::gpu, range.first(9), mf::top(10), out.out, workspace); },
                 "k is 10", empty_input);
  EXPECT_EQ(mf::try_reduce(mf::gpu, range, mf::top(1025)).code(), unsupported);
  EXPECT_EQ(mf::try_reduce(mf::gpu, range, mf::top(-1)).code(), invalid_argument);
  EXPECT_EQ(mf::try_reduce(mf::gpu, range.first(5), mf::top(6)).code(), empty_input);
  EXPECT_EQ(mf::try_reduce(mf::gpu, range.first(0), mf::top(1)).code(), empty_input);
  EXPECT_TRUE(mf::reduce(mf::gpu, range, mf::bottom(0)).values.empty());
  mf::reduce_into(mf::gpu, range, mf::top(0), {}, {});
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(out.out.indices[0], -7);
}

}  // namespace
