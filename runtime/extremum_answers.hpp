#pragma once
/// runtime/extremum_answers: answers that follow from the smallest and the largest item.

#include "monofold/fold/extrema.hpp"
#include "runtime/answers.hpp"

namespace monofold::runtime {

/// The value, and for argmin and argmax the index too.
template <class Side>
answer one_side(operation op, const typename Side::state& state) {
  if (!Side::has_value(state)) return failed(op, status::empty_input);
  answer out{op};
  out.values.push_back(to_number(Side::value(state)));
  if (op == operation::argmin || op == operation::argmax) out.indices.push_back(state.index);
  return out;
}

/// min, max, argmin, argmax or minmax; `Fold` is an extrema_fold.
template <class Fold>
answer extrema_answers(operation op, const typename Fold::state& both) {
  const bool low = op == operation::min || op == operation::argmin;
  const bool high = op == operation::max || op == operation::argmax;
  if (low) return one_side<typename Fold::low>(op, both.min);
  if (high) return one_side<typename Fold::high>(op, both.max);
  answer out = one_side<typename Fold::low>(op, both.min);
  if (out.code != status::ok) return out;
  out.values.push_back(to_number(Fold::high::value(both.max)));
  return out;
}

}  // namespace monofold::runtime
