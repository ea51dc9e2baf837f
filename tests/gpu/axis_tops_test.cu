// top and bottom along axes that memory does not walk as one, on a GPU: each row has the CPU's answer.

#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "monofold/reduce_axis.cuh"
#include "tests/gpu/device.cuh"
#include "tests/gpu/top_items.cuh"

namespace {

namespace mf = monofold;
using gpu_tests::device_array;
using gpu_tests::item_order;

class gpu_axis_tops : public gpu_tests::gpu_test {};

/// Along axes that memory does not walk as one, in calls that wait and in those that do not.
template <class Item>
void compare_apart(const std::vector<std::int64_t>& extents,
                   const std::vector<std::int64_t>& strides, const std::vector<std::int64_t>& axes,
                   std::int64_t before, std::int64_t k) {
  std::int64_t last = before;
  for (std::size_t d = 0; d < extents.size(); ++d) {
    if (strides[d] > 0) last += strides[d] * (extents[d] - 1);
  }
  const auto host =
      gpu_tests::ordered_items<Item>(item_order::few_values, static_cast<std::size_t>(last + 1));
  const device_array<char> device(host);
  const auto array_in = [&](const char* memory) {
    return mf::array_view<Item>(reinterpret_cast<const Item*>(memory) + before,
                                std::span<const std::int64_t>(extents),
                                std::span<const std::int64_t>(strides));
  };
  const mf::axis_numbers along{std::span<const std::int64_t>(axes)};
  const auto compare = [&](auto... how) {
    const auto want = mf::try_reduce_axis(mf::cpu, array_in(host.data()), along, mf::top(k),
                                          mf::keepdims::no, how...);
    const auto got = mf::try_reduce_axis(mf::gpu, array_in(device.data()), along, mf::top(k),
                                         mf::keepdims::no, how...);
    ASSERT_EQ(got.values.size(), want.values.size());
    for (std::size_t r = 0; r < want.values.size(); ++r) {
      ASSERT_EQ(got.values[r].code(), want.values[r].code()) << "row " << r;
      if (!want.values[r]) continue;
      ASSERT_TRUE(gpu_tests::same_answer(*got.values[r], *want.values[r])) << "row " << r;
    }
  };
  compare();
  compare(mf::global_index);
  const auto want = mf::try_reduce_axis(mf::cpu, array_in(host.data()), along, mf::top(k));
  if (!want.values.front()) return;
  const auto answers = want.values.size() * static_cast<std::size_t>(k);
  const mf::gpu_workspace workspace(
      mf::workspace_bytes(array_in(device.data()), along, mf::top(k)));
  const device_array<Item> values(answers);
  const device_array<std::int64_t> indices(answers);
  mf::reduce_axis_into(mf::gpu, array_in(device.data()), along, mf::top(k),
                       mf::top_out<Item>{values.data(), indices.data()}, workspace);
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  const auto got_values = values.host();
  const auto got_indices = indices.host();
  for (std::size_t i = 0; i < answers; ++i) {
    const mf::top_answer<Item>& own = *want.values[i / static_cast<std::size_t>(k)];
    const std::size_t place = i % static_cast<std::size_t>(k);
    ASSERT_EQ(std::memcmp(&got_values[i], &own.values[place], sizeof(Item)), 0) << i;
    ASSERT_EQ(got_indices[i], own.indices[place]) << i;
  }
  const mf::gpu_workspace small(workspace.bytes() - 1);
  gpu_tests::expect_refused(
      [&] {
        mf::reduce_axis_into(mf::gpu, array_in(device.data()), along, mf::top(k),
                             mf::top_out<Item>{values.data(), indices.data()}, small);
      },
      "workspace");
}

TEST_F(gpu_axis_tops, of_axes_that_lie_apart) {
  compare_apart<float>({3, 10, 100}, {1000, 100, 1}, {0, 2}, 0, 5);
  compare_apart<float>({40, 3, 70}, {210, 70, 1}, {0, 2}, 0, 3);  // rows of several tiles
  compare_apart<double>({3, 4, 5, 7}, {140, 35, 7, 1}, {1, 3}, 0, 2);
  compare_apart<std::int8_t>({5, 6, 7}, {1, 5, 30}, {0, 2}, 0, 4);  // in Fortran's order
  compare_apart<mf::bfloat16>({4, 3, 9}, {-60, 20, 2}, {0, 2}, 180, 36);
  compare_apart<float>({2, 3, 2}, {6, 2, 1}, {0, 2}, 0, 5);  // fewer items than that
  compare_apart<float>({2, 3, 2}, {6, 2, 1}, {0, 2}, 0, 0);
  compare_apart<float>({2, 3, 0}, {6, 2, 1}, {0, 2}, 0, 1);
}

}  // namespace
