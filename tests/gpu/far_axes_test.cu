// An array whose axes are copied in another order: of more than 2^31 words, and with steps of more than 2^32 bytes.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

// Tests of kernels link no library: the source itself.
#include "runtime/gpu/rows/merged_axes.cu"
#include "tests/gpu/device.cuh"

namespace {

namespace mf = monofold;
using gpu_tests::device_array;
using gpu_tests::is_slow;

class gpu_far_axes : public gpu_tests::gpu_test {};

/// An array of bytes with three axes; the first and the last are reduced.
struct far_bytes {
  std::int64_t extent[3];
  std::int64_t stride[3];

  MONOFOLD_HD std::int64_t count() const { return extent[0] * extent[1] * extent[2]; }
  MONOFOLD_HD std::int64_t row_of(std::int64_t i) const { return i / extent[2] % extent[1]; }
  MONOFOLD_HD std::int64_t item_of(std::int64_t i) const {
    return i / extent[2] / extent[1] * extent[2] + i % extent[2];
  }
  MONOFOLD_HD std::int64_t offset_of(std::int64_t i) const {
    return i / extent[2] / extent[1] * stride[0] + row_of(i) * stride[1] +
           i % extent[2] * stride[2];
  }
  /// What the byte at an offset is, by all bits of it.
  MONOFOLD_HD static std::uint8_t byte_at(std::int64_t offset) {
    return static_cast<std::uint8_t>(static_cast<std::uint64_t>(offset) * 0x9e3779b97f4a7c15u >>
                                     56);
  }
};

__global__ void __launch_bounds__(256) write_far_bytes_kernel(std::uint8_t* to, far_bytes array) {
  const std::int64_t step = std::int64_t{gridDim.x} * blockDim.x;
  for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < array.count();
       i += step) {
    to[array.offset_of(i)] = far_bytes::byte_at(array.offset_of(i));
  }
}

__global__ void __launch_bounds__(256)
    count_wrong_bytes_kernel(const std::uint8_t* copy, far_bytes array, std::int64_t row_stride,
                             std::int64_t item_stride, unsigned* wrong) {
  const std::int64_t step = std::int64_t{gridDim.x} * blockDim.x;
  for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < array.count();
       i += step) {
    const std::int64_t at = array.row_of(i) * row_stride + array.item_of(i) * item_stride;
    if (copy[at] != far_bytes::byte_at(array.offset_of(i))) atomicAdd(wrong, 1u);
  }
}

void compare_copy(const far_bytes& array) {
  std::int64_t bytes = 1;
  for (int k = 0; k < 3; ++k) bytes += (array.extent[k] - 1) * array.stride[k];
  std::size_t free_bytes = 0;
  std::size_t all_bytes = 0;
  ASSERT_EQ(cudaMemGetInfo(&free_bytes, &all_bytes), cudaSuccess);
  if (free_bytes < static_cast<std::size_t>(bytes + array.count() + (1 << 28))) {
    GTEST_SKIP() << "too little memory for the array and its copy";
  }
  const device_array<std::uint8_t> items(static_cast<std::size_t>(bytes));
  const dim3 grid(is_slow ? 2 : 4096);
  gpu_tests::start(write_far_bytes_kernel, grid, dim3(256), items.data(), array);
  const mf::axis_numbers extents{array.extent[0], array.extent[1], array.extent[2]};
  const mf::axis_numbers strides{array.stride[0], array.stride[1], array.stride[2]};
  const auto copy = mf::runtime::merge_axes(items.data(), mf::dtype::uint8,
                                            mf::rows_of(extents, strides, {0, 2}), nullptr, 0);
  ASSERT_EQ(copy.rows.num_kept, 1);
  ASSERT_EQ(copy.rows.num_reduced, 1);
  ASSERT_EQ(copy.rows.num_rows, array.extent[1]);
  ASSERT_EQ(copy.rows.row_items, array.extent[0] * array.extent[2]);
  const device_array<unsigned> wrong(std::vector<unsigned>{0});
  gpu_tests::start(count_wrong_bytes_kernel, grid, dim3(256), copy.first.get(), array,
                   copy.rows.kept[0].stride, copy.rows.reduced[0].stride, wrong.data());
  EXPECT_EQ(wrong.host()[0], 0u);
}

/// Without gaps. The last axis has an odd number of bytes, so that a word is a byte.
far_bytes side_by_side(std::int64_t a, std::int64_t b, std::int64_t c) {
  return {{a, b, c}, {b * c, c, 1}};
}

/// With the longest axis in the middle, and first.
void compare_copies(std::int64_t few, std::int64_t many, std::int64_t last) {
  compare_copy(side_by_side(few, many, last));
  if (testing::Test::IsSkipped()) return;
  compare_copy(side_by_side(many, few, last));
}

/// Few words, the same ways: for slow devices, too.
TEST_F(gpu_far_axes, thousands_of_words) {
  compare_copies(3, 143, 5);
  compare_copies(3, 144, 5);
  compare_copies(7, 145, 5);
}
TEST_F(gpu_far_axes, steps_of_four_thousand_bytes) {
  compare_copy({{2, 1000, 3}, {(1 << 12) + 5, 4, 1}});
}

TEST_F(gpu_far_axes, two_to_31_less_8_words) {
  if (is_slow) GTEST_SKIP() << "takes minutes on a slow device";
  compare_copies(3, 143165576, 5);
}

TEST_F(gpu_far_axes, two_to_31_and_7_words) {
  if (is_slow) GTEST_SKIP() << "takes minutes on a slow device";
  compare_copies(3, 143165577, 5);
}

TEST_F(gpu_far_axes, two_to_32_and_24_words) {
  if (is_slow) GTEST_SKIP() << "takes minutes on a slow device";
  compare_copies(7, 122713352, 5);
}

TEST_F(gpu_far_axes, steps_of_more_than_two_to_32_bytes) {
  if (is_slow) GTEST_SKIP() << "takes minutes on a slow device";
  compare_copy({{2, 1000, 3}, {(std::int64_t{1} << 32) + 5, 4, 1}});
}

}  // namespace
