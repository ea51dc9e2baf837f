// Rows of one length on a GPU, most of whole 16-byte chunks: each has the bytes of the CPU's reduction of that row alone.

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <string>
#include <vector>

// Before what kernels are made of: their names must not meet those of the CPU's ways.
#include "monofold/reduce_segments.hpp"

#include "monofold/reduce_segments.cuh"
#include "tests/gpu/device.cuh"
#include "tests/gpu/place_hash.cuh"
#include "tests/inputs/answer_bytes.hpp"
#include "tests/inputs/random.hpp"

namespace {

namespace mf = monofold;
using gpu_tests::device_array;
using gpu_tests::place_hash;

class gpu_rows : public gpu_tests::gpu_test {};

/// Rows like those around them, and some of each kind that needs another way.
template <class Item>
std::vector<Item> items_for(std::int64_t rows, std::int64_t length) {
  std::vector<Item> out;
  for (std::int64_t r = 0; r < rows; ++r) {
    for (std::int64_t i = 0; i < length; ++i) {
      const auto at = static_cast<std::uint64_t>(r * length + i);
      double x = inputs::spread_double(at, r % 13 == 5 ? 60 : 6);
      if (r % 17 == 3) x = 0;
      if (r % 17 == 4) x = -0.0;
      if (r % 17 == 5) x = i % 2 == 0 ? 1.5 : -1.5;  // nothing is left
      if (r % 19 == 7 && i == length / 2) x = std::numeric_limits<double>::infinity();
      if (r % 19 == 8 && i == length - 1) x = std::numeric_limits<double>::quiet_NaN();
      if (r % 19 == 9 && i == 0) x = 1e30;
      out.push_back(static_cast<Item>(static_cast<float>(x)));
    }
  }
  return out;
}

/// As many rows as there are, each `stride` behind the one before.
template <class Item, class F>
void compare_rows_of(const char* what, const F& f, const std::vector<Item>& host,
                     std::int64_t length, std::int64_t stride) {
  const auto rows = (static_cast<std::int64_t>(host.size()) - length) / stride + 1;
  const device_array<Item> device(host);
  const auto size = static_cast<std::size_t>((rows - 1) * stride + length);
  const auto got = mf::try_reduce_segments(mf::gpu, device.span(0, size),
                                           mf::fixed_segments(length, rows, stride), f);
  ASSERT_EQ(static_cast<std::int64_t>(got.size()), rows);
  for (std::int64_t r = 0; r < rows; ++r) {
    const auto row = std::span<const Item>(host).subspan(static_cast<std::size_t>(r * stride),
                                                         static_cast<std::size_t>(length));
    ASSERT_EQ(inputs::bytes_of(got[static_cast<std::size_t>(r)]),
              inputs::bytes_of(mf::try_reduce(mf::cpu, row, f)))
        << what << ", row " << r << " of " << length << " items";
  }
}

template <class Item, class F>
void compare_rows(const char* what, const F& f, const std::vector<std::int64_t>& lengths,
                  std::int64_t gap = 0) {
  for (const std::int64_t length : lengths) {
    const std::int64_t stride = length + gap;
    compare_rows_of(what, f, items_for<Item>(length > 300 ? 39 : 240, stride), length, stride);
    if (testing::Test::HasFatalFailure()) return;
  }
}

const std::vector<std::int64_t> row_lengths{1,   2,   4,   8,   12,  32,   100,
                                            128, 132, 256, 260, 520, 1000, 1024};

TEST_F(gpu_rows, by_the_tree) {
  compare_rows<float>("hash", place_hash{}, row_lengths);
  compare_rows<float>("plain_sum", mf::plain_sum, {1, 2, 8, 100, 1000}, 4);
  // Totals of several rows are exchanged together.
  compare_rows<float>("plain_sum", mf::plain_sum, {20, 36, 64, 68, 128, 132, 256, 260, 516});
  // Chunks of 8 bytes.
  compare_rows<float>("hash", place_hash{}, {6, 10, 18, 34, 62});
  compare_rows<float>("plain_sum", mf::plain_sum, {6, 10, 18, 34, 62}, 2);
  compare_rows<double>("argmax", mf::argmax, {1, 2, 6, 64, 66, 512});
  compare_rows<mf::bfloat16>("plain_sum", mf::plain_sum,
                             {1, 2, 4, 8, 12, 20, 36, 40, 100, 124, 132, 264, 2048});
}

TEST_F(gpu_rows, exact_sums) {
  compare_rows<float>("sum", mf::sum, row_lengths);
  compare_rows<float>("mean", mf::mean, {4, 100, 260}, 8);
  compare_rows<mf::bfloat16>("sum", mf::sum, {8, 12, 36, 100, 124, 128, 264, 2048});
  compare_rows<mf::float16>("norm1", mf::norm1, {8, 40, 264});
}

// Results on a boundary of 16 bytes go by one store each, others by two.
TEST_F(gpu_rows, means_where_results_may_lie) {
  using answer = mf::result<double>;
  static_assert(sizeof(answer) == 16 && alignof(answer) == 8);
  constexpr std::int64_t rows = 300, length = 8;
  const auto host = items_for<float>(rows, length);
  const device_array<float> device(host);
  const auto items = device.span(0, host.size());
  const mf::fixed_segments segments(length, rows);
  const device_array<double> out(2 * rows + 2);
  const mf::gpu_workspace workspace(mf::workspace_bytes(items, segments, mf::mean));
  for (const int off : {0, 1}) {
    auto* const to = reinterpret_cast<answer*>(out.data() + off);
    mf::reduce_segments_into(mf::gpu, items, segments, mf::mean, to, workspace);
    ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    const auto words = out.host();
    for (std::int64_t r = 0; r < rows; ++r) {
      answer got;
      std::memcpy(static_cast<void*>(&got), &words[static_cast<std::size_t>(2 * r + off)],
                  sizeof(got));
      const auto row = std::span<const float>(host).subspan(static_cast<std::size_t>(r * length),
                                                            static_cast<std::size_t>(length));
      ASSERT_EQ(inputs::bytes_of(got), inputs::bytes_of(mf::try_reduce(mf::cpu, row, mf::mean)))
          << "row " << r << ", " << off << " words off";
    }
  }
}

// Rows of several tiles: a warp each, teams of warps, blocks that meet; at 16-byte boundaries and elsewhere.
TEST_F(gpu_rows, of_several_tiles) {
  const auto compare = [](const auto& folds, const auto& host, std::int64_t length,
                          std::int64_t stride) {
    compare_rows_of("several tiles", folds, host, length, stride);
  };
  struct shape {
    std::int64_t rows, length, gap;
  };
  for (const auto& [rows, length, gap] :
       {shape{1, 330 * 1024 + 17, 0}, shape{2, 65 * 1024 + 1, 0}, shape{3, 1025, 0},
        shape{40, 3000, 0}, shape{67, 9 * 1024 + 4, 0}, shape{65, 4100, 1}, shape{300, 2048, 0}}) {
    const std::int64_t stride = length + gap;
    const auto host = items_for<float>(rows, stride);
    compare(place_hash{}, host, length, stride);
    compare(mf::plain_sum, host, length, stride);
    compare(mf::sum, host, length, stride);
    compare(mf::mean, host, length, stride);
    if (HasFatalFailure()) return;
  }
  const auto doubles = items_for<double>(21, 5001);
  compare(mf::sum, doubles, 5001, 5001);
  compare(mf::plain_sum, doubles, 5001, 5001);
  compare(mf::variance(1), doubles, 5001, 5001);
  compare(mf::argmax, doubles, 21 * 5001, 21 * 5001);
  const auto halves = items_for<mf::bfloat16>(30, 4104);
  compare(mf::sum, halves, 4104, 4104);
  compare(mf::plain_sum, halves, 4103, 4103);
  compare(mf::argmax, halves, 4103, 4103);
}

// Exact sums of so many are listed first, on a device of four multiprocessors: for a warp each, or in nodes for blocks.
TEST_F(gpu_rows, many_of_several_tiles) {
  compare_rows_of("for warps", mf::sum, items_for<float>(1400, 3001), 3001, 3001);
  compare_rows_of("for blocks", mf::sum, items_for<float>(33, 130 * 1024), 130 * 1024 - 3,
                  130 * 1024);
}

// Nodes of a row leave integers where they have them, else states; units of some lie far from those of others.
TEST_F(gpu_rows, whose_nodes_are_unlike) {
  constexpr std::int64_t length = 300 * 1024 + 3;  // two nodes on a device of four multiprocessors
  // As large sums as there are: no number of units may overflow.
  for (int binades = 1; binades < 60; binades += 6) {
    std::vector<double> host(2 * length, 0x1.fffffffffffffp0);
    for (std::size_t i = 0; i < host.size() / 3; ++i) host[i] = std::ldexp(host[i], binades);
    compare_rows_of("large", mf::sum, host, length, length);
    if (HasFatalFailure()) return;
  }
  const auto near = items_for<float>(1, 2 * length);
  for (const float far :
       {0x1p-20f, 0x1p-90f, 0x1p40f, -0x1.8p100f, 0x1p-149f, std::numeric_limits<float>::infinity(),
        std::numeric_limits<float>::quiet_NaN()}) {
    for (const std::int64_t at : {length / 3, length - 1}) {
      auto host = near;
      host[static_cast<std::size_t>(at)] = far;
      compare_rows_of("one item", mf::sum, host, length, length);
      for (std::int64_t i = at; i < at + 9000 && i < 2 * length; ++i) {
        host[static_cast<std::size_t>(i)] = near[static_cast<std::size_t>(i)] * far;
      }
      compare_rows_of("a node", mf::sum, host, length, length);
      if (HasFatalFailure()) return;
    }
  }
}

/// The square of a double is two doubles, of which the upper ones may cancel in a variance. Some are for integers.
TEST_F(gpu_rows, squares_of_doubles) {
  std::vector<double> host(6000);
  for (std::size_t i = 0; i < host.size(); ++i) host[i] = inputs::spread_double(i, 20);
  for (std::size_t i = 100; i < 140; ++i) host[i] = i % 2 == 0 ? -0.0 : 0.0;
  host[700] = 0x1p-600;
  host[900] = -0x1.8p520;
  host[1300] = 0x1p-1070;
  host[1700] = std::numeric_limits<double>::infinity();
  host[2100] = std::numeric_limits<double>::quiet_NaN();
  for (std::size_t i = 2500; i < 4000; ++i) host[i] = 0x1p30 + std::ldexp(host[i], -12);
  for (std::size_t i = 4000; i < 5000; i += 37) host[i] *= i % 2 == 0 ? 0x1p-90 : 0x1p-30;
  for (std::size_t i = 5000; i < 6000; ++i) host[i] *= 0x1p-440;  // near those for integers
  for (const std::int64_t length : {1, 2, 7, 32, 33, 100, 255, 257, 700, 1025, 6000}) {
    compare_rows_of("variance", mf::variance(1), host, length, length);
    compare_rows_of("mean_square", mf::mean_square, host, length, length);
    if (HasFatalFailure()) return;
  }
}

}  // namespace
