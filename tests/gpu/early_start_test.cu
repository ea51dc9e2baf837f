/// When a launch begins early: in a graph only right behind a launch of this library's own.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "monofold/engine/gpu/launch.cuh"
#include "tests/gpu/device.cuh"

#if !defined(MONOFOLD_EMULATED)  // which has no early starts

namespace {

namespace mf = monofold;

__global__ void somebody_elses(float* at) { *at = 1; }

class gpu_early_start : public gpu_tests::gpu_test {
 protected:
  static constexpr std::int64_t count = 1000;  // one block and one kernel

  void SetUp() override {
    gpu_test::SetUp();
    if (IsSkipped()) return;
    if (!mf::detail::begins_early(0)) GTEST_SKIP() << "no early starts before compute capability 9";
    ASSERT_EQ(cudaStreamCreate(&stream_), cudaSuccess);
    ASSERT_EQ(cudaMalloc(&items_, count * sizeof(float)), cudaSuccess);
    ASSERT_EQ(cudaMalloc(&out_, sizeof(float)), cudaSuccess);
    ASSERT_EQ(cudaMemset(items_, 0, count * sizeof(float)), cudaSuccess);
  }
  void TearDown() override {
    static_cast<void>(cudaFree(items_));
    static_cast<void>(cudaFree(out_));
    if (stream_ != nullptr) static_cast<void>(cudaStreamDestroy(stream_));
    gpu_test::TearDown();
  }

  [[nodiscard]] std::span<const float> items() const { return {items_, count}; }
  void sum(const mf::gpu_workspace& workspace) const {
    mf::reduce_into(mf::gpu(stream_), items(), mf::plain_sum, out_, workspace);
  }

  /// One letter for each edge of the graph that the steps leave, in their order: e(arly) or p(lain).
  template <class Steps>
  std::string edges_of(const Steps& steps) const {
    cudaGraph_t graph = nullptr;
    EXPECT_EQ(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal), cudaSuccess);
    steps();
    EXPECT_EQ(cudaStreamEndCapture(stream_, &graph), cudaSuccess);
    std::size_t edges = 0;
    EXPECT_EQ(cudaGraphGetEdges(graph, nullptr, nullptr, nullptr, &edges), cudaSuccess);
    std::vector<cudaGraphNode_t> from(edges);
    std::vector<cudaGraphNode_t> to(edges);
    std::vector<cudaGraphEdgeData> kinds(edges);
    EXPECT_EQ(cudaGraphGetEdges(graph, from.data(), to.data(), kinds.data(), &edges), cudaSuccess);
    std::string told;
    for (const auto& kind : kinds) {
      told += kind.type == cudaGraphDependencyTypeProgrammatic ? 'e' : 'p';
    }
    EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
    return told;
  }

  cudaStream_t stream_ = nullptr;
  float* items_ = nullptr;
  float* out_ = nullptr;
};

TEST_F(gpu_early_start, in_a_graph_behind_its_own_launches_only) {
  const mf::gpu_workspace workspace(mf::workspace_bytes(items(), mf::plain_sum));
  const auto other = [&] { somebody_elses<<<1, 1, 0, stream_>>>(out_); };
  EXPECT_EQ(edges_of([&] { sum(workspace), sum(workspace), sum(workspace); }), "ee");
  EXPECT_EQ(edges_of([&] { other(), sum(workspace); }), "p");
  EXPECT_EQ(edges_of([&] { sum(workspace), other(), sum(workspace), sum(workspace); }), "ppe");
}

TEST_F(gpu_early_start, a_replayed_graph_has_the_answer) {
  const mf::gpu_workspace workspace(mf::workspace_bytes(items(), mf::plain_sum));
  std::vector<float> ones(count, 1.0F);
  ASSERT_EQ(cudaMemcpy(items_, ones.data(), count * sizeof(float), cudaMemcpyHostToDevice),
            cudaSuccess);
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t replayed = nullptr;
  ASSERT_EQ(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal), cudaSuccess);
  somebody_elses<<<1, 1, 0, stream_>>>(items_ + 1);
  sum(workspace);
  somebody_elses<<<1, 1, 0, stream_>>>(out_);
  sum(workspace);
  sum(workspace);
  ASSERT_EQ(cudaStreamEndCapture(stream_, &graph), cudaSuccess);
  ASSERT_EQ(cudaGraphInstantiate(&replayed, graph, 0), cudaSuccess);
  for (int time = 0; time < 3; ++time) {
    ASSERT_EQ(cudaGraphLaunch(replayed, stream_), cudaSuccess);
    ASSERT_EQ(cudaStreamSynchronize(stream_), cudaSuccess);
    float answer = 0;
    ASSERT_EQ(cudaMemcpy(&answer, out_, sizeof answer, cudaMemcpyDeviceToHost), cudaSuccess);
    EXPECT_EQ(answer, count);
  }
  EXPECT_EQ(cudaGraphExecDestroy(replayed), cudaSuccess);
  EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
}

}  // namespace

#endif
