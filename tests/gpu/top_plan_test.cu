// The search for the k best on few blocks that take many tiles each, which ranges of up to some MiB have not got.

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <vector>

#include "monofold/engine/gpu/dispatch.cuh"
#include "tests/gpu/device.cuh"
#include "tests/gpu/top_items.cuh"

namespace {

namespace mf = monofold;
using gpu_tests::device_array;
using gpu_tests::item_order;

class gpu_top_plan : public gpu_tests::gpu_test {};

/// What a launch of a plan leaves.
template <class Item, bool smallest>
mf::top_answer<Item> found_by(const mf::top_launch& plan, std::span<const Item> items, int k,
                              const mf::gpu_workspace& workspace) {
  namespace detail = mf::detail;
  const auto count = static_cast<std::int64_t>(items.size());
  const detail::top_range<Item> range{detail::aligned_range_of(items.data(), count), 0};
  const device_array<Item> values(static_cast<std::size_t>(k));
  const device_array<std::int64_t> indices(static_cast<std::size_t>(k));
  const detail::top_scratch scratch{
      static_cast<detail::shared_bounds*>(workspace.top_scratch()), workspace.ticket(),
      static_cast<detail::top_entry*>(workspace.states()), workspace.mail()};
  const detail::top_places<Item> places{values.data(), indices.data(), nullptr, nullptr, 0};
  const auto failed = detail::launch_early(
      detail::find_top_kernel<Item, smallest, mf::nan_rule::propagate>, plan.blocks,
      mf::top_threads, static_cast<int>(sizeof(detail::candidate_pool)),
      detail::device_stream{nullptr, 0}, range, plan, k, std::int64_t{0}, scratch, places);
  EXPECT_EQ(failed.code, mf::status::ok) << failed.detail;
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  return {values.host(), indices.host()};
}

/// One workspace for all calls: each has to leave it as it was.
template <class Item, bool smallest>
void compare_plans(std::initializer_list<item_order> orders, std::initializer_list<int> some_k) {
  constexpr std::size_t tile = mf::tile_items_v<Item>;
  constexpr std::size_t count = 100 * tile + 17;
  const mf::gpu_workspace workspace(1 << 20);
  for (const item_order order : orders) {
    const auto host = gpu_tests::ordered_items<Item>(order, count);
    const device_array<char> device(host);
    const auto items = gpu_tests::items_in<Item>(device.data(), 1, count - 1);
    for (const int k : some_k) {
      const mf::top_fold<Item, smallest> fold{k};
      const auto want =
          mf::reduce(mf::cpu, gpu_tests::items_in<Item>(host.data(), 1, count - 1), fold);
      auto plan = mf::top_launch_for(101, static_cast<int>(tile), 1024);
      ASSERT_GT(plan.chunks, 3u);
      for (plan.blocks = 2; plan.blocks <= 3; ++plan.blocks) {
        plan.chunk_step = (plan.chunks - 1) / static_cast<unsigned>(plan.blocks - 1);
        for (const bool is_mailed : {false, true}) {
          plan.is_mailed = is_mailed;
          const auto got = found_by<Item, smallest>(plan, items, k, workspace);
          ASSERT_TRUE(gpu_tests::same_answer(got, want))
              << "order " << static_cast<int>(order) << ", k = " << k << ", " << plan.blocks
              << " blocks, by mail " << is_mailed;
        }
      }
    }
  }
}

TEST_F(gpu_top_plan, floats) {
  compare_plans<float, false>({item_order::any_bits, item_order::ascending, item_order::sawtooth},
                              {1, 10, 33, 1024});
}
TEST_F(gpu_top_plan, bytes) {
  compare_plans<std::int8_t, true>({item_order::any_bits, item_order::all_equal}, {10, 300});
}
TEST_F(gpu_top_plan, doubles) {
  compare_plans<double, true>({item_order::descending, item_order::zeros}, {2, 32, 100});
}

}  // namespace
