// Rows and columns of host memory on the emulated engine: the CPU engine's bytes.

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "monofold/emulated_axis.cuh"
#include "monofold/fold/exact.hpp"
#include "monofold/monofold.cuh"
#include "tests/gpu/device.cuh"
#include "tests/gpu/place_hash.cuh"
#include "tests/inputs/answer_bytes.hpp"
#include "tests/inputs/random.hpp"

namespace {

namespace mf = monofold;

class emulation_axes : public gpu_tests::gpu_test {};

std::vector<float> axis_numbers_of(std::int64_t n) {
  std::vector<float> out;
  for (std::int64_t i = 0; i < n; ++i) {
    out.push_back(static_cast<float>(inputs::spread_double(static_cast<std::uint64_t>(i), 12)));
  }
  return out;
}

template <class Array, class F, class... Indices>
void expect_axes(const char* what, const Array& items, const mf::axis_numbers& axes, const F& f,
                 Indices... indices) {
  for (const mf::keepdims keep : {mf::keepdims::no, mf::keepdims::yes}) {
    const auto want = mf::try_reduce_axis(mf::cpu, items, axes, f, keep, indices...);
    const auto got = mf::try_reduce_axis(mf::emulated, items, axes, f, keep, indices...);
    EXPECT_EQ(got.extents, want.extents) << what;
    EXPECT_FALSE(want.values.empty()) << what;
    EXPECT_EQ(inputs::bytes_of(got.values), inputs::bytes_of(want.values)) << what;
  }
}

/// Rows, columns, and axes that lie apart, of an array as it lies, in Fortran's order, and backwards with gaps.
template <class F>
void expect_layouts(const char* what, const mf::axis_numbers& extents, const F& f) {
  std::int64_t size = 1;
  for (const std::int64_t extent : extents) size *= extent;
  const auto host = axis_numbers_of(3 * size);
  const mf::array_view<float> as_it_lies(host.data(), extents);
  mf::axis_numbers turned;
  for (const std::int64_t stride : as_it_lies.strides()) turned.push_back(-3 * stride);
  for (const mf::axis_numbers& axes :
       {mf::axis_numbers{-1}, mf::axis_numbers{0}, mf::axis_numbers{0, 2}, mf::axis_numbers{}}) {
    expect_axes(what, as_it_lies, axes, f);
    expect_axes(what, mf::array_view<float>::column_major(host.data(), extents), axes, f);
    expect_axes(what, mf::array_view<float>(host.data() + 3 * (size - 1), extents, turned), axes,
                f);
  }
}

TEST_F(emulation_axes, every_layout_gives_the_bytes_of_the_cpu) {
  expect_layouts("place_hash", {3, 40, 35}, gpu_tests::place_hash{});
  expect_layouts("place_hash", {2, 3, 1100}, gpu_tests::place_hash{});
  expect_layouts("sum", {3, 40, 35}, mf::sum);
  expect_layouts("all", {5, 7, 9}, mf::all(mf::count, mf::plain_mean, mf::max));
}

TEST_F(emulation_axes, strides_of_zero_repeat_items) {
  const auto host = axis_numbers_of(40);
  expect_axes("rows", mf::array_view<float>(host.data(), {40, 300}, {1, 0}), {0}, mf::plain_sum);
}

TEST_F(emulation_axes, indices_count_in_the_row_or_in_the_array) {
  const auto host = axis_numbers_of(7 * 90);
  const mf::array_view<float> items(host.data(), {7, 90});
  expect_axes("in the row", items, {0}, mf::argmax);
  expect_axes("in the array", items, {0}, mf::argmax, mf::global_index);
  EXPECT_NE(
      mf::reduce_axis(mf::emulated, items, {1}, mf::argmax).values,
      mf::reduce_axis(mf::emulated, items, {1}, mf::argmax, mf::keepdims::no, mf::global_index)
          .values);
}

TEST_F(emulation_axes, pairs_of_two_arrays) {
  const auto left = axis_numbers_of(6 * 50);
  const auto right = axis_numbers_of(2 * 6 * 50);
  const auto pairs = mf::zip(mf::array_view<float>(left.data(), {6, 50}),
                             mf::array_view<float>(right.data(), {6, 50}, {2, 12}));
  for (const std::int64_t axis : {0, 1}) {
    expect_axes("dot", pairs, {axis}, mf::dot);
    EXPECT_EQ(mf::reduce_axis(mf::emulated, pairs, {axis}, mf::plain_dot).values,
              mf::reduce_axis(mf::cpu, pairs, {axis}, mf::plain_dot).values);
  }
}

// Rows lie two pages apart, and nobody may read the pages between.
TEST_F(emulation_axes, what_lies_between_items_is_not_read) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  void* const all =
      mmap(nullptr, 5 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(all, MAP_FAILED);
  const auto of_a_page = static_cast<std::int64_t>(page / sizeof(float));
  auto* const items = static_cast<float*>(all);
  for (std::int64_t i = 0; i < 5 * of_a_page; ++i) items[i] = static_cast<float>(i % 1009);
  for (const std::size_t between : {1, 3}) {
    ASSERT_EQ(mprotect(static_cast<char*>(all) + between * page, page, PROT_NONE), 0);
  }
  expect_axes("rows", mf::array_view<float>(items, {3, of_a_page}, {2 * of_a_page, 1}), {1},
              gpu_tests::place_hash{});
  EXPECT_EQ(munmap(all, 5 * page), 0);
}

TEST_F(emulation_axes, refusals_are_those_of_the_cpu) {
  const mf::array_view<float> nowhere(nullptr, {2, 3});
  gpu_tests::expect_refused([&] { mf::reduce_axis(mf::emulated, nowhere, {1}, mf::plain_sum); },
                            "the array");
  const auto host = axis_numbers_of(6);
  const mf::array_view<float> items(host.data(), {2, 3});
  gpu_tests::expect_refused([&] { mf::reduce_axis(mf::emulated, items, {2}, mf::plain_sum); },
                            "axis 2 of an array of 2");
  const mf::array_view<float> of_none(host.data(), {2, 0});
  gpu_tests::expect_refused([&] { mf::reduce_axis(mf::emulated, of_none, {1}, mf::max); }, "row 0",
                            mf::status::empty_input);
  EXPECT_EQ(mf::reduce_axis(mf::emulated, of_none, {1}, mf::plain_sum_in<double>).values,
            std::vector<double>(2));
}

TEST_F(emulation_axes, the_page) {
  const auto items = axis_numbers_of(2 * 3);
  // [rows]
  const mf::array_view<float> array(items.data(), {2, 3});
  const auto there = mf::reduce_axis(mf::emulated, array, {1}, mf::sum);
  const auto here = mf::reduce_axis(mf::cpu, array, {1}, mf::sum);  // the same bits
  // [/rows]
  EXPECT_EQ(there.values, here.values);
}

}  // namespace
