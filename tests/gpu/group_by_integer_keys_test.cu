// Keys that are integers, on a GPU.

#include <cstdint>

#include "monofold/monofold.cuh"
#include "tests/gpu/key_types.cuh"
#include "tests/gpu/keyed_items.cuh"

namespace {

namespace mf = monofold;
using gpu_tests::compare_keys;
using gpu_tests::gpu_group_by;

TEST_F(gpu_group_by, integer_keys) {
  compare_keys<bool>("bool");
  compare_keys<std::int8_t>("int8");
  compare_keys<std::uint16_t>("uint16");
  compare_keys<std::int32_t>("int32");
  compare_keys<std::int64_t>("int64");
  compare_keys<std::uint64_t>("uint64");
}

}  // namespace
