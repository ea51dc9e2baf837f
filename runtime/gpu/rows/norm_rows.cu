/// runtime/gpu/rows/norm_rows: exact sums of magnitudes of rows of floating-point items.

#include "monofold/fold/exact/term.hpp"
#include "runtime/gpu/rows/row_pass_of.cuh"

namespace monofold::runtime {

std::unique_ptr<row_pass> make_norm_row_pass(const row_question& what, const row_rules& rules) {
  if (what.op != operation::norm1 || what.plain) return nullptr;
  return visit_floating(what.type, [&]<class Item>() {
    using fold = row_total_fold<magnitude_term<Item>>;
    return make_row_pass_of<fold, Item>(fold(rules));
  });
}

}  // namespace monofold::runtime
