// Several folds of the rows of an array in one call on a GPU: each member has the bits of the row alone.

#include <cstdint>
#include <span>
#include <string>
#include <tuple>
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

class gpu_axis_members : public gpu_tests::gpu_test {};

const auto several = mf::all(mf::sum, mf::extrema, mf::count, mf::plain_variance(1));

struct array_3 {
  std::vector<float> items;
  mf::axis_numbers extents;
};
array_3 array_of(std::int64_t a, std::int64_t b, std::int64_t c) {
  return {gpu_tests::array_of_columns<float>(a * b, c, special_items::yes), {a, b, c}};
}

TEST_F(gpu_axis_members, have_the_bits_of_the_cpu_along_every_axis) {
  for (const auto& own : {array_of(3, 5, 130), array_of(2, 1100, 3), array_of(1, 1, 1)}) {
    const device_array<float> device(own.items);
    for (const mf::axis_numbers& axes :
         {mf::axis_numbers{0}, {1}, {2}, {0, 1}, {1, 2}, {0, 2}, {0, 1, 2}, {}}) {
      const auto want = mf::try_reduce_axis(
          mf::cpu, mf::array_view<float>(own.items.data(), own.extents), axes, several);
      const auto got = mf::try_reduce_axis(
          mf::gpu, mf::array_view<float>(device.data(), own.extents), axes, several);
      ASSERT_EQ(inputs::bytes_of(got.values), inputs::bytes_of(want.values))
          << own.extents[1] << " x " << own.extents[2] << ", " << axes.size() << " axes from "
          << (axes.size() > 0 ? axes[0] : -1);
    }
  }
}

TEST_F(gpu_axis_members, states_are_left_for_later) {
  const auto own = array_of(1, 70, 40);
  const device_array<float> device(own.items);
  const mf::array_view<float> view(device.data(), own.extents);
  using state = mf::bound_fold_t<decltype(several), float>::state;
  const device_array<state> states(40);
  const mf::gpu_workspace workspace(mf::workspace_bytes(view, {0, 1}, several));
  mf::fold_axis_into(mf::gpu, view, {0, 1}, several, states.data(), workspace);
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  const auto want = mf::try_reduce_axis(
      mf::cpu, mf::array_view<float>(own.items.data(), own.extents), {0, 1}, several);
  const auto found = states.host();
  const auto bound = mf::bind_fold<float>(several);
  for (std::size_t r = 0; r < found.size(); ++r) {
    ASSERT_EQ(inputs::bytes_of(mf::finish_state(bound, found[r])), inputs::bytes_of(want.values[r]))
        << r;
  }
}

TEST_F(gpu_axis_members, rows_of_nothing_are_told) {
  const mf::array_view<float> none(nullptr, {4, 0});
  const auto counts = mf::all(mf::sum, mf::count);
  EXPECT_EQ(inputs::bytes_of(mf::try_reduce_axis(mf::gpu, none, {1}, counts).values),
            inputs::bytes_of(mf::try_reduce_axis(mf::cpu, none, {1}, counts).values));
  const auto got = mf::try_reduce_axis(mf::gpu, none, {1}, several);
  ASSERT_EQ(got.values.size(), 4u);
  EXPECT_EQ(got.values[3].code(), mf::status::empty_input);
  EXPECT_THROW(mf::reduce_axis(mf::gpu, none, {1}, several), mf::segment_error);
}

}  // namespace
