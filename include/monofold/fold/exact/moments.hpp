#pragma once
/// fold/exact/moments: variance and standard deviation of floating-point items, rounded once.

#include <cstdint>

#include "monofold/fold/exact/moments_sweep.hpp"
#include "monofold/fold/exact/number.hpp"
#include "monofold/fold/exact/rounding.hpp"
#include "monofold/fold/exact/run.hpp"
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

/// n (sum of squares) - (sum)^2, a number that is not negative, on the grid of products.
template <class Item>
class exact_deviations {
  using sum_number = exact_sum_number<Item>;
  using square_number = exact_product_number<Item, Item>;
  static constexpr int sum_low = 2 * sum_number::low_exponent;
  static constexpr int square_low = square_number::low_exponent;
  static constexpr int offset = (square_low - sum_low) / 64;
  static_assert((square_low - sum_low) % 64 == 0 && offset >= 0, "limbs of one grid");
  static constexpr int sum_limbs = 2 * sum_number::num_limbs;
  static constexpr int square_limbs = offset + square_number::num_limbs + 1;

 public:
  static constexpr int low_exponent = sum_low;
  static constexpr int num_limbs = sum_limbs > square_limbs ? sum_limbs : square_limbs;

  MONOFOLD_HD_CALL exact_deviations(const exact_moments_state<Item>& s, std::int64_t count) {
    for (int i = 0; i < num_limbs; ++i) limb_[i] = 0;
    add_multiple(s.squares, static_cast<std::uint64_t>(count));
    subtract_square(magnitude_of(s.values.sum));
  }
  MONOFOLD_HD const std::uint64_t* limbs() const { return limb_; }

 private:
  MONOFOLD_HD_CALL void add_multiple(const square_number& squares, std::uint64_t n) {
    uint128 carry = 0;
    for (int i = 0; i < square_number::num_limbs; ++i) {
      carry += uint128{squares.limb[i]} * n;
      limb_[offset + i] = static_cast<std::uint64_t>(carry);
      carry >>= 64;
    }
    limb_[offset + square_number::num_limbs] = static_cast<std::uint64_t>(carry);
  }
  /// Row by row of the school book. Rows may take more than is there in between: the limbs wrap
  /// around, and the last row leaves what n Q >= S^2 (Cauchy and Schwarz) promises.
  MONOFOLD_HD_CALL void subtract_square(const sum_number& sum) {
    for (int i = 0; i < sum_number::num_limbs; ++i) {
      if (sum.limb[i] == 0) continue;
      std::uint64_t carry = 0;   // of the row
      std::uint64_t borrow = 0;  // of the difference
      for (int j = 0; i + j < num_limbs; ++j) {
        const std::uint64_t factor = j < sum_number::num_limbs ? sum.limb[j] : 0;
        const uint128 product = uint128{sum.limb[i]} * factor + carry;
        carry = static_cast<std::uint64_t>(product >> 64);
        const uint128 rest = uint128{limb_[i + j]} - static_cast<std::uint64_t>(product) - borrow;
        limb_[i + j] = static_cast<std::uint64_t>(rest);
        borrow = static_cast<std::uint64_t>(rest >> 64) != 0 ? 1 : 0;
      }
    }
  }

  std::uint64_t limb_[num_limbs];
};

/// Exact sums of items and of their squares that are still taking runs.
///
/// order      exact: any
/// tested by  tests/exact/products_test.cpp
template <class Item>
class exact_running_moments {
 public:
  using state = exact_moments_state<Item>;

  /// In one pass, or in blocks that stay in the first-level cache between the two looks at them.
  void add(const Item* items, std::int64_t count) {
    constexpr std::int64_t block = 16384 / sizeof(Item);
    for (std::int64_t at = 0; at < count;) {
      at += detail::add_in_one_pass(run_, items + at, count - at);
      const std::int64_t n = count - at < block ? count - at : block;
      if (n == 0) break;
      detail::add_to_accumulator(run_.values, items + at, n);
      detail::add_to_accumulator(run_.squares, items + at, n);
      at += n;
    }
  }
  state total() const { return {run_.value_total(), run_.square_total()}; }
  /// Of what was added.
  const std::int64_t& nans() const { return run_.values.state.counts.nan; }

 private:
  detail::moments_accumulator<Item> run_;
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
    exact_verdict v = verdict<rule>(s.values.counts);
    if (v.items <= ddof || v.items == 0) return status::empty_input;
    if (v.kind != number_kind::finite) {
      v.kind = number_kind::nan;
      return detail::special<Real>(v);
    }
    const exact_deviations<Item> deviations(s, v.items);
    const int limbs = deviations.num_limbs;
    const int low = deviations.low_exponent;
    if (detail::top_limb(deviations.limbs(), limbs) < 0) return Real{};
    const uint128 divisor =
        uint128{static_cast<std::uint64_t>(v.items)} * static_cast<std::uint64_t>(v.items - ddof);
    if constexpr (root) {
      return detail::round_bits<Real>(
          false,
          detail::root_of(detail::quotient_of(deviations.limbs(), limbs, low, divisor, 126, true)));
    } else {
      return detail::round_bits<Real>(
          false, detail::quotient_of(deviations.limbs(), limbs, low, divisor, 64, false));
    }
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
