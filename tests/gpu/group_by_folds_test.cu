// Variances, extrema and counts by key on a GPU.

#include "monofold/monofold.cuh"
#include "tests/gpu/keyed_items.cuh"

namespace {

namespace mf = monofold;
using gpu_tests::compare_first;
using gpu_tests::compare_lengths;
using gpu_tests::compare_shapes;
using gpu_tests::gpu_group_by;

TEST_F(gpu_group_by, other_folds_of_doubles) {
  compare_shapes("variance", mf::variance(1));
  compare_shapes("max", mf::max);
  compare_shapes("argmax", mf::argmax);
  compare_shapes("count", mf::count);
}

TEST_F(gpu_group_by, other_folds_in_the_order_of_first_items) {
  compare_first("variance", mf::variance(1));
}

TEST_F(gpu_group_by, other_folds_of_runs) { compare_lengths("argmax", mf::argmax); }

}  // namespace
