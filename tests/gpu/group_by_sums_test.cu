// Sums by key on a GPU: the bytes of the CPU's groups and runs.

#include "monofold/monofold.cuh"
#include "tests/gpu/keyed_items.cuh"

namespace {

namespace mf = monofold;
using gpu_tests::compare_first;
using gpu_tests::compare_lengths;
using gpu_tests::compare_shapes;
using gpu_tests::gpu_group_by;

TEST_F(gpu_group_by, sums_of_doubles) {
  compare_shapes("plain_sum", mf::plain_sum);
  compare_shapes("sum", mf::sum);
  compare_shapes("mean", mf::mean);
}

TEST_F(gpu_group_by, sums_in_the_order_of_first_items) {
  compare_first("plain_sum", mf::plain_sum);
}

TEST_F(gpu_group_by, sums_of_runs) {
  compare_lengths("plain_sum", mf::plain_sum);
  compare_lengths("sum", mf::sum);
}

}  // namespace
