#pragma once
/// runtime/gpu/rows/row_folds: the folds of rows on a GPU, each for several operations and types of items.
///
/// Half of a kernel is the way to the items: so a fold of integers or counts, or of extrema (in row_extrema), has the bits
/// of its items, and is told what they mean.

#include <cstdint>
#include <type_traits>

#include "monofold/fold/exact/moments.hpp"
#include "monofold/fold/exact/sum.hpp"
#include "monofold/fold/exact/sum_of_two.hpp"
#include "monofold/fold/nan.hpp"
#include "monofold/fold/sum.hpp"
#include "monofold/platform/rounded.hpp"
#include "monofold/reduce_axis.cuh"
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
MONOFOLD_GPU double odd_quotient(double sum, double count) {
  const double near = rounded_quotient(sum, count);
  const double rest = rounded_fma(-near, count, sum);  // of sums of at most 53 bits: exact
  if (rest == 0) return near;
  std::uint64_t bits = bits_as<std::uint64_t>(near);
  if ((rest > 0) != (near > 0)) --bits;  // rounded away from 0
  return bits_as<double>(bits | 1);
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
  MONOFOLD_GPU_CALL static row_answer answer_of_double(row_rules rules, double sum, int count) {
    if (rules.op != operation::mean) return row_answer::of_real(sum, rules.to);
    const bool is_wide = rules.to == dtype::float64;
    return row_answer::of_real(is_wide ? rounded_quotient(sum, count) : odd_quotient(sum, count),
                               rules.to);
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

/// Exact variances and their roots; 2-norms and means of squares.
template <class Item>
struct row_moments_fold : exact_moments_fold<Item> {
  using state = exact_moments_state<Item>;
  row_rules rules;

  MONOFOLD_HD explicit row_moments_fold(const row_rules& how) : rules(how) {}

  MONOFOLD_GPU row_answer finish(const state& s) const { return answer_of(rules, s); }
  /// From the leading bits of both sums; false where these do not decide.
  MONOFOLD_GPU bool finish_leading(const exact_counts& counts,
                                   const monofold::detail::leading_bits& sum,
                                   const monofold::detail::leading_bits& squares,
                                   const row_place& out) const {
    row_answer found{};
    if (!found_by_leading(rules, counts, sum, squares, found)) return false;
    out = found;
    return true;
  }
  /// From doubles near to both sums of so many finite items, for answers that are narrower than a double; false where
  /// these do not decide. `additions`: how many of each sum have rounded.
  ///
  /// accuracy   in units of 2^-53 n Q the square of a sum is wrong by 2 for each addition, and n Q by 1; by 5 more from
  ///            what is done here. Where the deviation is at least 2^-8 n Q that is 2^8 as much of it, and what follows
  ///            adds a few of its units
  MONOFOLD_GPU static bool found_nearly(const row_rules& rules, std::int64_t items, double sum,
                                        double squares, std::int64_t additions, row_answer& out) {
    using monofold::detail::about_inverse;
    if (rules.to == dtype::float64 || items >> 26 != 0) return false;
    const bool is_root = rules.op == operation::norm2 || rules.op == operation::std;
    double near = squares;
    double by = 1;
    if (rules.op == operation::mean_square) {
      by = static_cast<double>(items);
    } else if (rules.op != operation::norm2) {
      if (items <= rules.ddof) return false;
      const double all = rounded_product(static_cast<double>(items), squares);
      near = rounded_sum(all, -rounded_product(sum, sum));
      if (!(near >= rounded_product(all, 0x1p-8))) return false;
      by = static_cast<double>(items * (items - rules.ddof));
    }
    if (!(near > 0)) return false;
    near = rounded_product(near, about_inverse(by));
    if (is_root) near = rounded_product(near, monofold::detail::about_inverse_root(near));
    return row_answer::of_near(near, static_cast<std::uint64_t>(3 * additions + 8) << 8, rules.to,
                               out);
  }
  /// From sums that are two doubles each, of so many finite items; false where doubles do not decide.
  MONOFOLD_GPU_CALL static bool found_by_pairs(row_rules rules, std::int64_t items,
                                               monofold::detail::sum_of_two sum,
                                               monofold::detail::sum_of_two squares,
                                               row_answer& out) {
    using monofold::detail::two_doubles;
    const two_doubles q{{squares.high}, {squares.low}};
    const auto n = static_cast<std::uint64_t>(items);
    double near = 0;
    bool is_found = false;
    if (rules.op == operation::norm2) {
      is_found = quick_spread<true>({}, q, monofold::detail::strict_double{1}, 0, 1, 1, near);
    } else if (rules.op == operation::mean_square) {
      is_found = quick_quotient(q, 0, n, near);
    } else {
      out = row_answer::failed(status::empty_input);
      if (items <= rules.ddof) return true;
      const two_doubles s{{sum.high}, {sum.low}};
      const std::uint64_t by = n * static_cast<std::uint64_t>(items - rules.ddof);
      const monofold::detail::strict_double one{1};
      is_found = items >> 31 == 0 && by >> 53 == 0 &&
                 (rules.op == operation::std ? quick_spread<true>(s, q, one, 0, n, by, near)
                                             : quick_spread<false>(s, q, one, 0, n, by, near));
    }
    return is_found && row_answer::of_nearest(near, rules.to, out);
  }

 private:
  MONOFOLD_GPU static uint128 divisor_of(const row_rules& rules, std::int64_t items) {
    return uint128{static_cast<std::uint64_t>(items)} *
           static_cast<std::uint64_t>(items - rules.ddof);
  }
  MONOFOLD_GPU_CALL static row_answer answer_of(row_rules rules, const state& s) {
    row_answer out{};
    if (found_by_leading(rules, s.values.counts, monofold::detail::leading_of(s.values.sum).bits,
                         monofold::detail::leading_of(s.squares).bits, out)) {
      return out;
    }
    exact_counts counts = s.values.counts;
    static_cast<void>(leave_out_nan(rules, counts));
    const exact_deviations<Item> all(s.values.sum, s.squares, counts.items);
    return row_answer::of_ratio(all.limbs(), all.num_limbs, all.low_exponent,
                                divisor_of(rules, counts.items), rules.op == operation::std,
                                rules.to);
  }
  MONOFOLD_GPU_CALL static bool found_by_leading(row_rules rules, exact_counts counts,
                                                 const monofold::detail::leading_bits& sum,
                                                 const monofold::detail::leading_bits& squares,
                                                 row_answer& out) {
    out = row_answer::failed(status::nan_found);
    if (!leave_out_nan(rules, counts)) return true;
    if (rules.op == operation::norm2 || rules.op == operation::mean_square) {
      out = answer_of_squares(rules, counts, squares);
      return true;
    }
    const exact_verdict v = verdict<nan_rule::propagate>(counts);
    out = row_answer::failed(status::empty_input);
    if (v.items <= rules.ddof || v.items == 0) return true;
    out = row_answer::of_real(monofold::detail::special<double>({number_kind::nan, false, v.items}),
                              rules.to);
    if (v.kind != number_kind::finite) return true;
    if (v.items >> 31 == 0) {  // the divisor has 64 bits
      const auto n = static_cast<std::uint64_t>(v.items);
      const std::uint64_t by = n * static_cast<std::uint64_t>(v.items - rules.ddof);
      double near;
      if ((rules.op == operation::std
               ? monofold::detail::quick_spread<true>(sum, squares, n, by, near)
               : monofold::detail::quick_spread<false>(sum, squares, n, by, near)) &&
          row_answer::of_nearest(near, rules.to, out)) {
        return true;
      }
    }
    const uint128 divisor = divisor_of(rules, v.items);
    monofold::detail::doubtful_bits deviations;
    if (divisor >> 64 != 0 || v.items >> 59 != 0 ||
        !leading_deviations(sum, squares, static_cast<std::uint64_t>(v.items), deviations)) {
      return false;
    }
    return found_by_deviations(rules, deviations, static_cast<std::uint64_t>(divisor), out);
  }
  /// The root of the squares or their mean; their signs are lost, so are those of infinities.
  MONOFOLD_GPU static row_answer answer_of_squares(const row_rules& rules, exact_counts counts,
                                                   const monofold::detail::leading_bits& squares) {
    counts.positive_infinity += counts.negative_infinity;
    counts.negative_infinity = counts.minus_zeros = 0;
    const exact_verdict v = verdict<nan_rule::propagate>(counts);
    const bool is_root = rules.op == operation::norm2;
    if (!is_root && v.items == 0) return row_answer::failed(status::empty_input);
    if (v.kind != number_kind::finite || squares.significand == 0) {
      return row_answer::of_real(monofold::detail::special<double>(v), rules.to);
    }
    double near;
    row_answer quick{};
    const auto n = static_cast<std::uint64_t>(is_root ? 1 : v.items);
    if ((is_root ? monofold::detail::quick_spread<true>({}, squares, 1, 1, near)
                 : monofold::detail::quick_quotient({squares, false}, n, near)) &&
        row_answer::of_nearest(near, rules.to, quick)) {
      return quick;
    }
    return row_answer::of_leading(
        false,
        is_root ? monofold::detail::root_of(squares)
                : monofold::detail::quotient_of(squares, static_cast<std::uint64_t>(v.items)),
        rules.to);
  }
  /// False where what the deviations may be at least and at most are rounded to different answers.
  MONOFOLD_GPU static bool found_by_deviations(const row_rules& rules,
                                               const monofold::detail::doubtful_bits& deviations,
                                               std::uint64_t divisor, row_answer& out) {
    const monofold::detail::leading_bits& bits = deviations.bits;
    out = row_answer::of_real(0, rules.to);
    if (bits.significand == 0) return true;
    const bool is_root = rules.op == operation::std;
    const monofold::detail::upper_bits low =
        is_root ? monofold::detail::root_of(long_quotient_of(bits, divisor))
                : quotient_of(bits, divisor);
    out = row_answer::of_leading(false, low, rules.to);
    if (deviations.doubt == 0 && !(is_root && bits.sticky)) return true;
    monofold::detail::upper_bits high;
    return highest_bits(deviations, low, high) &&
           row_answer::of_leading(false, high, rules.to).bits == out.bits;
  }
};

/// The same where the sums of so many finite items, at least one, are two doubles each.
template <class Item>
MONOFOLD_GPU bool finish_pairs(const row_moments_fold<Item>& f, std::int64_t items,
                               const monofold::detail::sum_of_two& sum,
                               const monofold::detail::sum_of_two& squares, const row_place* out) {
  row_answer found{};
  if (!row_moments_fold<Item>::found_nearly(f.rules, items, sum.high, squares.high, 0, found) &&
      !row_moments_fold<Item>::found_by_pairs(f.rules, items, sum, squares, found)) {
    return false;
  }
  *out = found;
  return true;
}

/// The same where additions of doubles came to the sums.
template <class Item>
MONOFOLD_GPU bool finish_rounded(const row_moments_fold<Item>& f, std::int64_t items, double sum,
                                 double squares, const row_place* out) {
  row_answer found{};
  if (!row_moments_fold<Item>::found_nearly(f.rules, items, sum, squares, items, found)) {
    return false;
  }
  *out = found;
  return true;
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
template <class Item>
inline constexpr bool answers_pairs_v<runtime::row_moments_fold<Item>> = true;

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
