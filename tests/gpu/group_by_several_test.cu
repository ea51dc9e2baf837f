// Several folds by key at once, and ordered ones, on a GPU.

#include "monofold/fold/fold.hpp"
#include "monofold/monofold.cuh"
#include "tests/gpu/keyed_items.cuh"

namespace {

namespace mf = monofold;
using gpu_tests::compare_first;
using gpu_tests::compare_lengths;
using gpu_tests::compare_shapes;
using gpu_tests::gpu_group_by;
using gpu_tests::group_hash;

struct later_counts_more {
  MONOFOLD_HD double operator()(double l, double r) const { return 0.75 * l + r; }
};

TEST_F(gpu_group_by, ordered_folds) {
  compare_shapes("ordered", mf::ordered(later_counts_more{}));
  compare_shapes("group_hash", group_hash{});
}

TEST_F(gpu_group_by, several_folds) {
  const auto several = mf::all(mf::sum, mf::extrema, mf::count, mf::plain_variance(1));
  compare_shapes("all", several);
  compare_first("all", several);
  compare_lengths("all", several);
}

}  // namespace
