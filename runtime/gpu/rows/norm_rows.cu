/// runtime/gpu/rows/norm_rows: exact sums of magnitudes of rows of floating-point items.

#include <cstdint>

#include "monofold/fold/exact/sum.hpp"
#include "runtime/gpu/rows/row_pass_of.cuh"
#include "runtime/gpu/rows/widened_items.cuh"

namespace monofold::runtime {

/// Exact sums of magnitudes of doubles.
struct row_norm1_fold {
  using terms = exact_terms_fold<magnitude_term<double>>;
  using state = terms::state;
  static constexpr bool commutative = true;
  static constexpr bool exact = true;

  row_rules rules;

  MONOFOLD_GPU state lift(double item, std::int64_t index) const {
    state own = identity();
    absorb(own, item, index);
    return own;
  }
  /// A call: kernels have many places where items come.
  MONOFOLD_GPU_CALL void absorb(state& own, double item, std::int64_t index) const {
    terms{}.absorb(own, item, index);
  }
  MONOFOLD_HD state combine(const state& left, const state& right) const {
    return terms{}.combine(left, right);
  }
  MONOFOLD_HD state identity() const { return terms{}.identity(); }
  MONOFOLD_GPU row_answer finish(const state& s) const {
    return row_total_fold<double>(rules).finish(s);
  }
};

std::unique_ptr<row_pass> make_norm_row_pass(const row_question& what, const row_rules& rules) {
  if (what.op != operation::norm1 || what.plain || !monofold::info(what.type).is_floating) {
    return nullptr;
  }
  return make_row_pass_of<row_norm1_fold, double, doubles_from>(row_norm1_fold{rules}, what.type);
}

}  // namespace monofold::runtime
