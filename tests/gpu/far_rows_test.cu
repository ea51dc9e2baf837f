// Rows and columns of an array on a GPU: more than 2^31 of them, and of more than 2^31 items each.

#include <cstddef>
#include <cstdint>
#include <vector>

// Before what kernels are made of: their names must not meet those of the CPU's ways.
#include "monofold/reduce_axis.hpp"

#include "monofold/reduce_axis.cuh"
#include "tests/gpu/device.cuh"
#include "tests/inputs/last_one.hpp"

namespace {

namespace mf = monofold;
using gpu_tests::device_array;
using gpu_tests::is_slow;

class gpu_far_rows : public gpu_tests::gpu_test {};

bool has_room(std::int64_t bytes) {
  std::size_t free_bytes = 0;
  std::size_t all_bytes = 0;
  return cudaMemGetInfo(&free_bytes, &all_bytes) == cudaSuccess &&
         free_bytes >= static_cast<std::size_t>(bytes + (1 << 28));
}

/// The low byte of a sum: an answer of one byte, since there are many.
struct low_byte_of_row {
  using state = std::uint8_t;
  static constexpr bool commutative = true;
  MONOFOLD_HD state lift(std::uint8_t x, std::int64_t) const { return x; }
  MONOFOLD_HD state combine(state l, state r) const { return static_cast<state>(l + r); }
};

__global__ void __launch_bounds__(256)
    count_wrong_rows_kernel(const std::uint8_t* answers, const std::uint8_t* want,
                            std::int64_t different, std::int64_t count, unsigned* wrong) {
  const std::int64_t step = std::int64_t{gridDim.x} * blockDim.x;
  for (std::int64_t r = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; r < count; r += step) {
    if (answers[r] != want[r % different]) atomicAdd(wrong, 1u);
  }
}

/// `times` * `different` rows of two items: side by side, or apart, as those of columns are. The first axis goes nowhere,
/// so rows repeat after `different`, which divides no power of two.
void compare_many_rows(std::int64_t times, std::int64_t different, bool are_columns) {
  const std::int64_t count = times * different;
  if (!has_room(count)) GTEST_SKIP() << "too little memory for the answers";
  std::vector<std::uint8_t> items(static_cast<std::size_t>(2 * different));
  for (std::size_t i = 0; i < items.size(); ++i) items[i] = static_cast<std::uint8_t>(i * i % 251);
  const std::int64_t row_stride = are_columns ? 1 : 2;
  const std::int64_t item_stride = are_columns ? different : 1;
  std::vector<std::uint8_t> want;
  for (std::int64_t r = 0; r < different; ++r) {
    const auto first = static_cast<std::size_t>(r * row_stride);
    want.push_back(static_cast<std::uint8_t>(items[first] +
                                             items[first + static_cast<std::size_t>(item_stride)]));
  }
  const device_array<std::uint8_t> there(items);
  const device_array<std::uint8_t> wanted(want);
  const mf::array_view<std::uint8_t> array(there.data(), {times, different, 2},
                                           {0, row_stride, item_stride});
  const device_array<std::uint8_t> answers(static_cast<std::size_t>(count));
  const mf::gpu_workspace workspace(mf::workspace_bytes(array, {2}, low_byte_of_row{}));
  mf::reduce_axis_into(mf::gpu, array, {2}, low_byte_of_row{}, answers.data(), workspace);
  const device_array<unsigned> wrong(std::vector<unsigned>{0});
  gpu_tests::start(count_wrong_rows_kernel, dim3(is_slow ? 2 : 4096), dim3(256), answers.data(),
                   wanted.data(), different, count, wrong.data());
  EXPECT_EQ(wrong.host()[0], 0u);
}

TEST_F(gpu_far_rows, more_than_2_to_the_31_of_them) {
  if (is_slow) GTEST_SKIP() << "takes minutes on a slow device; the next test has fewer rows";
  for (const bool are_columns : {false, true}) {
    compare_many_rows((1 << 13) + 1, (1 << 18) + 3, are_columns);
  }
}
TEST_F(gpu_far_rows, thousands_of_them) {
  for (const bool are_columns : {false, true}) compare_many_rows(9, 1031, are_columns);
}

/// Two rows of `outer` * `inner` items: each item of memory is `inner` neighbours of its row.
void compare_rows_of_two_axes(std::int64_t outer, std::int64_t inner) {
  const std::int64_t one = outer - 2;
  std::vector<std::int32_t> items(static_cast<std::size_t>(2 * outer));
  items[static_cast<std::size_t>(2 * one)] = 1;
  items[3] = 1;
  const device_array<std::int32_t> there(items);
  const mf::array_view<std::int32_t> array(there.data(), {outer, inner, 2}, {2, 0, 1});
  const auto found = mf::reduce_axis(mf::gpu, array, {0, 1}, inputs::last_one{}).values;
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0], 3 * outer * inner + (one + 1) * inner - 1);
  EXPECT_EQ(found[1], 3 * outer * inner + 2 * inner - 1);
}

TEST_F(gpu_far_rows, of_two_axes_with_more_than_2_to_the_31_items) {
  if (is_slow) GTEST_SKIP() << "takes minutes on a slow device; the next test has fewer items";
  compare_rows_of_two_axes(65'539, 32'771);
}
TEST_F(gpu_far_rows, of_two_axes_with_thousands_of_items) {
  compare_rows_of_two_axes(67, 35);
  compare_rows_of_two_axes(1031, 9);
}

/// Rows of bytes side by side, and columns: the place of the largest.
void compare_far_places(std::int64_t n) {
  if (!has_room(2 * n)) GTEST_SKIP() << "too little memory for the items";
  const device_array<std::uint8_t> items(static_cast<std::size_t>(2 * n));
  const auto put = [&](const std::vector<std::int64_t>& places) {
    ASSERT_EQ(cudaMemset(items.data(), 1, items.size_bytes()), cudaSuccess);
    for (const std::int64_t at : places) {
      ASSERT_EQ(cudaMemset(items.data() + at, 2, 1), cudaSuccess);
    }
  };
  const auto expect_places = [&](const mf::axis_numbers& extents, const mf::axis_numbers& axes,
                                 const std::vector<std::int64_t>& in_row,
                                 const std::vector<std::int64_t>& in_array) {
    const mf::array_view<std::uint8_t> array(items.data(), extents);
    EXPECT_EQ(mf::reduce_axis(mf::gpu, array, axes, mf::argmax).values, in_row);
    EXPECT_EQ(mf::reduce_axis(mf::gpu, array, axes, mf::argmax, mf::keepdims::no, mf::global_index)
                  .values,
              in_array);
    EXPECT_EQ(mf::reduce_axis(mf::gpu, array, axes, mf::sum).values,
              std::vector<std::uint64_t>(2, static_cast<std::uint64_t>(n + 1)));
  };
  put({n - 3, 2 * n - 1});
  expect_places({2, n}, {1}, {n - 3, n - 1}, {n - 3, 2 * n - 1});
  put({2 * (n - 3), 2 * n - 1});
  expect_places({n, 2}, {0}, {n - 3, n - 1}, {2 * (n - 3), 2 * n - 1});
}

TEST_F(gpu_far_rows, of_more_than_2_to_the_31_items) {
  if (is_slow) GTEST_SKIP() << "takes minutes on a slow device; the next test has fewer items";
  compare_far_places((std::int64_t{1} << 31) + 40);
}
TEST_F(gpu_far_rows, of_many_tiles) { compare_far_places(30 * 4096 + 40); }

}  // namespace
