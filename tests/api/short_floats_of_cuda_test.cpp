/// CUDA's names for short floats: rows, segments, pairs and running states take them as float16 and bfloat16.

#include <cstdint>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

#include "monofold/monofold.hpp"
#include "monofold/reduce_axis.hpp"

// What <cuda_fp16.h> and <cuda_bf16.h> declare, by size.
struct __half {  // NOLINT
  std::uint16_t bits;
};
struct __nv_bfloat16 {  // NOLINT
  std::uint16_t bits;
};

namespace {

namespace mf = monofold;

constexpr std::int64_t rows = 3;
constexpr std::int64_t columns = 700;

/// The same bits by both names.
template <class Cuda, class Own>
struct named_twice {
  std::vector<Cuda> cuda;
  std::vector<Own> own;

  named_twice() {
    for (int i = 0; i < rows * columns; ++i) {
      own.push_back(Own(static_cast<float>(i % 113) * 0.25F - 9));
      cuda.push_back({own.back().bits});
    }
  }
};

const named_twice<__half, mf::float16> halves;
const named_twice<__nv_bfloat16, mf::bfloat16> brains;

TEST(short_floats_of_cuda, are_items_of_arrays) {
  const mf::array_view by_cuda(halves.cuda.data(), {rows, columns});
  const mf::array_view by_own(halves.own.data(), {rows, columns});
  static_assert(std::is_same_v<decltype(by_cuda), decltype(by_own)>);
  EXPECT_EQ(mf::reduce_axis(mf::cpu, by_cuda, {1}, mf::max).values,
            mf::reduce_axis(mf::cpu, by_own, {1}, mf::max).values);
  const mf::array_view turned(brains.cuda.data(), {columns, rows}, {1, columns});
  EXPECT_EQ(turned[rows].bits, brains.own[1].bits);
  const auto fortran =
      mf::array_view<mf::bfloat16>::column_major(brains.cuda.data(), {columns, rows});
  EXPECT_EQ(fortran[rows].bits, brains.own[1].bits);
}

TEST(short_floats_of_cuda, are_items_of_segments) {
  const mf::fixed_segments segments{rows, columns};
  EXPECT_EQ(mf::reduce_segments(mf::cpu, halves.cuda, segments, mf::max),
            mf::reduce_segments(mf::cpu, halves.own, segments, mf::max));
}

TEST(short_floats_of_cuda, are_items_of_pairs) {
  EXPECT_EQ(mf::reduce(mf::zip(halves.cuda, halves.own), mf::plain_dot),
            mf::reduce(mf::zip(halves.own, halves.own), mf::plain_dot));
}

TEST(short_floats_of_cuda, are_items_of_running_states) {
  mf::running_state<mf::bfloat16, decltype(mf::plain_sum)> by_cuda(mf::plain_sum);
  mf::running_state<mf::bfloat16, decltype(mf::plain_sum)> by_own(mf::plain_sum);
  by_cuda.push(brains.cuda);
  by_cuda.push(brains.cuda.data(), 5);
  by_own.push(brains.own);
  by_own.push(brains.own.data(), 5);
  EXPECT_EQ(by_cuda.count(), rows * columns + 5);
  EXPECT_EQ(by_cuda.finish(), by_own.finish());
}

}  // namespace
