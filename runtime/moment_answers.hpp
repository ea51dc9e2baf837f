#pragma once
/// runtime/moment_answers: answers that follow from the moments of items.

#include <cstdint>

#include "monofold/fold/moments.hpp"
#include "monofold/fold/sum.hpp"
#include "monofold/platform/wide_int.hpp"
#include "runtime/answers.hpp"
#include "runtime/exact_answers.hpp"

namespace monofold::runtime {

/// The variance or its root.
inline answer variance_answer(operation op, const moments_state& moments,
                              const answer_context& context) {
  return one_number(op, op == operation::var ? variance_of(moments, context.ddof)
                                             : deviation_of(moments, context.ddof));
}
inline answer variance_answer(operation op, const integer_moments_state& moments,
                              const answer_context& context) {
  const std::int64_t ddof = context.ddof;
  if (context.how != rounding::to_odd || moments.count <= ddof || moments.count == 0) {
    return one_number(
        op, op == operation::var ? variance_of(moments, ddof) : deviation_of(moments, ddof));
  }
  const uint256 deviations = monofold::detail::squared_deviations(moments);
  const auto n = static_cast<std::uint64_t>(moments.count);
  return ratio_answer(op, false, {deviations.limb, 4, 0},
                      uint128{n} * static_cast<std::uint64_t>(moments.count - ddof), context.how);
}

/// The mean of `count` integers, at least one.
template <class Item>
answer integer_mean_answer(int128 sum, std::int64_t count, const answer_context& context) {
  constexpr auto op = operation::mean;
  if (context.how != rounding::to_odd)
    return one_number(op, mean_fold<Item>{}.finish({sum, count}));
  const uint128 size = sum < 0 ? uint128{0} - static_cast<uint128>(sum) : static_cast<uint128>(sum);
  const uint256 wide = widen(size);
  return ratio_answer(op, sum < 0, {wide.limb, 4, 0}, static_cast<uint128>(count), context.how);
}

/// The sum or the mean of integers; null: of none.
template <class Item>
answer total_answer(operation op, const integer_moments_state* moments,
                    const answer_context& context) {
  const integer_moments_state all = moments != nullptr ? *moments : integer_moments_state{};
  if (op == operation::sum) {
    if (context.how != rounding::native) return integer_answer(op, all.sum, context.how);
    return one_number(op, integer_sum_fold<Item>{}.finish(all.sum));
  }
  if (all.count == 0) return failed(op, status::empty_input);
  return integer_mean_answer<Item>(all.sum, all.count, context);
}

}  // namespace monofold::runtime
