#pragma once
/// runtime/member_answers: the answer of each family to an operation, from a state of its fold.

#include <cstdint>

#include "monofold/fold/exact.hpp"
#include "monofold/fold/logical.hpp"
#include "monofold/fold/sum.hpp"
#include "runtime/answers.hpp"
#include "runtime/exact_answers.hpp"
#include "runtime/extremum_answers.hpp"
#include "runtime/family.hpp"
#include "runtime/member_folds.hpp"
#include "runtime/moment_answers.hpp"
#include "runtime/summary_fold.hpp"

namespace monofold::runtime {

template <class Fold>
typename Fold::state state_or_identity(const Fold& fold, const typename Fold::state* state) {
  return state != nullptr ? *state : fold.identity();
}

/// The same for states that are large to copy: calls body(state).
template <class Fold, class Body>
answer with_state(const Fold& fold, const typename Fold::state* state, const Body& body) {
  return state != nullptr ? body(*state) : body(fold.identity());
}

/// What the fold itself answers.
template <class Fold>
answer own_answer(operation op, const Fold& fold, const typename Fold::state* state) {
  return one_number(op, state != nullptr ? finish_state(fold, *state) : finish_empty(fold));
}

/// Both parts of the state, or the logarithm of what they stand for.
template <class Fold>
answer exponentials_answer(operation op, const Fold& fold, const typename Fold::state* state) {
  if (op != operation::softmax_denominator) return own_answer(op, fold, state);
  const auto parts = softmax_fold<typename Fold::real>{}.finish(state_or_identity(fold, state));
  answer out = one_number(op, parts.max);
  out.values.push_back(to_number(parts.sum));
  return out;
}

/// The exact moments also give the sum and the mean.
template <class Item>
answer exact_moment_answer(operation op, const exact_moments_state<Item>& all,
                           const answer_context& context) {
  const exact_counts& counts = all.values.counts;
  const auto sum = monofold::detail::leading_of(all.values.sum);
  if (op == operation::sum || op == operation::mean) {
    return exact_sum_answer(op, counts, sum, context);
  }
  result<double> known;
  const auto squares = monofold::detail::leading_of(all.squares).bits;
  if (exact_variance(known, op, counts, sum.bits, squares, context)) return one_number(op, known);
  const std::int64_t items = context.omit_nan ? counts.items - counts.nan : counts.items;
  const exact_deviations<Item> deviations(all.values.sum, all.squares, items);
  return ratio_answer(
      op, false, {deviations.limbs(), deviations.num_limbs, deviations.low_exponent},
      uint128{static_cast<std::uint64_t>(items)} * static_cast<std::uint64_t>(items - context.ddof),
      context.how);
}

/// An exact sum of integers, the root or the mean of one of squares: what the fold answers, or that as a double.
template <class Fold>
answer integer_sum_answer(operation op, const Fold& fold, const typename Fold::state* state,
                          const answer_context& context) {
  const rounding how = context.how;
  const bool is_root = op == operation::norm2;
  const bool is_own = is_root ? how != rounding::to_odd : how == rounding::native;
  if (is_own && op != operation::mean_square) {
    return own_answer(op, fold, state);
  }
  const typename Fold::state all = state_or_identity(fold, state);
  if constexpr (std::is_same_v<typename Fold::state, uint256>) {
    if (op == operation::mean_square) return mean_square_answer(all, context);
    if (is_root) return ratio_answer(op, false, {all.limb, 4, 0}, 1, how);
  }
  return integer_answer(op, all, how);
}

/// The root or the mean of a plain sum of squares.
template <class Fold>
answer plain_squares_answer(operation op, const Fold& fold, const typename Fold::state* state,
                            const answer_context& context) {
  if (op != operation::mean_square) return own_answer(op, fold, state);
  if (state == nullptr) return failed(op, status::empty_input);
  return one_number(op, Fold::mean_square(*state, context.count));
}

template <class State>
auto total_of(const State& state) {
  if constexpr (requires { state.total; }) {
    return state.total;
  } else {
    return state;
  }
}

/// A plain sum also gives the mean, with the count that the reducer knows; so does that of integers.
template <class Item, class Fold>
answer sum_answer(operation op, const Fold& fold, const typename Fold::state* state,
                  const answer_context& context) {
  if constexpr (is_floating_v<Item>) {
    if (op != operation::mean) return own_answer(op, fold, state);
    if (state == nullptr) return failed(op, status::empty_input);
    return one_number(
        op, mean_fold<Item>{}.finish({static_cast<double>(total_of(*state)), context.count}));
  } else {
    if (op != operation::mean) return integer_sum_answer(op, fold, state, context);
    if (state == nullptr) return failed(op, status::empty_input);
    return integer_mean_answer<Item>(*state, context.count, context);
  }
}

inline answer logical_answer(operation op, const nonzero_state& counts) {
  if (op == operation::any) return one_number(op, counts.nonzero > 0);
  if (op == operation::all) return one_number(op, counts.nonzero == counts.count);
  return one_number(op, counts.nonzero);
}

template <class Fold>
answer ranked_answer(operation op, const Fold& fold, const typename Fold::state& state) {
  const auto best = finish_state(fold, state);
  if (!best) return failed(op, best.code());
  answer out{op};
  for (const auto& value : best->values) out.values.push_back(to_number(value));
  out.indices = best->indices;
  return out;
}

/// Moments; those of integers also give the sum and the mean. Null: of no items.
template <class Item, class Moments>
answer moment_answer(operation op, const Moments* moments, const answer_context& context) {
  if constexpr (!is_floating_v<Item>) {
    if (op == operation::sum || op == operation::mean) {
      return total_answer<Item>(op, moments, context);
    }
  }
  if (moments == nullptr) return failed(op, status::empty_input);
  return variance_answer(op, *moments, context);
}

template <class Item>
answer summary_answer(operation op, const typename summary_fold_t<Item>::state* state,
                      const answer_context& context) {
  using parts = summary<Item>;
  using both_fold = extrema_fold<Item>;
  const bool totals = op == operation::sum || op == operation::mean;
  if (op == operation::nan) {
    return nan_answer(op,
                      state != nullptr ? parts::nans(*state) : nan_count_fold<Item>{}.identity());
  }
  if (op != operation::var && op != operation::std && !totals) {
    return extrema_answers<both_fold>(
        op, state != nullptr ? parts::extrema(*state) : both_fold{}.identity());
  }
  if constexpr (is_floating_v<Item>) {
    if (totals) {
      return sum_answer<Item>(op, float_sum_fold<Item, double>{},
                              state != nullptr ? &parts::total(*state) : nullptr, context);
    }
  }
  return moment_answer<Item>(op, state != nullptr ? &parts::moments(*state) : nullptr, context);
}

/// The answer to `op`; a null state: for no items.
template <family kind, class Item, class Fold>
answer member_answer(operation op, const Fold& fold, const typename Fold::state* state,
                     const answer_context& context) {
  using enum family;
  if constexpr (kind == summary) {
    return summary_answer<Item>(op, state, context);
  } else if constexpr (kind == moments && is_floating_v<Item>) {
    return with_state(fold, state,
                      [&](const auto& all) { return exact_moment_answer<Item>(op, all, context); });
  } else if constexpr (kind == moments || kind == plain_moments) {
    return moment_answer<Item>(op, state, context);
  } else if constexpr (requires { typename Fold::term; }) {
    return with_state(fold, state, [&](const auto& all) {
      return exact_sum_answer(op, all.counts, monofold::detail::leading_of(all.sum), context);
    });
  } else if constexpr (kind == plain_norm2) {
    return plain_squares_answer(op, fold, state, context);
  } else if constexpr (!is_floating_v<Item> && (kind == norm1 || kind == norm2 || kind == dot)) {
    return integer_sum_answer(op, fold, state, context);
  } else if constexpr (kind == sum || kind == plain_sum) {
    return sum_answer<Item>(op, fold, state, context);
  } else if constexpr (kind == minimum || kind == maximum) {
    return one_side<Fold>(op, state_or_identity(fold, state));
  } else if constexpr (kind == extrema) {
    return extrema_answers<Fold>(op, state_or_identity(fold, state));
  } else if constexpr (kind == largest || kind == smallest) {
    return ranked_answer(op, fold, state_or_identity(fold, state));
  } else if constexpr (kind == logical) {
    return logical_answer(op, state_or_identity(fold, state));
  } else if constexpr (kind == logsumexp) {
    return exponentials_answer(op, fold, state);
  } else if constexpr (kind == nan_count || kind == pair_nan_count) {
    return nan_answer(op, state_or_identity(fold, state));
  } else {
    return own_answer(op, fold, state);
  }
}

}  // namespace monofold::runtime
