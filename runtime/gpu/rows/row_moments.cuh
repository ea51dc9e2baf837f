#pragma once
/// runtime/gpu/rows/row_moments: variances of rows on a GPU, and what else follows from sums of squares.

#include <cstdint>

#include "monofold/fold/exact/moments.hpp"
#include "monofold/fold/exact/sum_of_two.hpp"
#include "monofold/platform/rounded.hpp"
#include "monofold/reduce_axis.cuh"
#include "runtime/gpu/rows/narrow_answers.cuh"
#include "runtime/gpu/rows/row_answers.cuh"
#include "runtime/gpu/rows/row_folds.cuh"

namespace monofold::runtime {

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
  MONOFOLD_GPU static bool found_nearly(const row_rules& rules, std::int64_t items, double sum,
                                        double squares, std::int64_t additions, row_answer& out) {
    if (squares == 0 && !(has_deviations(rules) && items <= rules.ddof)) {
      out = row_answer::of_real(0, rules.to);
      return true;
    }
    const double sums[] = {sum};
    const double all_squares[] = {squares};
    std::uint32_t bits[1] = {};
    const bool is_left = narrow(rules, items, sums, all_squares, additions, false, bits) != 0;
    out = {bits[0], -1, status::ok};
    return !is_left;
  }
  /// The same of a few rows by few instructions: a bit for each that is not decided. Exact sums are so exact that the
  /// deviations n Q - S^2 are doubles: these decide all answers that are normal numbers, or 0.
  template <int rows>
  MONOFOLD_GPU static std::uint32_t narrow(const row_rules& rules, std::int64_t items,
                                           const double (&sum)[rows], const double (&squares)[rows],
                                           std::int64_t additions, bool are_exact,
                                           std::uint32_t (&bits)[rows]) {
    const bool are_deviations = has_deviations(rules);
    const std::int64_t free = items - (are_deviations ? rules.ddof : 0);
    if (rules.to == dtype::float64 || items >> 26 != 0 || free <= 0 || free >> 26 != 0) {
      return (std::uint32_t{1} << rows) - 1;
    }
    const auto count = static_cast<double>(items);
    const double by = rules.op == operation::norm2 ? 1
                      : are_deviations ? rounded_product(count, static_cast<double>(free))
                                       : count;
    const bool are_roots = rules.op == operation::norm2 || rules.op == operation::std;
    const ratio how{are_deviations ? count : 1, are_deviations ? 1.0 : 0.0, by,
                    monofold::detail::about_inverse(by), are_roots};
    if (are_exact) return narrow_exact(how, sum, squares, rules.to, bits);
    return narrow_near(how, sum, squares, static_cast<double>(3 * additions + 8), rules.to, bits);
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
  /// What answers of rows of one length have in common: they are (times Q - taken S^2) / by, or the root of that.
  struct ratio {
    double times;
    double taken;  // 1 or 0
    double by;
    double inverse;  // about 1 / by
    bool are_roots;

    MONOFOLD_GPU double over(double sum, double all) const {
      return rounded_sum(all, -rounded_product(rounded_product(taken, sum), sum));
    }
  };
  template <int rows>
  MONOFOLD_GPU static std::uint32_t narrow_exact(const ratio& how, const double (&sum)[rows],
                                                 const double (&squares)[rows], dtype to,
                                                 std::uint32_t (&bits)[rows]) {
    double over[rows];
    double near[rows];
    MONOFOLD_UNROLL
    for (int i = 0; i < rows; ++i) {
      over[i] = how.over(sum[i], rounded_product(how.times, squares[i]));
      near[i] = rounded_product(over[i], how.inverse);
    }
    if (how.are_roots) {
      MONOFOLD_UNROLL
      for (int i = 0; i < rows; ++i)
        near[i] = rounded_product(near[i], about_inverse_root(near[i]));
    }
    // Middles have at most 25 bits: their squares are doubles, too. What is rounded once has the right sign.
    const auto side = [&](int i, double middle) {
      return rounded_fma(-(how.are_roots ? rounded_product(middle, middle) : middle), how.by,
                         over[i]);
    };
    return narrowed_by_sides(near, to, side, bits);
  }
  /// accuracy   in units of 2^-53 n Q the square of a sum is wrong by 2 for each addition, and n Q by 1; by 5 more from
  ///            what is done here. What follows, two inverses and two products, adds less than 16 units in the last
  ///            place. A root of q >= 0 that is wrong by e is wrong by less than e / sqrt(q)
  template <int rows>
  MONOFOLD_GPU static std::uint32_t narrow_near(const ratio& how, const double (&sum)[rows],
                                                const double (&squares)[rows], double units,
                                                dtype to, std::uint32_t (&bits)[rows]) {
    const double lost = rounded_product(units, 0x1p-53);
    const double away_by = rounded_product(lost, how.inverse);
    std::uint32_t left = 0;
    double near[rows];
    double away[rows];
    MONOFOLD_UNROLL
    for (int i = 0; i < rows; ++i) {
      const double all = rounded_product(how.times, squares[i]);
      const double over = how.over(sum[i], all);
      left |= (over > 0 || all == 0 ? 0u : 1u) << i;
      near[i] = rounded_product(over, how.inverse);
      away[i] = rounded_fma(near[i], 0x1p-48, rounded_product(all, away_by));
    }
    if (how.are_roots) {
      MONOFOLD_UNROLL
      for (int i = 0; i < rows; ++i) {
        const double root = about_inverse_root(near[i]);
        near[i] = rounded_product(near[i], root);
        away[i] = rounded_product(away[i], root);
      }
    }
    return left | narrowed_around(near, away, to, bits);
  }
  /// About 1 / sqrt(x), so that times x it is 0 where x is; of no meaning where x is below 0.
  MONOFOLD_GPU static double about_inverse_root(double x) {
    return monofold::detail::about_inverse_root(x > 0 ? x : 1);
  }
  MONOFOLD_GPU static bool has_deviations(const row_rules& rules) {
    return rules.op != operation::norm2 && rules.op != operation::mean_square;
  }
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

/// The same where so many additions of doubles came to the sums.
template <class Item>
MONOFOLD_GPU bool finish_rounded(const row_moments_fold<Item>& f, std::int64_t items, double sum,
                                 double squares, std::int64_t additions, const row_place* out) {
  row_answer found{};
  if (!row_moments_fold<Item>::found_nearly(f.rules, items, sum, squares, additions, found)) {
    return false;
  }
  *out = found;
  return true;
}

/// The same of a few rows, their bits, by few instructions; a bit for each row that is not decided.
template <class Item, int rows>
MONOFOLD_GPU std::uint32_t narrow_rounded(const row_moments_fold<Item>& f, std::int64_t items,
                                          const double (&sum)[rows], const double (&squares)[rows],
                                          std::int64_t additions, bool are_exact,
                                          std::uint32_t (&bits)[rows]) {
  return row_moments_fold<Item>::narrow(f.rules, items, sum, squares, additions, are_exact, bits);
}

}  // namespace monofold::runtime

namespace monofold::detail {

template <class Item>
inline constexpr bool answers_pairs_v<runtime::row_moments_fold<Item>> = true;
template <class Item>
inline constexpr bool rounds_sums_v<runtime::row_moments_fold<Item>> = sizeof(Item) <= 4;

}  // namespace monofold::detail
