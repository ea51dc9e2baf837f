#pragma once
/// runtime/gpu/rows/row_moments: variances of rows on a GPU, and what else follows from sums of squares.

#include <cstdint>

#include "monofold/fold/exact/moments.hpp"
#include "monofold/fold/exact/sum_of_two.hpp"
#include "monofold/platform/rounded.hpp"
#include "monofold/reduce_axis.cuh"
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
  /// From doubles near to both sums of so many finite items, for answers that are narrower than a double: a number that
  /// the answer is near to, within so many units in its last place; false where these do not decide. `additions`: how
  /// many of each sum have rounded.
  ///
  /// accuracy   in units of 2^-53 n Q the square of a sum is wrong by 2 for each addition, and n Q by 1; by 5 more from
  ///            what is done here. That is n Q over the deviation, at most 2^24, as much of this. What follows, two
  ///            inverses and two products, adds less than 16 units in the last place
  MONOFOLD_GPU static bool near_answer(const row_rules& rules, std::int64_t items, double sum,
                                       double squares, std::int64_t additions, double& near,
                                       std::uint64_t& units) {
    using monofold::detail::about_inverse;
    const bool has_deviations = rules.op != operation::norm2 && rules.op != operation::mean_square;
    if (has_deviations && items <= rules.ddof) return false;
    near = squares;
    units = 0;
    if (squares == 0) return true;  // all items are 0
    if (rules.to == dtype::float64 || items >> 26 != 0) return false;
    const bool is_root = rules.op == operation::norm2 || rules.op == operation::std;
    double by = 1;
    int lost = 0;  // binades from n Q to the deviation
    if (rules.op == operation::mean_square) {
      by = static_cast<double>(items);
    } else if (has_deviations) {
      const double all = rounded_product(static_cast<double>(items), squares);
      near = rounded_sum(all, -rounded_product(sum, sum));
      if (!(near >= rounded_product(all, 0x1p-24))) return false;
      lost = static_cast<int>(bits_as<std::uint64_t>(all) >> 52) -
             static_cast<int>(bits_as<std::uint64_t>(near) >> 52);
      by = static_cast<double>(items * (items - rules.ddof));
    }
    if (!(near > 0)) return false;
    near = rounded_product(near, about_inverse(by));
    if (is_root) near = rounded_product(near, monofold::detail::about_inverse_root(near));
    units = (static_cast<std::uint64_t>(3 * additions + 8) << (lost + 1)) + 16;
    return true;
  }
  MONOFOLD_GPU static bool found_nearly(const row_rules& rules, std::int64_t items, double sum,
                                        double squares, std::int64_t additions, row_answer& out) {
    double near = 0;
    std::uint64_t units = 0;
    if (!near_answer(rules, items, sum, squares, additions, near, units)) return false;
    if (near != 0) return row_answer::of_near(near, units, rules.to, out);
    out = row_answer::of_real(0, rules.to);
    return true;
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

/// The same, the bits of the answer, by few instructions.
template <class Item>
MONOFOLD_GPU bool narrow_rounded(const row_moments_fold<Item>& f, std::int64_t items, double sum,
                                 double squares, std::int64_t additions, std::uint32_t& bits) {
  double near = 0;
  std::uint64_t units = 0;
  if (!row_moments_fold<Item>::near_answer(f.rules, items, sum, squares, additions, near, units)) {
    return false;
  }
  const double away = rounded_product(near, rounded_product(static_cast<double>(units), 0x1p-52));
  return narrowed_between(rounded_sum(near, -away), rounded_sum(near, away), f.rules.to, bits);
}

}  // namespace monofold::runtime

namespace monofold::detail {

template <class Item>
inline constexpr bool answers_pairs_v<runtime::row_moments_fold<Item>> = true;
template <class Item>
inline constexpr bool rounds_sums_v<runtime::row_moments_fold<Item>> = sizeof(Item) <= 4;

}  // namespace monofold::detail
