// Keys that are arrays of bytes, on a GPU.

#include <array>

#include "monofold/monofold.cuh"
#include "tests/gpu/key_types.cuh"
#include "tests/gpu/keyed_items.cuh"

namespace {

namespace mf = monofold;
using gpu_tests::compare_keys;
using gpu_tests::gpu_group_by;

TEST_F(gpu_group_by, keys_of_bytes) {
  compare_keys<std::array<char, 5>>("5 bytes");
  compare_keys<std::array<unsigned char, 8>>("8 bytes");
}

}  // namespace
