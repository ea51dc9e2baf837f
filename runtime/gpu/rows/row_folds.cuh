#pragma once
/// runtime/gpu/rows/row_folds: the folds of rows on a GPU, each for several operations and types of items.
///
/// Half of a kernel is the way to the items: so a fold of integers or counts, or of extrema (in row_extrema), has the bits
/// of its items, and is told what they mean.

#include <cstdint>
#include <type_traits>

#include "monofold/fold/exact/sum.hpp"
#include "monofold/fold/nan.hpp"
#include "monofold/fold/sum.hpp"
#include "monofold/platform/rounded.hpp"
#include "monofold/reduce_axis.cuh"
#include "runtime/gpu/rows/narrow_answers.cuh"
#include "runtime/gpu/rows/row_answers.cuh"

namespace monofold::runtime {

/// What takes part where NaN are left out; false: an error.
MONOFOLD_GPU bool leave_out_nan(const row_rules& rules, exact_counts& counts) {
  if (counts.nan == 0) return true;
  if (rules.raise_nan) return false;
  if (rules.omit_nan) {
    counts.items -= counts.nan;
    counts.nan = 0;
  }
  return true;
}

/// A sum that is a double over a count, rounded to odd.
///
/// shape      near: less than one unit in its last place away
MONOFOLD_GPU double odd_quotient(double sum, double count, double near) {
  const double rest = rounded_fma(-near, count, sum);  // of sums of at most 53 bits: exact
  const std::uint64_t bits = bits_as<std::uint64_t>(near);
  const bool is_beyond = (rest > 0) != (near > 0);  // rounded away from 0
  return rest == 0 ? near : bits_as<double>((bits - (is_beyond ? 1 : 0)) | 1);
}
MONOFOLD_GPU double odd_quotient(double sum, double count) {
  return odd_quotient(sum, count, rounded_quotient(sum, count));
}

/// The same, rounded so that to round it to `to` rounds once.
MONOFOLD_GPU double quotient_for(dtype to, double sum, int count) {
  return to == dtype::float64 ? rounded_quotient(sum, count) : odd_quotient(sum, count);
}

/// Exact sums and means; of magnitudes, exact 1-norms.
template <class Term>
struct row_total_fold : exact_terms_fold<Term> {
  using state = typename exact_terms_fold<Term>::state;
  row_rules rules;

  MONOFOLD_HD explicit row_total_fold(const row_rules& how) : rules(how) {}

  MONOFOLD_GPU row_answer finish(const state& s) const {
    return finish_leading(s.counts, monofold::detail::leading_of(s.sum));
  }
  MONOFOLD_GPU row_answer finish_leading(const exact_counts& counts,
                                         const monofold::detail::leading_number& sum) const {
    return answer_of(rules, counts, sum);
  }
  MONOFOLD_GPU static row_answer answer_of_double(const row_rules& rules, double sum, int count) {
    return rules.op == operation::mean ? mean_of_double(rules, sum, count)
                                       : row_answer::of_real_here(sum, rules.to);
  }
  MONOFOLD_GPU_CALL static row_answer mean_of_double(row_rules rules, double sum, int count) {
    return row_answer::of_real(quotient_for(rules.to, sum, count), rules.to);
  }
  /// From a rounded sum, for answers that are narrower than a double; false where it does not decide.
  MONOFOLD_GPU static bool found_nearly(const row_rules& rules, std::int64_t items, double sum,
                                        const monofold::detail::rounding_bound& bound,
                                        row_answer& out) {
    if (items >> 31 != 0 || bound.additions >> 22 != 0) return false;
    // A product of less than 53 bits.
    const double additions = static_cast<double>(bound.additions * items);
    return found_near(rules, items, sum, bound.max_exponent - 53, additions, out);
  }
  /// The same from a sum that is wrong by less than error * 2^exponent.
  ///
  /// accuracy   a mean is off by twice as many units in its last place as the sum, and one
  MONOFOLD_GPU_CALL static bool found_near(row_rules rules, std::int64_t items, double sum,
                                           int exponent, double error, row_answer& out) {
    constexpr int bias = 1023;
    constexpr int fraction_bits = 52;
    const auto field = [](double x) {
      return static_cast<int>(bits_as<std::uint64_t>(x) >> fraction_bits & 2047);
    };
    if (rules.to == dtype::float64 || field(sum) == 0) return false;
    // The exponent of the error in units in the last place of the sum.
    const int shift = field(error) - bias + exponent - (field(sum) - bias - fraction_bits);
    if (shift >= fraction_bits) return false;
    const std::uint64_t fraction =
        (bits_as<std::uint64_t>(error) & ((std::uint64_t{1} << fraction_bits) - 1)) |
        std::uint64_t{1} << fraction_bits;
    const std::uint64_t units = (shift >= 0 ? fraction >> (fraction_bits - shift) : 0) + 1;
    const double near =
        rules.op == operation::mean ? rounded_quotient(sum, static_cast<double>(items)) : sum;
    return row_answer::of_near(near, 2 * units + 2, rules.to, out);
  }

 private:
  MONOFOLD_GPU_CALL static row_answer answer_of(row_rules rules, exact_counts counts,
                                                const monofold::detail::leading_number& sum) {
    if (!leave_out_nan(rules, counts)) return row_answer::failed(status::nan_found);
    const exact_verdict v = verdict<nan_rule::propagate>(counts);
    const bool is_mean = rules.op == operation::mean;
    if (is_mean && v.items == 0) return row_answer::failed(status::empty_input);
    if (v.kind != number_kind::finite || sum.bits.significand == 0) {
      return row_answer::of_real(monofold::detail::special<double>(v), rules.to);
    }
    using monofold::detail::quotient_of;
    double near;
    row_answer quick{};
    if (is_mean && quick_quotient(sum, static_cast<std::uint64_t>(v.items), near) &&
        row_answer::of_nearest(near, rules.to, quick)) {
      return quick;
    }
    return row_answer::of_leading(sum.is_negative,
                                  is_mean
                                      ? quotient_of(sum.bits, static_cast<std::uint64_t>(v.items))
                                      : monofold::detail::upper_of(sum.bits),
                                  rules.to);
  }
};

/// Where the sum of `count` items, at least one, is a double.
template <class Term>
MONOFOLD_GPU row_answer answer_of_double(const row_total_fold<Term>& f, double sum, int count) {
  return row_total_fold<Term>::answer_of_double(f.rules, sum, count);
}

/// Stores a number as float32 or float64; false: the answer is narrower, or the number NaN.
template <class Real>
MONOFOLD_GPU bool store_number(Real value, dtype to, const row_place& out) {
  if (value != value || to < dtype::float32) return false;
  if (to == dtype::float32) {
    out.put(static_cast<float>(value));
  } else {
    out.put(static_cast<double>(value));
  }
  return true;
}
/// The same of all types, without a call; false also where a 16-bit answer is neither a normal number nor 0.
template <class Real>
MONOFOLD_GPU bool store_quickly(Real value, dtype to, const row_place& out) {
  if (to >= dtype::float32) return store_number(value, to, out);
  if (value != value) return false;
  const auto narrowed = [&]<class Half>(Half) {
    const auto wide = static_cast<double>(value);
    std::uint64_t bits = bits_as<std::uint64_t>(wide) != 0 ? float_format<Half>::sign_bit : 0;
    if (wide != 0 && !narrowed_normal<Half>(wide, bits)) return false;
    out.put(static_cast<std::uint16_t>(bits));
    return true;
  };
  return to == dtype::bfloat16 ? narrowed(bfloat16{}) : narrowed(float16{});
}
template <class Term>
MONOFOLD_GPU bool store_at_once(const row_total_fold<Term>& f, double sum, int count,
                                const row_place& out) {
  if (f.rules.op == operation::mean) sum = quotient_for(f.rules.to, sum, count);
  return store_quickly(sum, f.rules.to, out);
}

/// Whether answers are narrower than a double. Where NaN are left out, doubles would mostly be added for nothing.
template <class Fold>
bool may_round(const Fold& f) {
  return f.rules.to != dtype::float64 && !f.rules.omit_nan;
}

/// Where additions of doubles have rounded the sum.
template <class Term>
MONOFOLD_GPU bool finish_rounded_sum(const row_total_fold<Term>& f, std::int64_t items, double sum,
                                     const monofold::detail::rounding_bound& bound,
                                     const row_place& out) {
  row_answer found{};
  if (!row_total_fold<Term>::found_nearly(f.rules, items, sum, bound, found)) return false;
  out = found;
  return true;
}

template <class Term>
MONOFOLD_GPU bool finish_near_sum(const row_total_fold<Term>& f, std::int64_t items, double sum,
                                  double error, const row_place& out) {
  row_answer found{};
  if (items >> 31 != 0 || !row_total_fold<Term>::found_near(f.rules, items, sum, 0, error, found)) {
    return false;
  }
  out = found;
  return true;
}

/// The same of a few rows, from sums that are wrong by less than `error`, by few instructions; a bit for each row that
/// is not decided.
template <class Term, int rows>
MONOFOLD_GPU std::uint32_t narrow_near_sums(const row_total_fold<Term>& f, std::int64_t items,
                                            const double (&sum)[rows], const double (&error)[rows],
                                            std::uint32_t (&bits)[rows]) {
  double near[rows];
  double away[rows];
  MONOFOLD_UNROLL
  for (int i = 0; i < rows; ++i) {
    near[i] = sum[i];
    away[i] = error[i];
  }
  if (f.rules.op == operation::mean) {
    const double inverse = monofold::detail::about_inverse(static_cast<double>(items));
    const double twice = rounded_product(inverse, 2);
    MONOFOLD_UNROLL
    for (int i = 0; i < rows; ++i) {
      near[i] = rounded_product(sum[i], inverse);
      away[i] = rounded_fma(monofold::detail::absolute(near[i]), 0x1p-48,
                            rounded_product(error[i], twice));
    }
  }
  return narrowed_around(near, away, f.rules.to, bits);
}
/// The same from exact sums, which decide in the middle between two means, too.
template <class Term, int rows>
MONOFOLD_GPU std::uint32_t narrow_exact_sums(const row_total_fold<Term>& f, std::int64_t items,
                                             const double (&sum)[rows],
                                             std::uint32_t (&bits)[rows]) {
  if (f.rules.op != operation::mean) return narrowed_between(sum, sum, f.rules.to, bits);
  const auto count = static_cast<double>(items);
  const double inverse = monofold::detail::about_inverse(count);
  double mean[rows];
  MONOFOLD_UNROLL
  for (int i = 0; i < rows; ++i) {
    double near = rounded_product(sum[i], inverse);
    near = rounded_fma(rounded_fma(-near, count, sum[i]), inverse, near);
    near = odd_quotient(sum[i], count, near);
    mean[i] = sum[i] == 0 ? sum[i] : near;
  }
  return narrowed_between(mean, mean, f.rules.to, bits);
}

/// Sums in the plan's tree, and what means follow from them.
template <class Item>
struct row_plain_fold : float_sum_fold<Item, std::conditional_t<sizeof(Item) == 8, double, float>> {
  using own = float_sum_fold<Item, std::conditional_t<sizeof(Item) == 8, double, float>>;
  using state = typename own::state;
  row_rules rules;

  MONOFOLD_HD explicit row_plain_fold(const row_rules& how) : rules(how) {}

  MONOFOLD_HD bool needs_length() const { return rules.op == operation::mean; }
  MONOFOLD_GPU row_answer answer(state sum, std::int64_t count) const {
    if (!needs_length()) return row_answer::of_real(own::finish(sum), rules.to);
    if (count == 0) return row_answer::failed(status::empty_input);
    return row_answer::of_real(*mean_fold<Item>{}.finish({static_cast<double>(sum), count}),
                               rules.to);
  }
};

template <class Item>
inline constexpr bool stores_wide_v<row_plain_fold<Item>> = true;
template <class Item>
MONOFOLD_GPU bool store_wide(const row_plain_fold<Item>& f,
                             const typename row_plain_fold<Item>::state& total,
                             const row_place& out) {
  return !f.needs_length() && store_number(total, f.rules.to, out);
}
template <class Item>
MONOFOLD_GPU bool give_at_once(const row_plain_fold<Item>& f,
                               const typename row_plain_fold<Item>::state& total, int count,
                               const row_sink& sink) {
  if (!f.needs_length()) return store_quickly(total, f.rules.to, sink.out);
  return store_quickly(rounded_quotient(static_cast<double>(total), count), f.rules.to, sink.out);
}

/// Sums of integers, and counts, of items that are so many bits. 64 bits hold sums of fewer than 2^31 shorter ones.
template <class Word>
struct row_count_fold {
  using state = std::conditional_t<sizeof(Word) == 8, int128, std::int64_t>;
  static constexpr bool commutative = true;
  static constexpr bool exact = true;

  row_rules rules;
  Word sign;   // the highest bit, of signed integers
  Word mask;   // of counts: the bits that are looked at
  Word limit;  // what they are above
  bool is_count;

  MONOFOLD_HD state lift(Word item, std::int64_t) const {
    if (is_count) return static_cast<Word>(item & mask) > limit ? 1 : 0;
    return static_cast<state>(static_cast<Word>(item ^ sign)) - static_cast<state>(sign);
  }
  MONOFOLD_HD state combine(state left, state right) const { return left + right; }
  MONOFOLD_HD state identity() const { return 0; }
  MONOFOLD_HD Word padding() const { return 0; }

  MONOFOLD_HD bool needs_length() const {
    return rules.op == operation::mean || rules.op == operation::all ||
           rules.op == operation::count;
  }
  MONOFOLD_GPU row_answer answer(state total, std::int64_t count) const {
    if (rules.op == operation::count) return row_answer::of_integer(count - total, 0, rules.to);
    if (rules.op == operation::any) return row_answer::of_integer(total > 0 ? 1 : 0, 0, rules.to);
    if (rules.op == operation::all)
      return row_answer::of_integer(total == count ? 1 : 0, 0, rules.to);
    if (rules.op != operation::mean) return row_answer::of_integer(total, 0, rules.to);
    if (count == 0) return row_answer::failed(status::empty_input);
    return row_answer::of_integer(total, static_cast<std::uint64_t>(count), rules.to);
  }
};

}  // namespace monofold::runtime

namespace monofold::detail {

template <class Term>
inline constexpr bool answers_double_v<runtime::row_total_fold<Term>> = true;
template <class Term>
inline constexpr bool rounds_sums_v<runtime::row_total_fold<Term>> = sums_as_double_v<Term>;

template <class Item>
inline constexpr bool ignores_zeros_v<runtime::row_plain_fold<Item>> = true;

template <class Item, class Sink>
struct slot_cells<runtime::row_plain_fold<Item>, Item, Sink>
    : number_cells<runtime::row_plain_fold<Item>, Item> {};

/// A tile's sum of integers of 64 bits needs 128.
template <class Word, class Sink>
requires(sizeof(Word) <= 4) struct slot_cells<runtime::row_count_fold<Word>, Word, Sink>
    : number_cells<runtime::row_count_fold<Word>, Word> {
  static constexpr bool any_order = true;
};

}  // namespace monofold::detail
