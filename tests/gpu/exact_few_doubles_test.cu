// Exact answers of few doubles: as of other types, where their squares leave the range of doubles, and sums in the
// middle between two.

#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "monofold/plan/few_launch.hpp"
#include "tests/exact/items.hpp"
#include "tests/gpu/exact_few_tests.cuh"

namespace gpu_tests {

#if !defined(MONOFOLD_NVCC_LOOKS)
INSTANTIATE_TYPED_TEST_SUITE_P(double, gpu_exact_few, double);
#endif

}  // namespace gpu_tests

namespace {

namespace mf = monofold;
using gpu_tests::bits_of;
using gpu_tests::device_array;

using gpu_exact_few_doubles = gpu_tests::gpu_exact_few<double>;

/// Squares near 2^1000, for which bins would be infinite, and those whose low part is no number.
TEST_F(gpu_exact_few_doubles, squares_at_the_ends_of_doubles) {
  inputs::generator random(5);
  for (const int exponent :
       {-1000, -537, -500, -452, -451, -450, -449, -350, 450, 496, 497, 498, 499, 500, 501, 900}) {
    for (const int tiles : {1, 2, 9}) {
      std::vector<double> items(static_cast<std::size_t>(tiles * tile) - 3);
      for (const bool are_near : {false, true}) {
        for (double& x : items) {
          const auto bits = static_cast<double>(random() % 4096);
          x = std::ldexp(are_near ? 1.5 + bits * 0x1p-52 : 1 + bits * 0x1p-12, exponent);
        }
        check_all(items, "2^" + std::to_string(exponent));
        items[1] = 0;
        check_all(items, "and 0, 2^" + std::to_string(exponent));
      }
    }
  }
}

/// Items of which the high words are 0 are no zeros.
TEST_F(gpu_exact_few_doubles, low_words_alone_are_something) {
  std::vector<double> items(2 * tile);
  items[0] = 1;
  items[1] = 0x1p-53;
  items[tile + 44] = 0x1p-1074;
  check_all(items, "a tie and the least number");
  items[0] = 0x1p-1074;
  items[1] = 0;
  items[tile + 44] = -0.0;
  check_all(items, "the least number and -0");
  for (const int exponent : {-1074, -1060, -1045, -1043, -1042, -1041, -1030, -1022}) {
    for (std::size_t i = 0; i < items.size(); ++i) {
      items[i] = i < tile ? 0.0 : std::ldexp(i % 3 == 0 ? -1.0 : 1.0, exponent);
    }
    check_all(items, "beside zeros, 2^" + std::to_string(exponent));
    items[5] = 1;
    check_all(items, "beside 1, 2^" + std::to_string(exponent));
  }
}

/// Sums in the middle between two doubles, and near to it by what lies in other bins and tiles.
TEST(gpu_exact_few_ties, are_decided_by_the_last_bit) {
  if (!gpu_tests::has_device()) GTEST_SKIP() << "no CUDA device";
  constexpr int tile = mf::few_tile_bytes / 8;
  const mf::gpu_workspace workspace(mf::workspace_bytes(std::span<const double>(), mf::sum));
  inputs::generator random(99);
  for (int i = 0; i < static_cast<int>(gpu_tests::repetitions(400, 60)); ++i) {
    const int tiles = i % 3 == 0 ? 1 : i % 3 == 1 ? 5 : 20;
    std::vector<double> items(static_cast<std::size_t>(tiles * tile));
    const auto put = [&](double x) { items[random() % items.size()] += x; };
    const double big = std::ldexp(1.0 + static_cast<double>(random() % 4096) * 0x1p-52, 0);
    put(big);
    put(0x1p-54);
    put(0x1p-54);
    const int low = -55 - static_cast<int>(random() % 40);
    if (i % 4 != 0) put(std::ldexp(i % 4 == 1 ? 1.0 : -1.0, low));
    if (i % 5 == 0) put(-std::ldexp(1.0, low - 1));
    if (i % 2 == 0) {
      for (double& x : items) x = -x;
    }
    const device_array<double> memory(items);
    const device_array<double> out(1);
    const device_array<mf::result<double>> mean(1);
    const std::span<const double> device = memory.span(0, items.size());
    mf::reduce_into(mf::gpu, device, mf::sum, out.data(), workspace);
    mf::reduce_into(mf::gpu, device, mf::mean, mean.data(), workspace);
    ASSERT_EQ(bits_of(out.host()[0]), bits_of(mf::reduce(mf::cpu, items, mf::sum))) << i;
    ASSERT_EQ(bits_of(*mean.host()[0]), bits_of(mf::reduce(mf::cpu, items, mf::mean))) << i;
  }
}

}  // namespace
