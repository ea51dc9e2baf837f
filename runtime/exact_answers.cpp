#include "runtime/exact_answers.hpp"

#include <algorithm>

#include "monofold/fold/exact.hpp"
#include "runtime/answers.hpp"

namespace monofold::runtime {

namespace {

using monofold::detail::leading_bits;
using monofold::detail::leading_number;
using monofold::detail::round_bits;
using monofold::detail::round_by_bits;

// Folds of any items do: only calls that have nothing to do with items are made here.
using any_item = double;

/// Calls visit.operator()<Real, rule>() for what is asked for.
template <class Visit>
auto by_rounding(const answer_context& context, const Visit& visit) {
  constexpr auto propagate = nan_rule::propagate;
  constexpr auto omit = nan_rule::omit;
  if (context.how == rounding::to_odd) {
    return context.omit_nan ? visit.template operator()<odd_double, omit>()
                            : visit.template operator()<odd_double, propagate>();
  }
  return context.omit_nan ? visit.template operator()<double, omit>()
                          : visit.template operator()<double, propagate>();
}

bool is_root(operation op) { return op == operation::std || op == operation::norm2; }

template <class Real, bool root>
answer ratio_as(operation op, bool is_negative, const wide_magnitude& all, uint128 divisor) {
  const Real size = round_by_bits<Real, root>(all.limb, all.num_limbs, all.low, divisor);
  auto bits = float_bits(size);
  if (is_negative) bits |= float_format<Real>::sign_bit;
  return one_number(op, float_from_bits<Real>(bits));
}

/// Limbs in two's complement.
answer limbs_answer(operation op, const std::uint64_t* limb, int num_limbs, rounding how) {
  if (how == rounding::to_uint64) {
    // Those of a negative number have a sign above the lowest limb.
    const bool fits = std::all_of(limb + 1, limb + num_limbs, [](auto x) { return x == 0; });
    return fits ? one_number(op, *limb) : failed(op, status::integer_overflow);
  }
  const leading_number all = monofold::detail::leading_of(limb, num_limbs, 0);
  const auto bits = monofold::detail::upper_of(all.bits);
  if (how == rounding::to_odd) {
    return one_number(op, round_bits<odd_double>(all.is_negative, bits));
  }
  return one_number(op, round_bits<double>(all.is_negative, bits));
}

}  // namespace

result<double> exact_sum(operation op, const exact_counts& counts, const leading_number& sum,
                         const answer_context& context) {
  return by_rounding(context, [&]<class Real, nan_rule rule>() {
    const auto as_double = [](const result<Real>& found) {
      return found ? result<double>(bits_as<double>(*found)) : result<double>(found.code());
    };
    // That of squares too: what is summed is told by the sum.
    if (is_mean(op)) {
      using mean = exact_mean_fold<value_term<any_item>, Real, rule>;
      return as_double(mean{}.finish_leading(counts, sum));
    }
    if (op == operation::norm2) {
      return as_double(exact_norm2_fold<any_item, Real, rule>{}.finish_leading(counts, sum));
    }
    using total = exact_total_fold<value_term<any_item>, Real, rule>;
    return as_double(total{}.finish_leading(counts, sum));
  });
}

answer exact_sum_answer(operation op, const exact_counts& counts, const leading_number& sum,
                        const answer_context& context) {
  return one_number(op, exact_sum(op, counts, sum, context));
}

bool few_answer_to_odd(answer& out, operation op, const monofold::detail::sum_of_two& sum,
                       std::int64_t count) {
  double found = sum.high;
  const bool is_exact = op != operation::mean && monofold::detail::is_zero(sum.low);
  if (!is_exact && !monofold::detail::is_zero(found)) {
    leading_number leading;
    if (!monofold::detail::leading_of(sum, leading)) return false;
    const auto bits = op == operation::mean
                          ? quotient_of(leading.bits, static_cast<std::uint64_t>(count))
                          : upper_of(leading.bits);
    found = round_bits<odd_double>(leading.is_negative, bits).value;
  }
  set_number(out, op, found);
  return true;
}

bool exact_variance(result<double>& out, operation op, const exact_counts& counts,
                    const leading_bits& sum, const leading_bits& squares,
                    const answer_context& context) {
  return by_rounding(context, [&]<class Real, nan_rule rule>() {
    result<Real> found;
    const auto finish = [&](const auto& fold) {
      return fold.finish_leading(counts, sum, squares, found);
    };
    const std::int64_t ddof = context.ddof;
    const bool is_known = is_root(op)
                              ? finish(exact_variance_fold<any_item, Real, true, rule>(ddof))
                              : finish(exact_variance_fold<any_item, Real, false, rule>(ddof));
    out = found ? result<double>(bits_as<double>(*found)) : result<double>(found.code());
    return is_known;
  });
}

answer ratio_answer(operation op, bool is_negative, const wide_magnitude& magnitude,
                    uint128 divisor, rounding how) {
  const bool to_odd = how == rounding::to_odd;
  if (is_root(op)) {
    return to_odd ? ratio_as<odd_double, true>(op, is_negative, magnitude, divisor)
                  : ratio_as<double, true>(op, is_negative, magnitude, divisor);
  }
  return to_odd ? ratio_as<odd_double, false>(op, is_negative, magnitude, divisor)
                : ratio_as<double, false>(op, is_negative, magnitude, divisor);
}

answer mean_square_answer(const uint256& squares, const answer_context& context) {
  exact_counts counts = zero_counts();
  counts.items = context.count;
  const leading_number sum = monofold::detail::leading_of(squares.limb, 4, 0);
  return exact_sum_answer(operation::mean_square, counts, sum, context);
}

answer integer_answer(operation op, int128 value, rounding how) {
  const std::uint64_t limb[2] = {static_cast<std::uint64_t>(value),
                                 static_cast<std::uint64_t>(value >> 64)};
  return limbs_answer(op, limb, 2, how);
}

answer integer_answer(operation op, const uint256& twos_complement, rounding how) {
  return limbs_answer(op, twos_complement.limb, 4, how);
}

}  // namespace monofold::runtime
