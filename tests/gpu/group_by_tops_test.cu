// The greatest items by key on a GPU.

#include "monofold/monofold.cuh"
#include "tests/gpu/keyed_items.cuh"

namespace {

namespace mf = monofold;
using gpu_tests::compare_first;
using gpu_tests::compare_lengths;
using gpu_tests::compare_shapes;
using gpu_tests::gpu_group_by;

TEST_F(gpu_group_by, tops) {
  compare_shapes("top", mf::top(3));
  compare_first("top", mf::top(3));
  compare_lengths("top", mf::top(3));
}

}  // namespace
