/// runtime/gpu/rows/moment_rows: variances of rows of float32 and float64.

#include "runtime/gpu/rows/row_pass_of.cuh"

namespace monofold::runtime {

std::unique_ptr<row_pass> make_moment_row_pass(const row_question& what, const row_rules& rules) {
  if ((what.op != operation::var && what.op != operation::std) || what.plain) return nullptr;
  // Those of the two halves would be as large as all other kernels of rows together.
  if (what.type == dtype::float32) {
    return make_row_pass_of<row_moments_fold<float>, float>(row_moments_fold<float>(rules));
  }
  if (what.type != dtype::float64) return nullptr;
  return make_row_pass_of<row_moments_fold<double>, double>(row_moments_fold<double>(rules));
}

}  // namespace monofold::runtime
