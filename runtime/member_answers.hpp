#pragma once
/// runtime/member_answers: the answer of each family to an operation, from a state of its fold.

#include <cstdint>

#include "monofold/fold/exact.hpp"
#include "monofold/fold/logical.hpp"
#include "monofold/fold/sum.hpp"
#include "runtime/answers.hpp"
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

/// What the fold itself answers.
template <class Fold>
answer own_answer(operation op, const Fold& fold, const typename Fold::state* state) {
  return one_number(op, state != nullptr ? finish_state(fold, *state) : finish_empty(fold));
}

/// What one of two folds answers, by the rule for NaN.
template <class Propagating, class Omitting, class State>
answer answer_by_rule(operation op, const State& state, const answer_context& context,
                      const Propagating& propagating, const Omitting& omitting) {
  return context.omit_nan ? one_number(op, omitting.finish(state))
                          : one_number(op, propagating.finish(state));
}

/// The exact sum of terms, and where they are items their mean.
template <class Term, class State>
answer exact_total_answer(operation op, const State& state, const answer_context& context) {
  constexpr auto omit = nan_rule::omit;
  if constexpr (std::is_same_v<Term, value_term<typename Term::item>>) {
    using item = typename Term::item;
    if (op == operation::mean) {
      return answer_by_rule(op, state, context, exact_mean_fold<value_term<item>, double>{},
                            exact_mean_fold<value_term<item>, double, omit>{});
    }
  }
  return answer_by_rule(op, state, context, exact_total_fold<Term, double>{},
                        exact_total_fold<Term, double, omit>{});
}

/// The exact moments also give the sum and the mean.
template <class Item>
answer exact_moment_answer(operation op, const exact_moments_state<Item>& all,
                           const answer_context& context) {
  constexpr auto omit = nan_rule::omit;
  const std::int64_t ddof = context.ddof;
  if (op == operation::sum || op == operation::mean) {
    return exact_total_answer<value_term<Item>>(op, all.values, context);
  }
  if (op == operation::var) {
    return answer_by_rule(op, all, context, exact_variance_fold<Item, double, false>(ddof),
                          exact_variance_fold<Item, double, false, omit>(ddof));
  }
  return answer_by_rule(op, all, context, exact_variance_fold<Item, double, true>(ddof),
                        exact_variance_fold<Item, double, true, omit>(ddof));
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
  if (op != operation::mean) return own_answer(op, fold, state);
  if (state == nullptr) return failed(op, status::empty_input);
  using mean = mean_fold<Item>;
  using total = typename mean::total_type;
  return one_number(op, mean{}.finish({static_cast<total>(total_of(*state)), context.count}));
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
    if (op == operation::sum || op == operation::mean) return total_answer<Item>(op, moments);
  }
  if (moments == nullptr) return failed(op, status::empty_input);
  return variance_answer(op, *moments, context.ddof);
}

template <class Item>
answer summary_answer(operation op, const typename summary_fold_t<Item>::state* state,
                      const answer_context& context) {
  using parts = summary<Item>;
  using ends = extrema_fold<Item>;
  const bool totals = op == operation::sum || op == operation::mean;
  if (op == operation::nan) {
    return nan_answer(op,
                      state != nullptr ? parts::nans(*state) : nan_count_fold<Item>{}.identity());
  }
  if (op != operation::var && op != operation::std && !totals) {
    return extrema_answers<ends>(op, state != nullptr ? parts::ends(*state) : ends{}.identity());
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
    return exact_moment_answer<Item>(op, state_or_identity(fold, state), context);
  } else if constexpr (kind == moments || kind == plain_moments) {
    return moment_answer<Item>(op, state, context);
  } else if constexpr (kind == norm2 && is_floating_v<Item>) {
    return answer_by_rule(op, state_or_identity(fold, state), context,
                          exact_norm2_fold<Item, double>{},
                          exact_norm2_fold<Item, double, nan_rule::omit>{});
  } else if constexpr (requires { typename Fold::term; }) {
    return exact_total_answer<typename Fold::term>(op, state_or_identity(fold, state), context);
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
  } else if constexpr (kind == nan_count || kind == pair_nan_count) {
    return nan_answer(op, state_or_identity(fold, state));
  } else {
    return own_answer(op, fold, state);
  }
}

}  // namespace monofold::runtime
