// Columns that blocks bring to shared memory by pages: wide arrays, long ones, and several of them.

#include <cstdint>
#include <string>
#include <vector>

// Before what kernels are made of: their names must not meet those of the CPU's ways.
#include "monofold/reduce_axis.hpp"

#include "monofold/reduce_axis.cuh"
#include "tests/gpu/column_batches.cuh"
#include "tests/gpu/device.cuh"
#include "tests/inputs/answer_bytes.hpp"

namespace {

namespace mf = monofold;
using gpu_tests::device_array;
using gpu_tests::special_items;

class gpu_staged_columns : public gpu_tests::gpu_test {};

/// An array of some planes, whose middle axis is reduced: a column has the bytes of its items alone.
template <class Item, class F>
void compare_planes(const char* what, const F& f, special_items special, std::int64_t planes,
                    std::int64_t length, std::int64_t columns) {
  const auto alone = gpu_tests::columns_alone<Item>(f, length, planes * columns, special);
  std::vector<Item> host;
  for (std::int64_t p = 0; p < planes; ++p) {
    for (std::int64_t i = 0; i < length; ++i) {
      for (std::int64_t c = 0; c < columns; ++c) {
        host.push_back(gpu_tests::item_of_column<Item>(p * columns + c, i, length, special));
      }
    }
  }
  const device_array<Item> device(host);
  const auto got = mf::try_reduce_axis(
      mf::gpu, mf::array_view<Item>(device.data(), {planes, length, columns}), {1}, f);
  ASSERT_EQ(got.values.size(), alone.size());
  for (std::size_t c = 0; c < alone.size(); ++c) {
    const std::string found = inputs::bytes_of(got.values[c]);
    ASSERT_TRUE(found == alone[c])
        << what << ": column " << c << " of " << planes << " x " << length << " x " << columns
        << " is " << gpu_tests::hex_of(found) << ", alone " << gpu_tests::hex_of(alone[c]);
  }
}

/// Arrays that are wide or long enough for pages on a GPU of up to 132 multiprocessors: ragged tiles, ragged blocks.
/// Exact sums of float32 take pages where there is a block for each of them, others where there is one for two.
template <class Item, class F>
void compare_staged(const char* what, const F& f, special_items special = special_items::yes,
                    std::int64_t blocks_on_a_gpu = 66) {
  constexpr std::int64_t tile = mf::tile_items_v<Item>;
  constexpr std::int64_t each = mf::tile_shape<Item>::items_per_lane;
  const std::int64_t blocks = gpu_tests::is_slow ? 4 : blocks_on_a_gpu;
  constexpr std::int64_t block = mf::detail::staged_columns;
  compare_planes<Item>(what, f, special, 1, tile / 4 + 3, blocks * block + 3 * each);
  if (testing::Test::HasFatalFailure()) return;
  compare_planes<Item>(what, f, special, 1, tile + tile / 2 + 1, blocks / 2 * block + 3 * each);
  if (testing::Test::HasFatalFailure()) return;
  compare_planes<Item>(what, f, special, 1, blocks * tile - 7, 112);
  if (testing::Test::HasFatalFailure()) return;
  compare_planes<Item>(what, f, special, blocks, tile / 2 - 1, block);
}

TEST_F(gpu_staged_columns, plain_sums) {
  compare_staged<float>("plain_sum of float32", mf::plain_sum);
  if (HasFatalFailure()) return;
  compare_staged<mf::bfloat16>("plain_sum of bfloat16", mf::plain_sum);
  if (HasFatalFailure()) return;
  compare_staged<double>("plain_sum of float64", mf::plain_sum);
}

TEST_F(gpu_staged_columns, trees) {
  compare_staged<float>("product", gpu_tests::product_near_one<float>{}, special_items::no);
  if (HasFatalFailure()) return;
  compare_staged<float>("sum_and_places", gpu_tests::sum_and_places{}, special_items::no);
}

TEST_F(gpu_staged_columns, exact_sums) {
  compare_staged<float>("sum of float32", mf::sum, special_items::yes, 132);
  if (HasFatalFailure()) return;
  compare_staged<mf::bfloat16>("sum of bfloat16", mf::sum);
  if (HasFatalFailure()) return;
  compare_staged<mf::float16>("mean of float16", mf::mean);
}

TEST_F(gpu_staged_columns, exact_sums_of_other_terms) {
  compare_staged<float>("norm1", mf::norm1, special_items::yes, 132);
  if (HasFatalFailure()) return;
  compare_staged<float>("mean_square", mf::mean_square, special_items::yes, 132);
}

TEST_F(gpu_staged_columns, extrema) {
  compare_staged<float>("max of float32", mf::max);
  if (HasFatalFailure()) return;
  compare_staged<mf::bfloat16>("argmin of bfloat16", mf::argmin);
  if (HasFatalFailure()) return;
  compare_staged<float>("extrema of float32", mf::extrema);
}

TEST_F(gpu_staged_columns, extrema_of_other_items) {
  compare_staged<double>("argmax of float64", mf::argmax);
  if (HasFatalFailure()) return;
  compare_staged<std::int8_t>("argmax of int8", mf::argmax);
  if (HasFatalFailure()) return;
  compare_staged<std::int32_t>("min of int32", mf::min);
}

}  // namespace
