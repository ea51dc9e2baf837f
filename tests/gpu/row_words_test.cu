// Exact sums of rows of several tiles whose warps or blocks cannot meet as integers of 128 bits: items far apart, or not
// finite. Each row has the bytes of the CPU's reduction of it alone.

#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

// Before what kernels are made of: their names must not meet those of the CPU's ways.
#include "monofold/reduce_segments.hpp"

#include "monofold/plan/tiles.hpp"
#include "monofold/reduce_segments.cuh"
#include "tests/gpu/device.cuh"
#include "tests/inputs/answer_bytes.hpp"
#include "tests/inputs/random.hpp"

namespace {

namespace mf = monofold;
using gpu_tests::device_array;

class gpu_row_words : public gpu_tests::gpu_test {};

/// What is in the rows of an array: in every second one only in its last third, so that some warps have short sums.
enum class what { far_apart, one_small, infinite, nan, minus_zeros, all_alike };

template <class Item>
Item item_of(what kind, std::int64_t row, std::int64_t i, std::int64_t length) {
  const auto seed = static_cast<std::uint64_t>(row * length + i);
  const double usual = inputs::spread_double(seed, 3);
  const bool is_late = row % 2 == 1 && i < length - length / 3;
  const auto as_item = [](double x) { return static_cast<Item>(static_cast<float>(x)); };
  switch (kind) {
    case what::far_apart: return as_item(is_late ? usual : inputs::spread_double(seed, 60));
    case what::one_small: return as_item(i == length - 1 - row ? 0x1p-60 : usual);
    case what::infinite:
      return i == length - 2 ? std::numeric_limits<Item>::infinity() : as_item(usual);
    case what::nan:
      return i == length / 2 ? std::numeric_limits<Item>::quiet_NaN() : as_item(usual);
    case what::minus_zeros: return as_item(row % 2 == 1 && i == length - 1 ? 0.0 : -0.0);
    case what::all_alike: return as_item(usual);
  }
  return Item{};
}

template <class Item, class F>
void compare(const char* name, const F& f, std::int64_t rows, std::int64_t length) {
  std::vector<std::int64_t> offsets;
  for (std::int64_t r = 0; r <= rows; ++r) offsets.push_back(r * length);
  const device_array<std::int64_t> there(offsets);
  for (const what kind : {what::far_apart, what::one_small, what::infinite, what::nan,
                          what::minus_zeros, what::all_alike}) {
    std::vector<Item> host(static_cast<std::size_t>(1 + rows * length));  // begins off a boundary
    for (std::int64_t r = 0; r < rows; ++r) {
      for (std::int64_t i = 0; i < length; ++i) {
        host[static_cast<std::size_t>(1 + r * length + i)] = item_of<Item>(kind, r, i, length);
      }
    }
    const device_array<Item> device(host);
    const auto items = device.span(1, host.size() - 1);
    const auto got = mf::try_reduce_segments(mf::gpu, items, mf::fixed_segments(length, rows), f);
    const auto by_offsets =
        mf::try_reduce_segments(mf::gpu, items, mf::offset_segments(there.data(), rows), f);
    for (std::int64_t r = 0; r < rows; ++r) {
      const auto row = std::span<const Item>(host).subspan(static_cast<std::size_t>(1 + r * length),
                                                           static_cast<std::size_t>(length));
      const auto alone = inputs::bytes_of(mf::try_reduce(mf::cpu, row, f));
      ASSERT_EQ(inputs::bytes_of(got[static_cast<std::size_t>(r)]), alone)
          << name << ", row " << r << " of " << length << " items, kind " << static_cast<int>(kind);
      ASSERT_EQ(inputs::bytes_of(by_offsets[static_cast<std::size_t>(r)]), alone)
          << name << " by offsets, row " << r << " of " << length << " items, kind "
          << static_cast<int>(kind);
    }
  }
}

/// Rows that a warp folds, a team of warps, a block, and several blocks.
template <class Item, class F>
void compare_lengths(const char* name, const F& f) {
  constexpr std::int64_t tile = mf::tile_items_v<Item>;
  for (const std::int64_t tiles : {2, 5, 9, 20, 60}) {
    if (gpu_tests::is_slow && tiles > 20) continue;
    compare<Item>(name, f, 3, tiles * tile - 7);
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST_F(gpu_row_words, sums_and_means) {
  compare_lengths<float>("sum of float32", mf::sum);
  compare_lengths<double>("mean of float64", mf::mean);
  compare_lengths<mf::bfloat16>("sum of bfloat16", mf::sum);
}

TEST_F(gpu_row_words, variances_and_squares) {
  compare_lengths<float>("variance of float32", mf::variance(1));
  compare_lengths<double>("variance of float64", mf::variance());
  compare_lengths<float>("mean square of float32", mf::mean_square);
  compare_lengths<double>("norm2 of float64", mf::norm2);
}

TEST_F(gpu_row_words, states_of_several_folds) {
  compare_lengths<float>("sum and maximum of float32", mf::all(mf::sum, mf::max));
}

TEST_F(gpu_row_words, of_no_rows) {
  const device_array<float> none(std::vector<float>(1));
  for (const std::int64_t length : {2000, 50000, 200000, 3000000}) {
    EXPECT_TRUE(
        mf::try_reduce_segments(mf::gpu, none.span(0, 0), mf::fixed_segments(length, 0), mf::sum)
            .empty());
  }
}

TEST_F(gpu_row_words, of_more_minus_zeros_than_short_sums_count) {
  if (gpu_tests::is_slow) return;  // a GiB
  constexpr std::int64_t count = std::int64_t{1} << 29;
  const std::vector<mf::bfloat16> host(count, static_cast<mf::bfloat16>(-0.0f));
  const device_array<mf::bfloat16> device(host);
  const auto items = device.span(0, host.size());
  EXPECT_TRUE(
      std::signbit(mf::reduce_segments(mf::gpu, items, mf::fixed_segments(count, 1), mf::sum)[0]));
}

TEST_F(gpu_row_words, of_many_rows_a_warp_each) {
  // So many that each warp takes some, one after the other.
  if (gpu_tests::is_slow) return;
  compare<float>("variance of float32", mf::variance(), 5000, 2100);
}

}  // namespace
