/// runtime/gpu/rows/product_rows: products of rows of float32 and float64, and plain sums of their magnitudes.

#include <cstdint>

#include "monofold/fold/norm.hpp"
#include "runtime/gpu/rows/row_pass_of.cuh"

namespace monofold::runtime {

/// Products, or plain sums of magnitudes, in double and in the plan's tree.
template <class Item>
struct row_product_fold {
  using state = double;
  static constexpr bool commutative = true;

  row_rules rules;

  MONOFOLD_HD bool is_product() const { return rules.op == operation::prod; }
  MONOFOLD_HD state lift(Item item, std::int64_t) const {
    const auto x = static_cast<double>(item);
    if (rules.omit_nan && is_nan(x)) return identity();
    return is_product() ? x : monofold::detail::absolute(x);
  }
  MONOFOLD_HD state combine(state left, state right) const {
    return is_product() ? left * right : left + right;
  }
  MONOFOLD_HD state identity() const { return is_product() ? 1.0 : 0.0; }
  /// An item that changes nothing.
  MONOFOLD_HD Item padding() const { return static_cast<Item>(identity()); }
  MONOFOLD_GPU row_answer finish(state s) const {
    return row_answer::of_real(one_nan(s), rules.to);
  }
};

}  // namespace monofold::runtime

namespace monofold::detail {

template <class Item, class Sink>
struct slot_cells<runtime::row_product_fold<Item>, Item, Sink>
    : number_cells<runtime::row_product_fold<Item>, Item> {};

}  // namespace monofold::detail

namespace monofold::runtime {

std::unique_ptr<row_pass> make_product_row_pass(const row_question& what, const row_rules& rules) {
  const bool is_product = what.op == operation::prod;
  if (!is_product && (what.op != operation::norm1 || !what.plain)) return nullptr;
  if (what.raise_nan) return nullptr;  // a NaN may come of infinities
  if (what.type == dtype::float32) {
    return make_row_pass_of<row_product_fold<float>, float>(row_product_fold<float>{rules});
  }
  if (what.type != dtype::float64) return nullptr;
  return make_row_pass_of<row_product_fold<double>, double>(row_product_fold<double>{rules});
}

}  // namespace monofold::runtime
