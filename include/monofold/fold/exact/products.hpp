#pragma once
/// fold/exact/products: dot products, sums of squares and 2-norms, rounded once.

#include <cstdint>

#include "monofold/fold/dot.hpp"
#include "monofold/fold/exact/rounding.hpp"
#include "monofold/fold/exact/sum.hpp"
#include "monofold/fold/exact/term.hpp"
#include "monofold/fold/moments.hpp"
#include "monofold/fold/nan.hpp"
#include "monofold/fold/norm.hpp"
#include "monofold/platform/host_device.hpp"
#include "monofold/platform/numbers.hpp"
#include "monofold/platform/status.hpp"

namespace monofold {

/// The square root of the exact sum of squares, rounded once.
///
/// accuracy   correctly rounded; no square over- or underflows
/// tested by  tests/exact/products_test.cpp
template <class Item, class Real, nan_rule rule = nan_rule::propagate>
struct exact_norm2_fold : exact_terms_fold<square_term<Item>> {
  using state = typename exact_terms_fold<square_term<Item>>::state;

  MONOFOLD_HD_CALL Real finish(const state& s) const {
    return finish_leading(s.counts, detail::leading_of(s.sum));
  }
  /// The same from the sum's leading bits.
  MONOFOLD_HD_CALL Real finish_leading(const exact_counts& counts,
                                       const detail::leading_number& sum) const {
    const exact_verdict v = verdict<rule>(counts);
    if (v.kind != number_kind::finite) return detail::special<Real>(v);
    if (sum.bits.significand == 0) return Real{};
    return detail::round_bits<Real>(false, detail::root_of(sum.bits));
  }
};

namespace detail {

template <class Real>
struct exact_dot_family {
  template <class Pair>
  requires pair_of_numbers<Pair> MONOFOLD_HD_CALL constexpr auto on() const {
    using left = typename pair_types<Pair>::left;
    using right = typename pair_types<Pair>::right;
    if constexpr (is_floating_v<left> || is_floating_v<right>) {
      return exact_total_fold<product_term<Pair>, Real>{};
    } else {
      return integer_dot_fold<left, right>{};
    }
  }
};

template <class Real>
struct exact_sum_of_squares_family {
  template <class Item>
  requires is_floating_v<Item> MONOFOLD_HD_CALL constexpr auto on() const {
    return exact_total_fold<square_term<Item>, Real>{};
  }
};

template <class Real>
struct exact_mean_square_family {
  template <class Item>
  requires is_floating_v<Item> MONOFOLD_HD_CALL constexpr auto on() const {
    return exact_mean_fold<square_term<Item>, Real>{};
  }
};

template <class Real>
struct exact_norm2_family {
  template <class Item>
  requires is_number_v<Item> MONOFOLD_HD_CALL constexpr auto on() const {
    if constexpr (is_floating_v<Item>) {
      return exact_norm2_fold<Item, Real>{};
    } else {
      return integer_norm2_fold<Item>{};
    }
  }
};

}  // namespace detail

// Rounded to any floating-point type; integer items give what `dot` and `norm2` give.
template <class Real>
MONOFOLD_CONSTANT detail::exact_dot_family<Real> dot_to{};
template <class Real>
MONOFOLD_CONSTANT detail::exact_sum_of_squares_family<Real> sum_of_squares_to{};
template <class Real>
MONOFOLD_CONSTANT detail::exact_mean_square_family<Real> mean_square_to{};
template <class Real>
MONOFOLD_CONSTANT detail::exact_norm2_family<Real> norm2_to{};

MONOFOLD_CONSTANT detail::exact_dot_family<double> dot{};  // over `zip(x, y)`
MONOFOLD_CONSTANT detail::exact_sum_of_squares_family<double> sum_of_squares{};
MONOFOLD_CONSTANT detail::exact_mean_square_family<double>
    mean_square{};  // of a root-mean-square norm
MONOFOLD_CONSTANT detail::exact_norm2_family<double> norm2{};

}  // namespace monofold
