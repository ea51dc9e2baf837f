/// runtime/gpu/rows/float_rows: sums and means of rows of floating-point items.

#include "runtime/gpu/rows/row_pass_of.cuh"

namespace monofold::runtime {

std::unique_ptr<row_pass> make_float_row_pass(const row_question& what, const row_rules& rules) {
  if (what.op != operation::sum && what.op != operation::mean) return nullptr;
  if (what.plain && (what.omit_nan || what.raise_nan)) return nullptr;
  return visit_floating(what.type, [&]<class Item>() {
    if (what.plain)
      return make_row_pass_of<row_plain_fold<Item>, Item>(row_plain_fold<Item>(rules));
    return make_row_pass_of<row_total_fold<value_term<Item>>, Item>(
        row_total_fold<value_term<Item>>(rules));
  });
}

}  // namespace monofold::runtime
