#pragma once
/// engine/gpu/exact/few_finish: sums, means and variances of few items from the doubles of their bins.

#include <cstdint>
#include <type_traits>

#include "monofold/engine/gpu/exact/few_bins.cuh"
#include "monofold/engine/gpu/exact/finish.cuh"
#include "monofold/engine/gpu/exact/term_format.cuh"
#include "monofold/engine/gpu/kernel.cuh"
#include "monofold/engine/gpu/quick_quotients.cuh"
#include "monofold/engine/gpu/two_sum.cuh"
#include "monofold/fold/exact/moments.hpp"
#include "monofold/fold/exact/sum.hpp"
#include "monofold/fold/exact/sum_of_two.hpp"
#include "monofold/platform/bits.hpp"
#include "monofold/platform/float_format.hpp"
#include "monofold/platform/host_device.hpp"
#include "monofold/platform/rounded.hpp"

namespace monofold::detail {

/// Whether the kernel of few items gives this answer on the device: sums and means of items or magnitudes, variances and
/// deviations.
template <class Term>
inline constexpr bool is_of_one_part_v = false;
template <class Item>
inline constexpr bool is_of_one_part_v<value_term<Item>> = true;
template <class Item>
inline constexpr bool is_of_one_part_v<magnitude_term<Item>> = true;
template <class F, class Sink>
inline constexpr bool is_of_few_answer_v = false;
template <class Term, class Real, nan_rule rule, class Answer>
inline constexpr bool is_of_few_answer_v<exact_total_fold<Term, Real, rule>, answer_sink<Answer>> =
    is_of_one_part_v<Term>;
template <class Term, class Real, nan_rule rule, class Answer>
inline constexpr bool is_of_few_answer_v<exact_mean_fold<Term, Real, rule>, answer_sink<Answer>> =
    is_of_one_part_v<Term>&& is_quick_v<Real>;
template <class Item, class Real, bool root, nan_rule rule, class Answer>
inline constexpr bool
    is_of_few_answer_v<exact_variance_fold<Item, Real, root, rule>, answer_sink<Answer>> =
        is_quick_v<Real>;

/// The double nearest to a + b that has an odd last bit, unless the sum is a double: then whoever rounds it to fewer bits
/// rounds as of the sum itself.
MONOFOLD_GPU double odd_sum(double a, double b) {
  const sum_of_two sum = two_sum(a, b);
  const auto bits = bits_as<std::int64_t>(sum.high);
  if (sum.low == 0 || (bits & 1) != 0) return sum.high;
  return bits_as<double>(bits + ((sum.low > 0) == (bits >= 0) ? 1 : -1));
}

/// The sum of all bins as a double or, if it is none, one with an odd last bit; and rounded once.
///
/// source     S. Boldo, G. Melquiond 2008, doi 10.1109/TC.2007.70819 (sums of three by rounding to odd)
MONOFOLD_GPU double odd_sum(const double (&value)[2]) { return odd_sum(value[0], value[1]); }
MONOFOLD_GPU double sum_once(const double (&value)[2]) { return rounded_sum(value[0], value[1]); }
MONOFOLD_GPU sum_of_two parts_of_three(const double (&value)[3]) {
  const sum_of_two lower = two_sum(value[1], value[2]);
  const sum_of_two upper = two_sum(value[0], lower.high);
  return {upper.high, odd_sum(upper.low, lower.low), 0};
}
MONOFOLD_GPU double odd_sum(const double (&value)[3]) {
  const sum_of_two parts = parts_of_three(value);
  return odd_sum(parts.high, parts.low);
}
MONOFOLD_GPU double sum_once(const double (&value)[3]) {
  const sum_of_two parts = parts_of_three(value);
  return rounded_sum(parts.high, parts.low);
}

/// The sum of some bins, off by less than 2^-102 of itself: what is rounded off is off the low part, and where high parts
/// cancel nothing is.
template <int count>
MONOFOLD_GPU sum_of_two near_sum(const double* value) {
  sum_of_two sum{value[0], 0, 0};
  MONOFOLD_UNROLL
  for (int k = 1; k < count; ++k) {
    const sum_of_two high = two_sum(sum.high, value[k]);
    sum = two_sum(high.high, rounded_sum(sum.low, high.low));
  }
  return sum;
}

/// The answer of so many items whose sum bins have; false where doubles do not decide.
template <class Term, class Real, nan_rule rule, int count>
MONOFOLD_GPU bool finish_bins(const exact_total_fold<Term, Real, rule>&,
                              const double (&value)[count], std::uint32_t minus_zeros,
                              std::int64_t items, Real* out) {
  constexpr int scale = term_format<Term>::part_scale(0);
  if constexpr (std::is_same_v<Real, double>) {
    const double sum = scaled<scale>(sum_once(value));
    *out = sum == 0 ? (minus_zeros == items ? -0.0 : 0.0) : sum;
    return true;
  } else {
    const float_parts sum = parts_of(scaled<scale>(odd_sum(value)));
    if (sum.significand == 0) return false;
    *out = round_to<Real>(sum.negative, sum.significand, sum.exponent, false);
    return true;
  }
}
template <class Term, class Real, nan_rule rule, int count>
MONOFOLD_GPU bool finish_bins(const exact_mean_fold<Term, Real, rule>&,
                              const double (&value)[count], std::uint32_t, std::int64_t items,
                              result<Real>* out) {
  double whole[count];
  MONOFOLD_UNROLL
  for (int k = 0; k < count; ++k) whole[k] = scaled<term_format<Term>::part_scale(0)>(value[k]);
  const sum_of_two sum = near_sum<count>(whole);
  const double sign = sum.high < 0 ? -1.0 : 1.0;
  const two_doubles size{{rounded_product(sum.high, sign)}, {rounded_product(sum.low, sign)}};
  if (!(size.high.value > 0x1p-700 && size.high.value < 0x1p+1000))
    return false;  // parts may be subnormal
  Real found;
  if (!quick_quotient(size, 0, static_cast<std::uint64_t>(items), found)) return false;
  *out = sum.high < 0 ? -found : found;
  return true;
}
template <class Item, class Real, bool root, nan_rule rule, int count>
MONOFOLD_GPU bool finish_bins(const exact_variance_fold<Item, Real, root, rule>& f,
                              const double (&value)[count], std::uint32_t, std::int64_t items,
                              result<Real>* out) {
  using format = term_format<moments_term<Item>>;
  constexpr int of_sum = few_plan<moments_term<Item>>::bins(0);
  if (quick_divisor(f, items) == 0) return false;
  double own[of_sum];
  MONOFOLD_UNROLL
  for (int k = 0; k < of_sum; ++k) own[k] = scaled<format::part_scale(0)>(value[k]);
  const sum_of_two sum = near_sum<of_sum>(own);
  const sum_of_two squares = near_sum<count - of_sum>(value + of_sum);
  // Those of float are far from the ends of what doubles hold.
  if (sizeof(Item) == 8 && !(squares.high > 0x1p-700 && squares.high < 0x1p+900)) return false;
  return finish_pairs(f, items, sum, squares, out);
}

}  // namespace monofold::detail
