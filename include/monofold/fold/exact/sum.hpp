#pragma once
/// fold/exact/sum: sums, means and 1-norms of floating-point items, rounded once.

#include <cstdint>
#include <type_traits>

#include "monofold/fold/exact/accumulator.hpp"
#include "monofold/fold/exact/leading.hpp"
#include "monofold/fold/exact/state.hpp"
#include "monofold/fold/exact/term.hpp"
#include "monofold/fold/nan.hpp"
#include "monofold/fold/norm.hpp"
#include "monofold/fold/sum.hpp"
#include "monofold/platform/host_device.hpp"
#include "monofold/platform/numbers.hpp"
#include "monofold/platform/status.hpp"

namespace monofold {

/// The exact sum of the terms of items; what is finished from it is up to who derives from it.
///
/// order      any: the state's bytes are a function of the items alone
/// cost       state of 8 (num_limbs + 5) bytes; lift and combine touch all of it, `absorb` some
///            words, `absorb_run` takes the fast ways of fold/exact/accumulator
/// tested by  tests/exact/sum_test.cpp
template <class Term>
struct exact_terms_fold {
  using item = typename Term::item;
  using state = exact_state<typename Term::number>;
  using term = Term;
  using running_sum = exact_running_sum<Term>;
  static constexpr bool commutative = true;
  static constexpr bool exact = true;

  MONOFOLD_HD state lift(const item& x, std::int64_t) const {
    state own = identity();
    add_term(own, Term::of(x));
    return own;
  }
  MONOFOLD_HD state combine(state left, const state& right) const {
    merge(left, right);
    return left;
  }
  MONOFOLD_HD bool subtract(state& own, const state& part) const {
    if (!monofold::subtract(own, part)) return false;
    if constexpr (requires { Term::is_magnitude; }) return !is_negative(own.sum);
    return true;
  }
  MONOFOLD_HD state identity() const { return zero_state<typename Term::number>(); }
  MONOFOLD_HD void absorb(state& own, const item& x, std::int64_t) const {
    add_term(own, Term::of(x));
  }
  MONOFOLD_HD void absorb_run(state& own, const item* items, std::int64_t count,
                              std::int64_t) const {
    add_run<Term>(own, items, count);
  }
};

namespace detail {

template <class Real>
MONOFOLD_HD Real special(const exact_verdict& v) {
  using format = float_format<Real>;
  using bits = typename format::bits;
  const bits sign = v.negative ? format::sign_bit : bits{0};
  if (v.kind == number_kind::nan) return float_from_bits<Real>(format::quiet_nan);
  if (v.kind == number_kind::finite) return float_from_bits<Real>(sign);
  return float_from_bits<Real>(static_cast<bits>(sign | format::infinity));
}

}  // namespace detail

/// The sum of terms, rounded once to `Real`.
///
/// accuracy   correctly rounded (to nearest, ties to even), subnormal results too; infinite only
///            where the exact sum rounds to it
/// NaN        one quiet NaN where an item is NaN, or both infinities are there; -0 where there are
///            items and all are -0; an empty sum is +0
/// source     R. Neal 2015, arXiv 1505.05571 (superaccumulators); the deposit: docs/exact.md
/// tested by  tests/exact/sum_test.cpp
template <class Term, class Real, nan_rule rule = nan_rule::propagate>
struct exact_total_fold : exact_terms_fold<Term> {
  using state = typename exact_terms_fold<Term>::state;

  MONOFOLD_HD_CALL Real finish(const state& s) const {
    return finish_leading(s.counts, detail::leading_of(s.sum));
  }
  /// The same from the sum's leading bits.
  MONOFOLD_HD_CALL Real finish_leading(const exact_counts& counts,
                                       const detail::leading_number& sum) const {
    const exact_verdict v = verdict<rule>(counts);
    if (v.kind != number_kind::finite || sum.bits.significand == 0) return detail::special<Real>(v);
    return detail::round_bits<Real>(sum.is_negative, detail::upper_of(sum.bits));
  }
};

/// The sum of terms over the count of items, rounded once.
///
/// errors     empty_input where there is no item
/// accuracy   correctly rounded: also where the sum itself is too large for `Real`, or squares are
/// tested by  tests/exact/sum_test.cpp, tests/exact/mean_square_test.cpp
template <class Term, class Real, nan_rule rule = nan_rule::propagate>
struct exact_mean_fold : exact_terms_fold<Term> {
  using state = typename exact_terms_fold<Term>::state;

  MONOFOLD_HD_CALL result<Real> finish(const state& s) const {
    return finish_leading(s.counts, detail::leading_of(s.sum));
  }
  /// The same from the sum's leading bits.
  MONOFOLD_HD_CALL result<Real> finish_leading(const exact_counts& counts,
                                               const detail::leading_number& sum) const {
    const exact_verdict v = verdict<rule>(counts);
    if (v.items == 0) return status::empty_input;
    if (v.kind != number_kind::finite || sum.bits.significand == 0) return detail::special<Real>(v);
    const auto count = static_cast<std::uint64_t>(v.items);
    return detail::round_bits<Real>(sum.is_negative, detail::quotient_of(sum.bits, count));
  }
};

namespace detail {

template <class Real>
struct exact_sum_family {
  template <class Item>
  requires is_number_v<Item> MONOFOLD_HD_CALL constexpr auto on() const {
    if constexpr (is_floating_v<Item>) {
      return exact_total_fold<value_term<Item>, Real>{};
    } else {
      return integer_sum_fold<Item>{};
    }
  }
};

template <class Real>
struct exact_mean_family {
  template <class Item>
  requires is_number_v<Item> MONOFOLD_HD_CALL constexpr auto on() const {
    if constexpr (is_floating_v<Item>) {
      return exact_mean_fold<value_term<Item>, Real>{};
    } else {
      return mean_fold<Item>{};
    }
  }
};

template <class Real>
struct exact_norm1_family {
  template <class Item>
  requires is_number_v<Item> MONOFOLD_HD_CALL constexpr auto on() const {
    if constexpr (is_floating_v<Item>) {
      return exact_total_fold<magnitude_term<Item>, Real>{};
    } else {
      return integer_norm1_fold<Item>{};
    }
  }
};

}  // namespace detail

// Rounded to any floating-point type; integer items give what `sum`, `mean` and `norm1` give.
template <class Real>
MONOFOLD_CONSTANT detail::exact_sum_family<Real> sum_to{};
template <class Real>
MONOFOLD_CONSTANT detail::exact_mean_family<Real> mean_to{};
template <class Real>
MONOFOLD_CONSTANT detail::exact_norm1_family<Real> norm1_to{};

MONOFOLD_CONSTANT detail::exact_sum_family<double> sum{};
MONOFOLD_CONSTANT detail::exact_mean_family<double> mean{};
MONOFOLD_CONSTANT detail::exact_norm1_family<double> norm1{};

}  // namespace monofold
