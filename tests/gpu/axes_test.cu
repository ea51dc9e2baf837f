// Rows and columns on a GPU: each has the bytes of the CPU's reduction, whatever the array's layout.

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "monofold/reduce_axis.cuh"
#include "tests/gpu/device.cuh"
#include "tests/gpu/place_hash.cuh"
#include "tests/inputs/answer_bytes.hpp"
#include "tests/inputs/random.hpp"

namespace {

namespace mf = monofold;
using gpu_tests::device_array;
using gpu_tests::place_hash;

class gpu_axes : public gpu_tests::gpu_test {};

template <class Item>
std::vector<Item> axis_items(std::size_t n) {
  std::vector<Item> out(n);
  for (std::size_t i = 0; i < n; ++i) {
    if constexpr (std::is_integral_v<Item>) {
      out[i] = static_cast<Item>(inputs::mixed(i));
    } else {
      out[i] = static_cast<Item>(inputs::spread_double(i, 12));
    }
  }
  return out;
}

/// Every set of axes of an array, as it lies, in Fortran's order, and turned round.
template <class Item, class F>
void compare_axes(const char* what, const F& f, const mf::axis_numbers& extents) {
  std::int64_t size = 1;
  for (const std::int64_t extent : extents) size *= extent;
  const auto host = axis_items<Item>(static_cast<std::size_t>(size));
  const device_array<Item> device(host);
  const int rank = extents.size();
  const mf::array_view<Item> as_it_lies(host.data(), extents);
  mf::axis_numbers turned;
  std::int64_t last = 0;
  for (int k = 0; k < rank; ++k) {
    turned.push_back(-as_it_lies.strides()[k]);
    last += as_it_lies.strides()[k] * (extents[k] - 1);
  }
  for (unsigned set = 0; set < 1u << rank; ++set) {
    mf::axis_numbers axes;
    for (int k = 0; k < rank; ++k) {
      if ((set >> k & 1) != 0) axes.push_back(k);
    }
    const auto expect = [&](const mf::array_view<Item>& here, const mf::array_view<Item>& there) {
      const auto want = mf::try_reduce_axis(mf::cpu, here, axes, f);
      const auto got = mf::try_reduce_axis(mf::gpu, there, axes, f);
      EXPECT_EQ(got.extents, want.extents);
      ASSERT_EQ(inputs::bytes_of(got.values), inputs::bytes_of(want.values))
          << what << ", axes " << set;
    };
    expect(as_it_lies, {device.data(), extents});
    expect(mf::array_view<Item>::column_major(host.data(), extents),
           mf::array_view<Item>::column_major(device.data(), extents));
    expect({host.data() + last, extents, turned}, {device.data() + last, extents, turned});
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST_F(gpu_axes, every_set_of_axes_in_every_layout) {
  compare_axes<float>("plain_sum", mf::plain_sum, {5, 7, 40});
  compare_axes<float>("plain_sum", mf::plain_sum, {2500, 3});
  // Few columns, whose tiles four warps share: ragged tiles of each number of rows, and of less than one.
  for (const std::int64_t items : {31, 32, 100, 129, 300, 1000}) {
    compare_axes<float>("plain_sum", mf::plain_sum, {items, 40});
  }
  compare_axes<float>("plain_sum", mf::plain_sum, {3, 1100, 35});
  compare_axes<float>("argmin", mf::argmin, {2100, 6});
  compare_axes<double>("plain_variance", mf::plain_variance(1), {600, 5, 2});
  compare_axes<std::int32_t>("sum", mf::sum, {1300, 9});
  compare_axes<std::uint8_t>("extrema", mf::extrema, {4500, 3});
  compare_axes<float>("sum", mf::sum, {1300, 9});
  compare_axes<double>("mean", mf::mean, {700, 3});
  compare_axes<float>("norm2", mf::norm2, {40, 33});
  compare_axes<float>("variance", mf::variance(1), {40, 3});
}

TEST_F(gpu_axes, seven_and_eight_axes) {
  compare_axes<float>("sum", mf::sum, {2, 3, 2, 1, 2, 3, 2});
  compare_axes<double>("plain_sum", mf::plain_sum, {2, 2, 3, 1, 2, 2, 2, 2});
  if (!gpu_tests::is_slow) compare_axes<float>("argmin", mf::argmin, {2, 5, 2, 3, 2, 9, 2, 3});
}

// Lanes have several of many short columns: on the emulated device, of four multiprocessors, and on large ones.
TEST_F(gpu_axes, short_columns) {
#if defined(MONOFOLD_EMULATED)
  constexpr std::int64_t many = 8205;
  constexpr std::int64_t some = 520;
  const std::vector<std::int64_t> lengths{1, 2, 7, 8, 9, 31, 33, 63, 65, 100, 127, 128, 129};
#else
  constexpr std::int64_t many = 300005;
  constexpr std::int64_t some = 20004;
  const std::vector<std::int64_t> lengths{1, 9, 33, 65, 128};
#endif
  const auto compare = [](auto item, const auto& f, std::int64_t items, std::int64_t columns) {
    using item_type = decltype(item);
    const auto host = axis_items<item_type>(static_cast<std::size_t>(items * columns));
    const device_array<item_type> device(host);
    const mf::axis_numbers extents{items, columns};
    const auto want =
        mf::try_reduce_axis(mf::cpu, mf::array_view<item_type>(host.data(), extents), {0}, f);
    const auto got =
        mf::try_reduce_axis(mf::gpu, mf::array_view<item_type>(device.data(), extents), {0}, f);
    ASSERT_EQ(inputs::bytes_of(got.values), inputs::bytes_of(want.values))
        << columns << " columns of " << items;
  };
  for (const std::int64_t items : lengths) {
    compare(float{}, place_hash{}, items, many);
    // Rows of memory that are whole chunks: lanes have neighbours, and of fewer columns warps share them.
    for (const std::int64_t columns : {many + 195, some}) {
      compare(float{}, place_hash{}, items, columns);
      compare(float{}, mf::plain_sum, items, columns);
    }
    // Those show which items meet; of other types fewer lengths are enough where each is slow.
    if (gpu_tests::is_slow && items != 1 && items != 9 && items != 33 && items != 128) continue;
    for (const std::int64_t columns : {many, many + 195, some}) {
      compare(float{}, mf::argmin, items, columns);
      compare(double{}, mf::plain_sum, items, columns);
      compare(mf::bfloat16{}, mf::plain_sum, items, columns);
    }
    compare(std::int32_t{}, mf::sum, items, many);
    compare(std::uint8_t{}, mf::extrema, items, many);
    if (HasFatalFailure()) return;
  }
}

TEST_F(gpu_axes, exact_sums_of_columns_with_anything_in_them) {
  std::vector<float> host(300 * 40);
  for (std::size_t i = 0; i < host.size(); ++i) {
    host[i] = static_cast<float>(inputs::spread_double(i, i % 40 < 8 ? 120 : 3));
  }
  host[40 * 7 + 9] = std::numeric_limits<float>::infinity();
  host[40 * 250 + 10] = std::numeric_limits<float>::quiet_NaN();
  for (std::size_t r = 0; r < 300; ++r) host[40 * r + 11] = -0.0f;
  const device_array<float> device(host);
  const auto expect = [&](const auto& f) {
    const auto want =
        mf::reduce_axis(mf::cpu, mf::array_view<float>(host.data(), {300, 40}), {0}, f);
    const auto got =
        mf::reduce_axis(mf::gpu, mf::array_view<float>(device.data(), {300, 40}), {0}, f);
    EXPECT_EQ(inputs::bytes_of(got.values), inputs::bytes_of(want.values));
  };
  expect(mf::sum);
  expect(mf::norm1);
  expect(mf::mean);
}

// Pairs of items of two arrays, each in a layout of its own.
template <class Left, class Right, class F>
void compare_pairs(const char* what, const F& f, const mf::axis_numbers& extents) {
  std::int64_t size = 1;
  for (const std::int64_t extent : extents) size *= extent;
  const auto left = axis_items<Left>(static_cast<std::size_t>(size));
  auto right = axis_items<Right>(static_cast<std::size_t>(size));
  std::reverse(right.begin(), right.end());
  const device_array<Left> left_there(left);
  const device_array<Right> right_there(right);
  for (unsigned set = 0; set < 1u << extents.size(); ++set) {
    mf::axis_numbers axes;
    for (int k = 0; k < extents.size(); ++k) {
      if ((set >> k & 1) != 0) axes.push_back(k);
    }
    for (const bool turned : {false, true}) {
      const auto pairs = [&](const Left* l, const Right* r) {
        return mf::zip(mf::array_view<Left>(l, extents),
                       turned ? mf::array_view<Right>::column_major(r, extents)
                              : mf::array_view<Right>(r, extents));
      };
      const auto want = mf::try_reduce_axis(mf::cpu, pairs(left.data(), right.data()), axes, f);
      const auto got = mf::try_reduce_axis(mf::gpu, pairs(left_there.data(), right_there.data()),
                                           axes, f, mf::keepdims::no);
      EXPECT_EQ(got.extents, want.extents);
      ASSERT_EQ(inputs::bytes_of(got.values), inputs::bytes_of(want.values))
          << what << ", axes " << set << (turned ? ", turned" : "");
    }
  }
}

TEST_F(gpu_axes, dots_of_rows) {
  compare_pairs<float, float>("dot", mf::dot, {5, 7, 40});
  compare_pairs<double, double>("dot", mf::dot, {700, 3});
  compare_pairs<float, double>("plain_dot", mf::plain_dot, {3, 2, 1, 2, 3, 2, 5});
  compare_pairs<std::int32_t, std::int32_t>("dot", mf::dot, {9, 130});
  const auto host = axis_items<float>(12);
  const device_array<float> device(host);
  const mf::array_view<float> there(device.data(), {3, 4});
  EXPECT_THROW(mf::reduce_axis(mf::gpu, mf::zip(there, mf::array_view<float>(device.data(), {12})),
                               {0}, mf::dot),
               mf::error);
  EXPECT_THROW(mf::reduce_axis(mf::gpu, mf::zip(there, there), {2}, mf::dot), mf::error);
}

TEST_F(gpu_axes, dots_of_no_rows) {
  const device_array<float> one(1);
  const mf::array_view<float> none(one.data(), {0, 3});
  for (const mf::axis_numbers& axes : {mf::axis_numbers{1}, {}}) {
    EXPECT_TRUE(mf::try_reduce_axis(mf::gpu, mf::zip(none, none), axes, mf::dot).values.empty());
  }
  EXPECT_EQ(mf::reduce_axis(mf::gpu, mf::zip(none, none), {0}, mf::dot).values,
            std::vector<double>(3));
  EXPECT_TRUE(
      mf::try_reduce_segments(mf::gpu, std::span<const float>(), mf::fixed_segments(3, 0), mf::sum)
          .empty());
}

TEST_F(gpu_axes, rows_of_nothing) {
  const device_array<float> one(1);
  const auto sums = mf::reduce_axis(mf::gpu, mf::array_view<float>(one.data(), {3, 0}), {1},
                                    mf::plain_sum, mf::keepdims::yes);
  EXPECT_EQ(sums.extents, (std::vector<std::int64_t>{3, 1}));
  EXPECT_EQ(sums.values, (std::vector<float>{0, 0, 0}));
  EXPECT_TRUE(mf::reduce_axis(mf::gpu, mf::array_view<float>(one.data(), {0, 4}), {1}, mf::max)
                  .values.empty());
  EXPECT_THROW(static_cast<void>(mf::reduce_axis(mf::gpu, mf::array_view<float>(one.data(), {3, 0}),
                                                 {1}, mf::max)),
               mf::segment_error);
}

TEST_F(gpu_axes, indices_of_the_array_on_request) {
  const mf::axis_numbers extents{6, 5, 70};
  const auto host = axis_items<float>(6 * 5 * 70);
  const device_array<float> device(host);
  const mf::array_view here(host.data(), extents);
  const mf::array_view there(device.data(), extents);
  const auto fortran = mf::array_view<float>::column_major(device.data(), extents);
  const auto same_here = mf::array_view<float>::column_major(host.data(), extents);
  for (const mf::axis_numbers& axes : {mf::axis_numbers{2}, {1}, {0}, {0, 1}, {0, 2}, {}}) {
    const auto expect = [&](const auto& f) {
      const auto want = mf::reduce_axis(mf::cpu, here, axes, f, mf::keepdims::no, mf::global_index);
      EXPECT_EQ(mf::reduce_axis(mf::gpu, there, axes, f, mf::keepdims::no, mf::global_index).values,
                want.values);
      EXPECT_EQ(
          mf::reduce_axis(mf::gpu, fortran, axes, f, mf::keepdims::no, mf::global_index).values,
          mf::reduce_axis(mf::cpu, same_here, axes, f, mf::keepdims::no, mf::global_index).values);
    };
    expect(mf::argmax);
    expect(mf::all(mf::argmin, mf::max, mf::mean));
  }
}

}  // namespace
