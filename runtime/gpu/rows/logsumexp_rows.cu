/// runtime/gpu/rows/logsumexp_rows: sums of exponentials of rows of floating-point items, and their logarithms.

#include <cstdint>

#include "monofold/fold/logsumexp.hpp"
#include "monofold/fold/nan.hpp"
#include "runtime/gpu/halves_fold.cuh"
#include "runtime/gpu/rows/row_pass_of.cuh"
#include "runtime/logsumexp_fold.hpp"

namespace monofold::runtime {

template <class Real>
struct row_logsumexp_fold : lifted_logsumexp_fold<Real> {
  using state = typename lifted_logsumexp_fold<Real>::state;

  row_rules rules;

  MONOFOLD_HD explicit row_logsumexp_fold(const row_rules& how)
      : lifted_logsumexp_fold<Real>(how.omit_nan), rules(how) {}

  MONOFOLD_GPU row_answer finish(const state& s) const {
    if (rules.raise_nan && is_nan(s.max)) return row_answer::failed(status::nan_found);
    if (rules.op == operation::softmax_denominator)
      return row_answer::of_real(one_nan(s.max), rules.to);
    return row_answer::of_real(logsumexp_fold<Real>{}.finish(s), rules.to);
  }
  /// Beside the largest item; for which nobody asks behind a logarithm.
  MONOFOLD_GPU row_answer second(const state& s) const {
    return row_answer::of_real(s.sum, rules.to);
  }
};

std::unique_ptr<row_pass> make_logsumexp_row_pass(const row_question& what,
                                                  const row_rules& rules) {
  if (what.op != operation::logsumexp && what.op != operation::softmax_denominator) return nullptr;
  const row_logsumexp_fold<float> of_floats(rules);
  switch (what.type) {
    case dtype::float64:
      return make_row_pass_of<row_logsumexp_fold<double>, double>(
          row_logsumexp_fold<double>(rules));
    case dtype::float32: return make_row_pass_of<row_logsumexp_fold<float>, float>(of_floats);
    default: {
      using fold = halves_fold<row_logsumexp_fold<float>>;
      return make_row_pass_of<fold, std::uint16_t>(fold(of_floats, what.type));
    }
  }
}

}  // namespace monofold::runtime
