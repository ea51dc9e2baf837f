// Columns on a GPU: each has the bytes of its items alone, whichever columns lie around it, and wherever.

#include <cstdint>
#include <cstring>
#include <vector>

// Before what kernels are made of: their names must not meet those of the CPU's ways.
#include "monofold/reduce_axis.hpp"

#include "monofold/reduce_axis.cuh"
#include "tests/gpu/column_batches.cuh"
#include "tests/gpu/device.cuh"
#include "tests/gpu/place_hash.cuh"
#include "tests/inputs/answer_bytes.hpp"

namespace {

namespace mf = monofold;
using gpu_tests::compare_columns_and_layouts;
using gpu_tests::device_array;
using gpu_tests::special_items;

class gpu_columns : public gpu_tests::gpu_test {};

TEST_F(gpu_columns, trees_of_floats) {
  compare_columns_and_layouts<float>("hash", gpu_tests::place_hash{});
}

TEST_F(gpu_columns, plain_sums_of_floats) {
  compare_columns_and_layouts<float>("plain_sum", mf::plain_sum, special_items::yes);
}

TEST_F(gpu_columns, products_of_floats) {
  compare_columns_and_layouts<float>("product", gpu_tests::product_near_one<float>{});
}

TEST_F(gpu_columns, pairs_of_doubles) {
  compare_columns_and_layouts<float>("pairs", gpu_tests::sum_and_places{});
}

TEST_F(gpu_columns, exact_sums_of_floats) {
  compare_columns_and_layouts<float>("sum", mf::sum, special_items::yes);
  if (HasFatalFailure()) return;
  gpu_tests::compare_batches<float>("mean", mf::mean, {1, 33, 129, 1025}, gpu_tests::column_batches,
                                    special_items::yes);
}

/// Rows of the same numbers, side by side and apart.
template <class Item = float, class F>
void compare_rows_in_batches(const char* what, const F& f,
                             const std::vector<std::int64_t>& lengths = {1, 3, 8, 33, 100, 1500}) {
  for (const std::int64_t length : lengths) {
    const std::int64_t most = length > 100 || gpu_tests::is_slow ? 258 : 4097;
    const auto alone = gpu_tests::columns_alone<Item>(f, length, most, special_items::yes);
    for (const std::int64_t gap : {0, 1, 4}) {
      if (gpu_tests::is_slow && gap == 4 && length > 33) continue;
      std::vector<Item> host(static_cast<std::size_t>(most * (length + gap)));
      for (std::int64_t r = 0; r < most; ++r) {
        for (std::int64_t i = 0; i < length; ++i) {
          host[static_cast<std::size_t>(r * (length + gap) + i)] =
              gpu_tests::item_of_column<Item>(r, i, length, special_items::yes);
        }
      }
      const device_array<Item> device(host);
      for (const std::int64_t others : {0, 1, 2, 255, 256, 257, 1000, 4096}) {
        const std::int64_t batch = others + 1;
        if (batch > most) continue;
        const auto got = mf::try_reduce_axis(
            mf::gpu, mf::array_view<Item>(device.data(), {batch, length}, {length + gap, 1}), {1},
            f);
        for (std::int64_t r = 0; r < batch; ++r) {
          ASSERT_EQ(inputs::bytes_of(got.values[static_cast<std::size_t>(r)]),
                    alone[static_cast<std::size_t>(r)])
              << what << ": row " << r << " of " << batch << " of " << length << ", gap " << gap;
        }
      }
    }
  }
}

TEST_F(gpu_columns, a_row_is_the_same_in_every_batch) {
  compare_rows_in_batches("sum", mf::sum);
  compare_rows_in_batches("mean", mf::mean);
  compare_rows_in_batches("hash", gpu_tests::place_hash{});
}

// A lane takes rows of up to four items by itself.
TEST_F(gpu_columns, tiny_rows_are_the_same_in_every_batch) {
  compare_rows_in_batches("plain_sum", mf::plain_sum, {1, 2, 3, 4});
  compare_rows_in_batches("sum", mf::sum, {2, 4});
  compare_rows_in_batches("mean", mf::mean, {2, 4});
  compare_rows_in_batches("norm1", mf::norm1, {1, 2, 3, 4});
  compare_rows_in_batches("max", mf::max, {1, 2, 3, 4});
  compare_rows_in_batches("argmin", mf::argmin, {1, 2, 3, 4});
  compare_rows_in_batches<double>("plain_sum of float64", mf::plain_sum, {1, 2, 3, 4});
  compare_rows_in_batches<double>("sum of float64", mf::sum, {1, 2, 3, 4});
  compare_rows_in_batches<mf::bfloat16>("mean of bfloat16", mf::mean, {1, 2, 3, 4});
  compare_rows_in_batches<mf::float16>("plain_sum of float16", mf::plain_sum, {1, 2, 3, 4});
}

// Answers of neighbours may be written together: where they belong, and nowhere else.
TEST_F(gpu_columns, answers_lie_anywhere) {
  using answer = mf::finished_t<decltype(mf::plain_sum), float>;
  static_assert(sizeof(answer) == sizeof(float));
  constexpr std::int64_t guard = 9;
  for (const std::int64_t length : {3, 33, 1000, 2500}) {
    for (const std::int64_t columns : {1, 3, 4, 5, 8, 31, 33, 64, 67, 130}) {
      const auto alone =
          gpu_tests::columns_alone<float>(mf::plain_sum, length, columns, special_items::no);
      const device_array<float> device(
          gpu_tests::array_of_columns<float>(length, columns, special_items::no));
      const mf::array_view<float> view(device.data(), {length, columns});
      const mf::gpu_workspace workspace(mf::workspace_bytes(view, {0}, mf::plain_sum));
      for (const std::int64_t off : {0, 1, 2, 3}) {
        const device_array<answer> out(static_cast<std::size_t>(columns + off + guard));
        const auto before = out.host();
        mf::reduce_axis_into(mf::gpu, view, {0}, mf::plain_sum, out.data() + off, workspace);
        ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
        const auto after = out.host();
        for (std::int64_t i = 0; i < columns + off + guard; ++i) {
          const auto at = static_cast<std::size_t>(i);
          const bool is_answer = i >= off && i < off + columns;
          ASSERT_EQ(inputs::bytes_of(after[at]),
                    is_answer ? alone[static_cast<std::size_t>(i - off)].substr(1)
                              : inputs::bytes_of(before[at]))
              << "answer " << i - off << " of " << columns << " columns of " << length << ", "
              << off << " off";
        }
      }
    }
  }
}

}  // namespace
