/// runtime/gpu/rows/moment_rows: variances and 2-norms of rows of floating-point items.

#include "runtime/gpu/rows/row_pass_of.cuh"

namespace monofold::runtime {

std::unique_ptr<row_pass> make_moment_row_pass(const row_question& what, const row_rules& rules) {
  using enum operation;
  if ((what.op != var && what.op != std && what.op != norm2) || what.plain) return nullptr;
  return visit_floating(what.type, [&]<class Item>() {
    return make_row_pass_of<row_moments_fold<Item>, Item>(row_moments_fold<Item>(rules));
  });
}

}  // namespace monofold::runtime
