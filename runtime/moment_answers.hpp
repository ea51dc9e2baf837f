#pragma once
/// runtime/moment_answers: answers that follow from the moments of items.

#include <cstdint>

#include "monofold/fold/moments.hpp"
#include "monofold/fold/sum.hpp"
#include "runtime/answers.hpp"

namespace monofold::runtime {

/// The variance or its root.
template <class Moments>
answer variance_answer(operation op, const Moments& moments, std::int64_t ddof) {
  return one_number(
      op, op == operation::var ? variance_of(moments, ddof) : deviation_of(moments, ddof));
}

/// The sum or the mean of integers; null: of none.
template <class Item>
answer total_answer(operation op, const integer_moments_state* moments) {
  const integer_moments_state all = moments != nullptr ? *moments : integer_moments_state{};
  if (op == operation::sum) return one_number(op, integer_sum_fold<Item>{}.finish(all.sum));
  if (all.count == 0) return failed(op, status::empty_input);
  return one_number(op, mean_fold<Item>{}.finish({all.sum, all.count}));
}

}  // namespace monofold::runtime
