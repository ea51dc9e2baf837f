// Items of other types than double, by key on a GPU.

#include <cstdint>

#include "monofold/monofold.cuh"
#include "tests/gpu/keyed_items.cuh"

namespace {

namespace mf = monofold;
using gpu_tests::compare_groups;
using gpu_tests::gpu_group_by;
using gpu_tests::group_hash;
using gpu_tests::numbers_of;
using gpu_tests::spread_keys;

TEST_F(gpu_group_by, other_items) {
  for (const std::uint64_t groups : {1, 9, 1 << 20}) {
    const auto keys = spread_keys(3000, groups);
    compare_groups("float", keys, numbers_of<float>(3000), mf::plain_sum);
    compare_groups("float", keys, numbers_of<float>(3000), mf::sum, mf::key_order::first);
    compare_groups("int32", keys, numbers_of<std::int32_t>(3000), mf::sum);
    compare_groups("uint8", keys, numbers_of<std::uint8_t>(3000), group_hash{});
    compare_groups("bfloat16", keys, numbers_of<mf::bfloat16>(3000), mf::mean);
  }
}

}  // namespace
