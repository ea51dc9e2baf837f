#pragma once
/// fold/exact/moments: variance and standard deviation of floating-point items, rounded once.

#include <cstdint>

#include "monofold/fold/exact/accumulator.hpp"
#include "monofold/fold/exact/deviations.hpp"
#include "monofold/fold/exact/leading.hpp"
#include "monofold/fold/exact/moments_sweep.hpp"
#include "monofold/fold/exact/number.hpp"
#include "monofold/fold/exact/state.hpp"
#include "monofold/fold/exact/sum.hpp"
#include "monofold/fold/exact/term.hpp"
#include "monofold/fold/moments.hpp"
#include "monofold/fold/nan.hpp"
#include "monofold/platform/host_device.hpp"
#include "monofold/platform/numbers.hpp"
#include "monofold/platform/status.hpp"

namespace monofold {

/// The exact sums of items and of their squares.
template <class Item>
struct exact_moments_state {
  exact_state<exact_sum_number<Item>> values;
  exact_product_number<Item, Item> squares;
};

/// Exact sums of items and of their squares that are still taking runs.
///
/// order      exact: any
/// tested by  tests/exact/products_test.cpp
template <class Item>
class exact_running_moments {
 public:
  using state = exact_moments_state<Item>;

  // Written out: where `()` makes a default one, it is cleared first, tables and all.
  exact_running_moments() {}  // NOLINT

  /// In one pass, or in blocks that stay in the first-level cache between the two looks at them.
  void add(const Item* items, std::int64_t count) {
    constexpr std::int64_t block = 16384 / sizeof(Item);
    for (std::int64_t at = 0; at < count;) {
      at += detail::add_in_one_pass(sums_, items + at, count - at);
      const std::int64_t n = count - at < block ? count - at : block;
      if (n == 0) break;
      detail::add_to_accumulator(sums_.values, items + at, n);
      detail::add_to_accumulator(sums_.squares, items + at, n);
      at += n;
    }
  }
  state total() const { return {sums_.value_total(), sums_.square_total()}; }
  /// How many NaN were added.
  const std::int64_t& nans() const { return sums_.values.state.counts.nan; }

 private:
  detail::moments_accumulator<Item> sums_;
};

/// The exact sums of floating-point items and of their squares.
///
/// order      any: the state's bytes are a function of the items alone
/// cost       state of 848 bytes for float64, 176 for float32, 168 for bfloat16, 96 for float16
/// tested by  tests/exact/products_test.cpp
template <class Item>
struct exact_moments_fold {
  using item = Item;
  using state = exact_moments_state<Item>;
  using values = value_term<Item>;
  using squares = square_term<Item>;
  using running_sum = exact_running_moments<Item>;
  static constexpr bool commutative = true;
  static constexpr bool exact = true;

  MONOFOLD_HD state lift(const Item& x, std::int64_t index) const {
    state own = identity();
    absorb(own, x, index);
    return own;
  }
  MONOFOLD_HD state combine(state left, const state& right) const {
    merge(left.values, right.values);
    add_number(left.squares, right.squares);
    return left;
  }
  MONOFOLD_HD bool subtract(state& own, const state& part) const {
    subtract_number(own.squares, part.squares);
    if (!monofold::subtract(own.values, part.values) || is_negative(own.squares)) return false;
    return finite_items(own.values.counts) > 0 || is_zero(own.squares);
  }
  MONOFOLD_HD state identity() const {
    return {zero_state<typename values::number>(), zero_number<typename squares::number>()};
  }
  MONOFOLD_HD void absorb(state& own, const Item& x, std::int64_t) const {
    add_term(own.values, values::of(x));
    const exact_term square = squares::of(x);
    if (square.significand == 0) return;
    add_at(own.squares, static_cast<int128>(square.significand),
           square.exponent - squares::number::low_exponent);
  }
  MONOFOLD_HD void absorb_run(state& own, const Item* items, std::int64_t count,
                              std::int64_t) const {
    add_run<values>(own.values, items, count);
    exact_state<typename squares::number> second{own.squares, zero_counts()};
    add_run<squares>(second, items, count);
    own.squares = second.sum;
  }
};

/// The sum of squared deviations from the mean over (count - ddof), or its square root.
///
/// errors     empty_input where count <= ddof
/// accuracy   correctly rounded, once: no cancellation
/// NaN        an infinity or a NaN makes it NaN
template <class Item, class Real, bool root, nan_rule rule = nan_rule::propagate>
struct exact_variance_fold : exact_moments_fold<Item> {
  using state = exact_moments_state<Item>;
  std::int64_t ddof = 0;

  MONOFOLD_HD_CALL constexpr explicit exact_variance_fold(std::int64_t freedom) : ddof(freedom) {}

  MONOFOLD_HD_CALL result<Real> finish(const state& s) const {
    result<Real> out;
    if (finish_leading(s.values.counts, detail::leading_of(s.values.sum).bits,
                       detail::leading_of(s.squares).bits, out)) {
      return out;
    }
    return finish_limbs(s);
  }
  /// The same from the leading bits of both sums; false where these do not decide.
  MONOFOLD_HD_CALL bool finish_leading(const exact_counts& counts, const detail::leading_bits& sum,
                                       const detail::leading_bits& squares,
                                       result<Real>& out) const {
    const exact_verdict v = verdict<rule>(counts);
    out = status::empty_input;
    if (v.items <= ddof || v.items == 0) return true;
    out = detail::special<Real>({number_kind::nan, false, v.items});
    if (v.kind != number_kind::finite) return true;
    const uint128 divisor = divisor_of(v.items);
    if (divisor >> 64 != 0 || v.items >> 59 != 0) return false;
    detail::doubtful_bits deviations;
    Real rounded;
    if (!detail::leading_deviations(sum, squares, static_cast<std::uint64_t>(v.items),
                                    deviations) ||
        !detail::round_deviations<root>(deviations, static_cast<std::uint64_t>(divisor), rounded)) {
      return false;
    }
    out = rounded;
    return true;
  }
  /// The same from all bits, for finite items more than `ddof`.
  MONOFOLD_HD_CALL Real finish_limbs(const state& s) const {
    const std::int64_t items = verdict<rule>(s.values.counts).items;
    const exact_deviations<Item> all(s.values.sum, s.squares, items);
    return all.template rounded<Real, root>(divisor_of(items));
  }

 private:
  MONOFOLD_HD uint128 divisor_of(std::int64_t items) const {
    return uint128{static_cast<std::uint64_t>(items)} * static_cast<std::uint64_t>(items - ddof);
  }
};

namespace detail {

template <class Real, bool root>
struct exact_variance_family {
  std::int64_t ddof;

  template <class Item>
  requires is_number_v<Item> MONOFOLD_HD_CALL constexpr auto on() const {
    if constexpr (is_floating_v<Item>) {
      return exact_variance_fold<Item, Real, root>(ddof);
    } else {
      return variance_fold<Item, root>(ddof);
    }
  }
};

}  // namespace detail

/// The variance, divisor n - ddof, rounded once; integer items give what `variance` gives.
template <class Real = double>
constexpr detail::exact_variance_family<Real, false> variance(std::int64_t ddof = 0) {
  return {ddof};
}

/// The square root of the variance, rounded once.
template <class Real = double>
constexpr detail::exact_variance_family<Real, true> standard_deviation(std::int64_t ddof = 0) {
  return {ddof};
}

}  // namespace monofold
