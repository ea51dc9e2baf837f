/// runtime/gpu/rows/moment_rows: variances, 2-norms and means of squares of rows of floating-point items.

#include "runtime/gpu/rows/row_pass_of.cuh"

namespace monofold::runtime {

std::unique_ptr<row_pass> make_moment_row_pass(const row_question& what, const row_rules& rules) {
  using enum operation;
  const bool is_spread = what.op == var || what.op == std;
  const bool is_of_squares = what.op == norm2 || what.op == mean_square;
  if ((!is_spread && !is_of_squares) || what.plain) return nullptr;
  return visit_floating(what.type, [&]<class Item>() {
    return make_row_pass_of<row_moments_fold<Item>, Item>(row_moments_fold<Item>(rules));
  });
}

}  // namespace monofold::runtime
