#pragma once
/// engine/gpu/exact/few_finish: sums and means of few items from the doubles of their bins.

#include <cstdint>
#include <type_traits>

#include "monofold/engine/gpu/exact/few_bins.cuh"
#include "monofold/engine/gpu/exact/finish.cuh"
#include "monofold/engine/gpu/exact/quick_quotients.cuh"
#include "monofold/engine/gpu/exact/term_format.cuh"
#include "monofold/engine/gpu/kernel.cuh"
#include "monofold/fold/exact/sum.hpp"
#include "monofold/platform/bits.hpp"
#include "monofold/platform/float_format.hpp"
#include "monofold/platform/host_device.hpp"
#include "monofold/platform/rounded.hpp"

namespace monofold::detail {

/// Whether the kernel of few items gives this answer on the device: sums and means of items or magnitudes.
template <class Term>
inline constexpr bool is_of_few_term_v = false;
template <class Item>
inline constexpr bool is_of_few_term_v<value_term<Item>> = true;
template <class Item>
inline constexpr bool is_of_few_term_v<magnitude_term<Item>> = true;
template <class F, class Sink>
inline constexpr bool is_of_few_answer_v = false;
template <class Term, class Real, nan_rule rule, class Answer>
inline constexpr bool is_of_few_answer_v<exact_total_fold<Term, Real, rule>, answer_sink<Answer>> =
    is_of_few_term_v<Term>;
template <class Term, class Real, nan_rule rule, class Answer>
inline constexpr bool is_of_few_answer_v<exact_mean_fold<Term, Real, rule>, answer_sink<Answer>> =
    is_of_few_term_v<Term>&& is_quick_v<Real>;

/// A number as two doubles, of which the first is nearest to it.
struct double_pair {
  double high;
  double low;
};

/// a + b: the pair is exact.
MONOFOLD_GPU double_pair pair_of(double a, double b) {
  const double sum = rounded_sum(a, b);
  const double part = rounded_sum(sum, -a);
  return {sum, rounded_sum(rounded_sum(a, -rounded_sum(sum, -part)), rounded_sum(b, -part))};
}

/// The double nearest to a + b that has an odd last bit, unless the sum is a double: then whoever rounds it to fewer bits
/// rounds as of the sum itself.
MONOFOLD_GPU double odd_sum(double a, double b) {
  const double_pair sum = pair_of(a, b);
  const auto bits = bits_as<std::int64_t>(sum.high);
  if (sum.low == 0 || (bits & 1) != 0) return sum.high;
  return bits_as<double>(bits + ((sum.low > 0) == (bits >= 0) ? 1 : -1));
}

/// The sum of all bins as a double or, if it is none, one with an odd last bit; and rounded once.
///
/// source     S. Boldo, G. Melquiond 2008, doi 10.1109/TC.2007.70819 (sums of three by rounding to odd)
MONOFOLD_GPU double odd_sum(const double (&value)[2]) { return odd_sum(value[0], value[1]); }
MONOFOLD_GPU double sum_once(const double (&value)[2]) { return rounded_sum(value[0], value[1]); }
MONOFOLD_GPU double_pair parts_of_three(const double (&value)[3]) {
  const double_pair lower = pair_of(value[1], value[2]);
  const double_pair upper = pair_of(value[0], lower.high);
  return {upper.high, odd_sum(upper.low, lower.low)};
}
MONOFOLD_GPU double odd_sum(const double (&value)[3]) {
  const double_pair parts = parts_of_three(value);
  return odd_sum(parts.high, parts.low);
}
MONOFOLD_GPU double sum_once(const double (&value)[3]) {
  const double_pair parts = parts_of_three(value);
  return rounded_sum(parts.high, parts.low);
}

/// The sum of all bins, off by less than 2^-100 of itself.
MONOFOLD_GPU double_pair near_sum(const double (&value)[2]) { return pair_of(value[0], value[1]); }
MONOFOLD_GPU double_pair near_sum(const double (&value)[3]) {
  const double_pair parts = parts_of_three(value);
  return pair_of(parts.high, parts.low);
}

/// x times 2^scale, which is exact.
template <int scale>
MONOFOLD_GPU double scaled(double x) {
  if constexpr (scale == 0) return x;
  return rounded_product(x, two_to(scale).value);
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
  const double_pair sum = near_sum(whole);
  const double sign = sum.high < 0 ? -1.0 : 1.0;
  const strict_double high{rounded_product(sum.high, sign)};
  const strict_double low{rounded_product(sum.low, sign)};
  if (!(high.value > 0x1p-700 && high.value < 0x1p+1000)) return false;  // parts may be subnormal
  Real found;
  if (!quick_quotient(high, low, 0, static_cast<std::uint64_t>(items), found)) return false;
  *out = sum.high < 0 ? -found : found;
  return true;
}

}  // namespace monofold::detail
