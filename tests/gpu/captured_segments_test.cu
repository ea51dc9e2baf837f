// Calls of segments in a graph: each replay reads the offsets and the items that are there then.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "monofold/reduce_segments.cuh"
#include "tests/gpu/device.cuh"
#include "tests/inputs/answer_bytes.hpp"
#include "tests/inputs/random.hpp"

namespace {

namespace mf = monofold;
using gpu_tests::device_array;

/// A call that was captured once.
class replayed {
 public:
  template <class Call>
  explicit replayed(const Call& call) {
    EXPECT_EQ(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), cudaSuccess);
    EXPECT_EQ(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal), cudaSuccess);
    call(stream_);
    EXPECT_EQ(cudaStreamEndCapture(stream_, &graph_), cudaSuccess);
    EXPECT_EQ(cudaGraphInstantiate(&replay_, graph_, 0), cudaSuccess);
  }
  replayed(const replayed&) = delete;
  replayed& operator=(const replayed&) = delete;
  ~replayed() {
    static_cast<void>(cudaGraphExecDestroy(replay_));
    static_cast<void>(cudaGraphDestroy(graph_));
    static_cast<void>(cudaStreamDestroy(stream_));
  }
  void run() const {
    ASSERT_EQ(cudaGraphLaunch(replay_, stream_), cudaSuccess);
    ASSERT_EQ(cudaStreamSynchronize(stream_), cudaSuccess);
  }

 private:
  cudaStream_t stream_ = nullptr;
  cudaGraph_t graph_ = nullptr;
  cudaGraphExec_t replay_ = nullptr;
};

template <class T>
void overwrite(const device_array<T>& there, const std::vector<T>& with) {
  ASSERT_EQ(cudaMemcpy(there.data(), with.data(), with.size() * sizeof(T), cudaMemcpyHostToDevice),
            cudaSuccess);
  // The copy of pageable memory may still be on its way, and streams of replays do not wait for it.
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
}

class gpu_captured_segments : public gpu_tests::gpu_test {
 protected:
  static constexpr std::int64_t items = 60000;

  static std::vector<float> numbers(std::uint64_t seed) {
    std::vector<float> out(items);
    for (std::size_t i = 0; i < out.size(); ++i) {
      out[i] = static_cast<float>(inputs::spread_double(i + seed, 12));
    }
    return out;
  }
  /// Offsets of so many segments: none, short ones, and those of `giants` with most of the items.
  static std::vector<std::int64_t> offsets(std::int64_t count,
                                           const std::vector<std::int64_t>& giants) {
    std::vector<std::int64_t> lengths(static_cast<std::size_t>(count));
    for (std::size_t s = 0; s < lengths.size(); ++s) {
      lengths[s] = static_cast<std::int64_t>(inputs::mixed(s + giants.size()) % 7);
    }
    for (const std::int64_t giant : giants) lengths[static_cast<std::size_t>(giant)] = 5000;
    std::vector<std::int64_t> out{3};
    for (const std::int64_t length : lengths) out.push_back(out.back() + length);
    EXPECT_LE(out.back(), items);
    return out;
  }

  /// `giants`: the long segments of each replay.
  template <class F>
  static void compare(const char* what, const F& f, std::int64_t count,
                      const std::vector<std::vector<std::int64_t>>& giants) {
    const device_array<float> there(numbers(0));
    const device_array<std::int64_t> bounds(offsets(count, giants[0]));
    const auto range = there.span(0, items);
    const mf::offset_segments segments(bounds.data(), count);
    const device_array<mf::finished_t<F, float>> out(static_cast<std::size_t>(count));
    const mf::gpu_workspace workspace(mf::workspace_bytes(range, segments, f));
    const replayed call([&](cudaStream_t stream) {
      mf::reduce_segments_into(mf::gpu(stream), range, segments, f, out.data(), workspace);
    });
    for (std::size_t round = 0; round < giants.size(); ++round) {
      const auto host = numbers(round * 1000);
      const auto ends = offsets(count, giants[round]);
      overwrite(there, host);
      overwrite(bounds, ends);
      call.run();
      const auto got = out.host();
      for (std::size_t s = 0; s < got.size(); ++s) {
        const auto own = std::span<const float>(host).subspan(
            static_cast<std::size_t>(ends[s]), static_cast<std::size_t>(ends[s + 1] - ends[s]));
        ASSERT_EQ(inputs::bytes_of(got[s]), inputs::bytes_of(mf::reduce(mf::cpu, own, f)))
            << what << ": segment " << s << " of " << own.size() << " items, round " << round;
      }
    }
  }
};

TEST_F(gpu_captured_segments, few_of_them) {
  compare("count", mf::count, 10, {{3}, {0, 9}, {}});
  compare("sum", mf::sum, 10, {{3}, {0, 9}, {}});
}

TEST_F(gpu_captured_segments, more_than_a_block_looks_at) {
  compare("sum", mf::sum, 2100, {{7, 1500}, {}, {0, 1, 2, 1023, 2099}});
  compare("plain sum", mf::plain_sum, 2100, {{}, {7, 1500}, {2099}});
}

}  // namespace
