// Asynchronous calls: where results go, graphs, streams, workspaces, and what is refused.

#include <array>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "tests/gpu/device.cuh"
#include "tests/inputs/random.hpp"

namespace {

namespace mf = monofold;
using gpu_tests::device_array;
using gpu_tests::expect_refused;
using gpu_tests::repetitions;
using gpu_tests::same;

/// Items whose blocks meet by mail.
std::size_t some_by_mail(std::size_t on_a_gpu) { return gpu_tests::is_slow ? 200003 : on_a_gpu; }

class gpu_into : public gpu_tests::gpu_test {
 protected:
  static std::vector<float> numbers(std::size_t n, std::uint64_t seed = 0) {
    std::vector<float> out(n);
    for (std::size_t i = 0; i < n; ++i) {
      out[i] = static_cast<float>(inputs::spread_double(seed * 1000003 + i, 12));
    }
    return out;
  }
};

template <class T>
struct pinned {
  T* value = nullptr;
  explicit pinned(unsigned flags = cudaHostAllocDefault) {
    EXPECT_EQ(cudaHostAlloc(reinterpret_cast<void**>(&value), sizeof(T), flags), cudaSuccess);
  }
  ~pinned() { static_cast<void>(cudaFreeHost(value)); }
};

TEST_F(gpu_into, results_go_to_device_pinned_mapped_and_managed_memory) {
  const auto host = numbers(some_by_mail(3000001));
  const device_array<float> device(host);
  const auto range = device.span(0, host.size());
  const double want = mf::reduce(host, mf::plain_sum_in<double>);
  const mf::gpu_workspace workspace(mf::workspace_bytes(range, mf::plain_sum_in<double>));

  const device_array<double> on_device(1);
  mf::reduce_into(mf::gpu, range, mf::plain_sum_in<double>, on_device.data(), workspace);
  EXPECT_TRUE(same(on_device.host()[0], want));

  const pinned<double> in_pinned;
  const pinned<double> in_mapped(cudaHostAllocMapped | cudaHostAllocPortable);
  double* managed = nullptr;
  ASSERT_EQ(cudaMallocManaged(&managed, sizeof(double)), cudaSuccess);
  *in_pinned.value = *in_mapped.value = *managed = -1;
  mf::reduce_into(mf::gpu, range, mf::plain_sum_in<double>, in_pinned.value, workspace);
  mf::reduce_into(mf::gpu, range, mf::plain_sum_in<double>, in_mapped.value, workspace);
  mf::reduce_into(mf::gpu, range, mf::plain_sum_in<double>, managed, workspace);
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_TRUE(same(*in_pinned.value, want));
  EXPECT_TRUE(same(*in_mapped.value, want));
  EXPECT_TRUE(same(*managed, want));
  static_cast<void>(cudaFree(managed));
}

TEST_F(gpu_into, answers_finished_on_the_device) {
  const auto host = numbers(100003);
  const device_array<float> device(host);
  const auto range = device.span(0, host.size());
  const mf::gpu_workspace workspace(1 << 20);

  const device_array<mf::result<double>> out(1);
  mf::reduce_into(mf::gpu, range, mf::plain_standard_deviation(1), out.data(), workspace);
  EXPECT_TRUE(same(out.host()[0].value(), mf::reduce(host, mf::plain_standard_deviation(1))));
  mf::reduce_into(mf::gpu, range.first(1), mf::plain_variance(1), out.data(), workspace);
  EXPECT_EQ(out.host()[0].code(), mf::status::empty_input);

  const device_array<double> norm(1);
  mf::reduce_into(mf::gpu, range, mf::plain_norm2, norm.data(), workspace);
  EXPECT_TRUE(same(norm.host()[0], mf::reduce(host, mf::plain_norm2)));
  mf::reduce_into(mf::gpu, range.first(0), mf::plain_sum_in<double>, norm.data(), workspace);
  EXPECT_TRUE(same(norm.host()[0], 0.0));

  std::vector<std::int64_t> integers(5001);
  for (std::size_t i = 0; i < integers.size(); ++i) {
    integers[i] = static_cast<std::int64_t>(inputs::mixed(i)) >> 8;
  }
  const device_array<std::int64_t> there(integers);
  mf::reduce_into(mf::gpu, there.span(0, integers.size()), mf::plain_variance(), out.data(),
                  workspace);
  EXPECT_TRUE(same(out.host()[0].value(), mf::reduce(integers, mf::plain_variance())));
}

TEST_F(gpu_into, states_of_several_folds) {
  const auto host = numbers(1000003);
  const device_array<float> device(host);
  const auto folds = mf::all(mf::plain_sum_in<double>, mf::plain_variance(1), mf::extrema);
  const auto exact = mf::all(mf::sum, mf::extrema, mf::variance(1));
  const auto bound = mf::bind_fold<float>(folds);
  const device_array<decltype(bound)::state> out(1);
  const auto range = device.span(0, host.size());
  const mf::gpu_workspace workspace(mf::workspace_bytes(range, folds));
  mf::fold_into(mf::gpu, range, folds, out.data(), workspace);
  EXPECT_TRUE(same(mf::finish_state(bound, out.host()[0]).value(), mf::reduce(host, folds)));

  const auto bound_exact = mf::bind_fold<float>(exact);
  const device_array<decltype(bound_exact)::state> exact_out(1);
  EXPECT_LE(mf::workspace_bytes(range, mf::sum), mf::workspace_bytes(range, exact));
  const mf::gpu_workspace exact_workspace(mf::workspace_bytes(range, exact));
  mf::fold_into(mf::gpu, range, exact, exact_out.data(), exact_workspace);
  EXPECT_TRUE(
      same(mf::finish_state(bound_exact, exact_out.host()[0]).value(), mf::reduce(host, exact)));
}

TEST_F(gpu_into, a_captured_graph_replays) {
  const std::size_t n = 5000011;
  const device_array<float> device(numbers(n));
  const auto range = device.span(0, n);
  const device_array<double> out(2);
  const mf::gpu_workspace workspace(mf::workspace_bytes(range, mf::plain_sum_in<double>));
  cudaStream_t stream = nullptr;
  ASSERT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
  cudaGraph_t graph = nullptr;
  ASSERT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), cudaSuccess);
  mf::reduce_into(mf::gpu(stream), range, mf::plain_sum_in<double>, out.data(), workspace);
  mf::reduce_into(mf::gpu(stream), range.first(777777), mf::plain_sum_in<double>, out.data() + 1,
                  workspace);
  EXPECT_EQ(mf::try_reduce(mf::gpu(stream), range, mf::plain_sum_in<double>).code(),
            mf::status::invalid_argument);
  ASSERT_EQ(cudaStreamEndCapture(stream, &graph), cudaSuccess);
  cudaGraphExec_t replay = nullptr;
  ASSERT_EQ(cudaGraphInstantiate(&replay, graph, 0), cudaSuccess);
  for (std::uint64_t seed = 1; seed < std::uint64_t{repetitions(6, 2)}; ++seed) {
    const auto host = numbers(n, seed);
    ASSERT_EQ(cudaMemcpy(device.data(), host.data(), n * sizeof(float), cudaMemcpyHostToDevice),
              cudaSuccess);
    // The copy returns when the items have left pageable memory, and the stream does not wait for it.
    ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    ASSERT_EQ(cudaGraphLaunch(replay, stream), cudaSuccess);
    ASSERT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
    EXPECT_TRUE(same(out.host()[0], mf::reduce(host, mf::plain_sum_in<double>)));
    EXPECT_TRUE(
        same(out.host()[1], mf::reduce(std::span(host).first(777777), mf::plain_sum_in<double>)));
  }
  static_cast<void>(cudaGraphExecDestroy(replay));
  static_cast<void>(cudaGraphDestroy(graph));
  static_cast<void>(cudaStreamDestroy(stream));
}

/// One block, mail and ticket in turn, a thousand times, in one workspace.
TEST_F(gpu_into, launches_of_every_kind_share_a_workspace) {
  const auto counts =
      gpu_tests::is_slow
          ? std::array<std::size_t, 6>{700, 40000, 300000, 5000, 100000, 4300001}
          : std::array<std::size_t, 6>{700, 40000, 300000, 1000001, 4194304, 6000001};
  const auto host = numbers(counts.back());
  const device_array<float> device(host);
  const device_array<double> out(counts.size());
  const device_array<double> norms(counts.size());
  const device_array<float> least(counts.size());
  const mf::gpu_workspace workspace(mf::workspace_bytes(device.span(0, host.size()), mf::extrema));
  cudaStream_t stream = nullptr;
  ASSERT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
  cudaGraph_t graph = nullptr;
  ASSERT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), cudaSuccess);
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const auto range = device.span(i, counts[i] - i);
    mf::reduce_into(mf::gpu(stream), range, mf::plain_sum_in<double>, out.data() + i, workspace);
    mf::reduce_into(mf::gpu(stream), range, mf::plain_norm2, norms.data() + i, workspace);
    mf::reduce_into(mf::gpu(stream), range, mf::plain_sum_in<double>, out.data() + i, workspace);
    mf::reduce_into(mf::gpu(stream), range, mf::plain_sum, least.data() + i, workspace);
  }
  ASSERT_EQ(cudaStreamEndCapture(stream, &graph), cudaSuccess);
  cudaGraphExec_t replay = nullptr;
  ASSERT_EQ(cudaGraphInstantiate(&replay, graph, 0), cudaSuccess);
  for (unsigned i = 0; i < repetitions(1000, 1); ++i)
    ASSERT_EQ(cudaGraphLaunch(replay, stream), cudaSuccess);
  ASSERT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  const auto sums = out.host();
  const auto lengths = norms.host();
  const auto plain = least.host();
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const auto range = std::span(host).subspan(i, counts[i] - i);
    EXPECT_TRUE(same(sums[i], mf::reduce(range, mf::plain_sum_in<double>))) << counts[i];
    EXPECT_TRUE(same(lengths[i], mf::reduce(range, mf::plain_norm2))) << counts[i];
    EXPECT_TRUE(same(plain[i], mf::reduce(range, mf::plain_sum))) << counts[i];
  }
  static_cast<void>(cudaGraphExecDestroy(replay));
  static_cast<void>(cudaGraphDestroy(graph));
  static_cast<void>(cudaStreamDestroy(stream));
}

TEST_F(gpu_into, many_streams_with_a_workspace_each) {
  constexpr int streams = 16;
  const std::size_t n = some_by_mail(2000003);
  const auto host = numbers(n);
  const device_array<float> device(host);
  const device_array<double> out(streams);
  std::array<cudaStream_t, streams> stream{};
  std::vector<mf::gpu_workspace> workspaces;
  for (auto& s : stream) {
    ASSERT_EQ(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking), cudaSuccess);
    workspaces.emplace_back(mf::workspace_bytes(device.span(0, n), mf::plain_sum_in<double>));
  }
  for (unsigned round = 0; round < repetitions(50, 1); ++round) {
    for (std::size_t s = 0; s < streams; ++s) {
      mf::reduce_into(mf::gpu(stream[s]), device.span(s, n - 1000 * s - s),
                      mf::plain_sum_in<double>, out.data() + s, workspaces[s]);
    }
  }
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  const auto got = out.host();
  for (std::size_t s = 0; s < streams; ++s) {
    EXPECT_TRUE(same(got[s], mf::reduce(std::span(host).subspan(s, n - 1000 * s - s),
                                        mf::plain_sum_in<double>)));
    static_cast<void>(cudaStreamDestroy(stream[s]));
  }
}

/// Streams that do not wait for each other share the workspace of a thread that waits.
TEST_F(gpu_into, one_thread_waits_for_two_streams_in_turn) {
  const auto host = numbers(some_by_mail(1000003));
  const device_array<float> device(host);
  std::array<cudaStream_t, 2> stream{};
  for (auto& s : stream) {
    ASSERT_EQ(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking), cudaSuccess);
  }
  const std::array<double, 2> want{
      mf::reduce(host, mf::plain_sum_in<double>),
      mf::reduce(std::span(host).subspan(1), mf::plain_sum_in<double>)};
  unsigned right = 0;
  const unsigned calls = repetitions(2000, 20);
  for (std::size_t i = 0; i < calls; ++i) {
    const auto range = device.span(i % 2, host.size() - i % 2);
    right += same(mf::reduce(mf::gpu(stream[i % 2]), range, mf::plain_sum_in<double>), want[i % 2])
                 ? 1
                 : 0;
  }
  EXPECT_EQ(right, calls);
  for (auto& s : stream) static_cast<void>(cudaStreamDestroy(s));
}

TEST_F(gpu_into, many_threads_wait_at_once) {
  const auto host = numbers(some_by_mail(1000003));
  const device_array<float> device(host);
  const double want = mf::reduce(host, mf::plain_sum_in<double>);
  std::vector<std::thread> threads;
  std::array<unsigned, 8> right{};
  for (std::size_t t = 0; t < right.size(); ++t) {
    threads.emplace_back([&, t] {
      for (unsigned i = 0; i < repetitions(50, 2); ++i) {
        right[t] +=
            same(mf::reduce(mf::gpu, device.span(0, host.size()), mf::plain_sum_in<double>), want)
                ? 1
                : 0;
      }
    });
  }
  for (auto& thread : threads) thread.join();
  for (const unsigned count : right) EXPECT_EQ(count, repetitions(50, 2));
}

TEST_F(gpu_into, wrong_arguments_are_refused_and_nothing_is_written) {
  const std::size_t n = 6000001;
  const auto host = numbers(n);
  const device_array<float> device(host);
  const auto range = device.span(0, n);
  const device_array<double> out(std::vector<double>{-1.0});
  const mf::gpu_workspace workspace(mf::workspace_bytes(range, mf::plain_sum_in<double>));
  double on_host = 0;

  // A fold that needs more than every workspace has.
  constexpr auto both = mf::all(mf::sum, mf::argmax);
  using both_state = mf::bound_fold_t<std::remove_const_t<decltype(both)>, float>::state;
  const device_array<both_state> states(1);
  const mf::gpu_workspace small(mf::workspace_bytes(range, both) - 1);
  expect_refused([&] { mf::fold_into(mf::gpu, range, both, states.data(), small); },
                 "the workspace has");
  expect_refused([&] { mf::reduce_into(mf::gpu, range, mf::plain_sum_in<double>, out.data(), {}); },
                 "the workspace has 0 bytes");
  using view = mf::contiguous_view<float>;
  const auto with = [&](const float* items, std::int64_t count) {
    return [&, items, count] {
      mf::reduce_into(mf::gpu, view(items, count), mf::plain_sum_in<double>, out.data(), workspace);
    };
  };
  expect_refused(with(nullptr, 5), "the range is a null pointer");
  expect_refused(with(device.data(), -1), "negative count");
  const auto* const odd =
      reinterpret_cast<const float*>(reinterpret_cast<const char*>(device.data()) + 2);
  expect_refused(with(odd, 5), "the range is not aligned");
  expect_refused(
      [&] { mf::reduce_into(mf::gpu, range, mf::plain_sum_in<double>, nullptr, workspace); },
      "the result is a null pointer");
  int pageable = 0;
  static_cast<void>(cudaDeviceGetAttribute(&pageable, cudaDevAttrPageableMemoryAccess, 0));
  if (pageable == 0) {
    expect_refused(with(host.data(), 5), "the range is host memory");
    expect_refused(
        [&] { mf::reduce_into(mf::gpu, range, mf::plain_sum_in<double>, &on_host, workspace); },
        "the result is host memory");
  }
  const gpu_tests::several_devices all(2);
  int devices = 0;
  static_cast<void>(cudaGetDeviceCount(&devices));
  if (devices > 1) {
    ASSERT_EQ(cudaSetDevice(1), cudaSuccess);
    expect_refused(with(device.data(), 5), "the range is memory of device 0");
    const device_array<float> here(host);
    const device_array<double> result(1);
    expect_refused(
        [&] {
          mf::reduce_into(mf::gpu, here.span(0, n), mf::plain_sum_in<double>, result.data(),
                          workspace);
        },
        "the workspace is memory of device 0");
    ASSERT_EQ(cudaSetDevice(0), cudaSuccess);
  }
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(out.host()[0], -1.0);
  // What was refused left the workspace as it was.
  mf::reduce_into(mf::gpu, range, mf::plain_sum_in<double>, out.data(), workspace);
  EXPECT_TRUE(same(out.host()[0], mf::reduce(host, mf::plain_sum_in<double>)));
}

struct keep_right {
  MONOFOLD_HD float operator()(float, float r) const { return r; }
};

TEST_F(gpu_into, an_empty_range_without_an_identity_is_refused) {
  const device_array<mf::result<float>> out(1);
  const device_array<float> state(1);
  const auto fold = mf::ordered(keep_right{});
  try {
    mf::fold_into(mf::gpu, std::span<const float>(), fold, state.data(), {});
    ADD_FAILURE() << "not refused";
  } catch (const mf::error& refused) {
    EXPECT_EQ(refused.code(), mf::status::empty_input);
  }
}

}  // namespace
