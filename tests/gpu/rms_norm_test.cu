// The RMS norm of docs/axes.md: a token has the same bits alone and in any batch.

#include <cmath>
#include <cstdint>
#include <vector>

#include "monofold/reduce_axis.cuh"
#include "tests/gpu/device.cuh"
#include "tests/inputs/answer_bytes.hpp"
#include "tests/inputs/random.hpp"

namespace {

namespace mf = monofold;
using gpu_tests::device_array;

// [rms_norm]
using mean_squares = mf::result<double>;  // as mf::mean_square leaves them: a row may be empty

__global__ void scale_rows(const float* x, const mean_squares* squares, const float* weights,
                           float epsilon, std::int64_t width, float* y) {
  const std::int64_t row = blockIdx.x;
  const auto scale = static_cast<float>(1 / sqrt(*squares[row] + epsilon));
  for (std::int64_t i = threadIdx.x; i < width; i += blockDim.x) {
    y[row * width + i] = x[row * width + i] * scale * weights[i];
  }
}

/// y = x / sqrt(mean(x^2) + epsilon) * weights, token by token; allocates nothing, does not wait.
void rms_norm(cudaStream_t stream, const mf::array_view<float>& x, const float* weights,
              float epsilon, mean_squares* squares, const mf::gpu_workspace& workspace, float* y) {
  mf::reduce_axis_into(mf::gpu(stream), x, {-1}, mf::mean_square, squares, workspace);
  cudaLaunchConfig_t rows{};
  rows.gridDim = static_cast<unsigned>(x.extents()[0]);
  rows.blockDim = 256;
  rows.stream = stream;
  cudaLaunchKernelEx(&rows, scale_rows, x.data_of_first(),
                     static_cast<const mean_squares*>(squares), weights, epsilon, x.extents()[1],
                     y);
}
// [/rms_norm]

class gpu_rms_norm : public gpu_tests::gpu_test {};

/// Item i of a token: large and small ones, so that an order of additions would show.
float item_of(std::int64_t token, std::int64_t i) {
  return static_cast<float>(
      inputs::spread_double(static_cast<std::uint64_t>(token * 8191 + i), 20));
}

/// The norms of tokens [first, first + tokens).
std::vector<float> norms(std::int64_t first, std::int64_t tokens, std::int64_t width) {
  std::vector<float> items;
  for (std::int64_t row = 0; row < tokens; ++row) {
    for (std::int64_t i = 0; i < width; ++i) items.push_back(item_of(first + row, i));
  }
  std::vector<float> weights;
  for (std::int64_t i = 0; i < width; ++i) weights.push_back(1 + 0.25F * static_cast<float>(i % 5));
  const device_array<float> x(items);
  const device_array<float> w(weights);
  const device_array<float> y(items.size());
  const device_array<mean_squares> squares(static_cast<std::size_t>(tokens));
  const mf::array_view<float> batch(x.data(), {tokens, width});
  const mf::gpu_workspace workspace(mf::workspace_bytes(batch, {-1}, mf::mean_square));
  rms_norm(nullptr, batch, w.data(), 1e-6F, squares.data(), workspace, y.data());
  return y.host();
}

TEST_F(gpu_rms_norm, a_token_has_the_same_bits_in_any_batch) {
  const std::int64_t width = gpu_tests::is_slow ? 100 : 1536;
  const std::vector<float> alone = norms(0, 1, width);
  for (const std::int64_t others : {0, 1, 2, 255, 256, 257, 4096}) {
    const std::int64_t tokens = others + 1;
    // The token is the first, one in the middle, and the last of its batch.
    for (const std::int64_t place : {std::int64_t{0}, tokens / 2, tokens - 1}) {
      if (gpu_tests::is_slow && tokens > 257 && place != tokens / 2) continue;
      const std::vector<float> batch = norms(-place, tokens, width);
      const auto begin = batch.begin() + place * width;
      ASSERT_TRUE(inputs::bytes_of(std::vector<float>(begin, begin + width)) ==
                  inputs::bytes_of(alone))
          << "of " << tokens << ", at " << place;
    }
  }
}

TEST_F(gpu_rms_norm, is_that_of_the_mean_square_on_a_cpu) {
  const std::int64_t width = 100;
  std::vector<float> items;
  for (std::int64_t i = 0; i < width; ++i) items.push_back(item_of(0, i));
  const double square = mf::reduce(items, mf::mean_square);
  const auto scale = static_cast<float>(1 / std::sqrt(square + 1e-6F));
  const std::vector<float> found = norms(0, 1, width);
  for (std::int64_t i = 0; i < width; ++i) {
    const auto at = static_cast<std::size_t>(i);
    EXPECT_EQ(found[at], items[at] * scale * (1 + 0.25F * static_cast<float>(i % 5)));
  }
}

}  // namespace
