/// runtime/simd_lane_spread-inl: variances and deviations of rows from the exact sums of their items and squares.

// Included once for each instruction set: see highway's foreach_target.h.
#if defined(MONOFOLD_RUNTIME_SIMD_LANE_SPREAD_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef MONOFOLD_RUNTIME_SIMD_LANE_SPREAD_INL
#undef MONOFOLD_RUNTIME_SIMD_LANE_SPREAD_INL
#else
#define MONOFOLD_RUNTIME_SIMD_LANE_SPREAD_INL
#endif

#include <hwy/highway.h>

#include <cstdint>

#include "runtime/lanes.hpp"
#include "runtime/simd_lane_exact-inl.hpp"
#include "runtime/simd_lane_tags-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace monofold::runtime::HWY_NAMESPACE {

#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3

using lane_doubles = hn::Vec<lane_tag<double>>;

/// What differs from high + low by at most `margin`, which is 0 only where it is just that; |low| is far below |high|.
struct lane_number {
  lane_doubles high, low, margin;
};

/// `length` times the sum of squares less the square of the sum, which is as many times that of squared deviations.
/// With M the first of the two, no rounding is above 2^-102 M, and all of them are looked at, beside what the squares
/// have lost.
HWY_INLINE lane_number deviations_of(const lane_states& of, std::int64_t i, lane_doubles length) {
  const lane_tag<double> d;
  const auto sum = hn::LoadU(d, static_cast<const double*>(of.first) + i);
  const auto sum_low = hn::LoadU(d, static_cast<const double*>(of.second) + i);
  const auto squares = hn::LoadU(d, of.squares_high + i);
  const auto squares_low = hn::LoadU(d, of.squares_low + i);
  const auto left = hn::Mul(length, squares);
  const auto product = hn::Mul(length, squares_low);
  const lane_two left_low = two_sum(hn::MulSub(length, squares, left), product);
  const auto right = hn::Mul(sum, sum);
  const auto right_low = hn::MulAdd(hn::Add(sum, sum), sum_low, hn::MulSub(sum, sum, right));
  const lane_two high = two_sum(left, hn::Neg(right));
  const lane_two low = two_sum(left_low.sum, hn::Neg(right_low));
  const lane_two rest = two_sum(high.rest, low.sum);
  const lane_two all = two_sum(high.sum, rest.sum);
  const auto lost = hn::Or(hn::Or(hn::MulSub(length, squares_low, product), left_low.rest),
                           hn::Or(hn::Or(low.rest, rest.rest), sum_low));
  const auto rounding =
      hn::IfThenZeroElse(hn::Eq(lost, hn::Zero(d)), hn::Mul(left, hn::Set(d, 0x1p-98)));
  const auto of_squares = hn::Mul(hn::Set(d, 4.0), hn::LoadU(d, of.squares_lost + i));
  return {all.sum, all.rest, hn::MulAdd(length, of_squares, rounding)};
}

/// x over `divisor`, which is below 2^52.
HWY_INLINE lane_number quotient_of(const lane_number& x, lane_doubles divisor) {
  const lane_tag<double> d;
  const auto quotient = hn::Div(x.high, divisor);
  const auto rest = hn::Add(hn::NegMulAdd(quotient, divisor, x.high), x.low);
  const auto rounding =
      hn::IfThenZeroElse(hn::Eq(rest, hn::Zero(d)), hn::Mul(x.high, hn::Set(d, 0x1p-100)));
  return {quotient, hn::Div(rest, divisor), hn::Div(hn::Add(x.margin, rounding), divisor)};
}

HWY_INLINE lane_number root_of(const lane_number& x) {
  const lane_tag<double> d;
  const auto root = hn::Sqrt(x.high);
  const auto rest = hn::Add(hn::NegMulAdd(root, root, x.high), x.low);
  const auto rounding =
      hn::IfThenZeroElse(hn::Eq(rest, hn::Zero(d)), hn::Mul(x.high, hn::Set(d, 0x1p-101)));
  return {root, hn::Div(rest, hn::Add(root, root)), hn::Div(hn::Add(x.margin, rounding), root)};
}

/// Rounded to nearest; NaN where the margin does not let one know.
HWY_INLINE lane_doubles nearest_of(const lane_number& x) {
  const auto answer = hn::Add(x.high, hn::Add(x.low, x.margin));
  const auto is_known = hn::Eq(answer, hn::Add(x.high, hn::Sub(x.low, x.margin)));
  return hn::IfThenElse(is_known, answer, hn::NaN(lane_tag<double>()));
}

/// A double that rounds to any narrower type as x > 0 does, as `odd_double`; NaN where the margin does not let one know.
HWY_INLINE lane_doubles odd_of(const lane_number& x) {
  const lane_tag<double> d;
  const hn::RebindToSigned<decltype(d)> bits;
  const auto near = hn::Add(x.high, x.low);
  const auto rest = hn::Add(hn::Sub(x.high, near), x.low);
  const auto above = hn::VecFromMask(bits, hn::RebindMask(bits, hn::Lt(rest, hn::Zero(d))));
  const auto odd = hn::Or(hn::Add(hn::BitCast(bits, near), above), hn::Set(bits, 1));
  // Half way between two float32, or two of a narrower type, these bits are 0.
  const auto low_bits = hn::And(hn::BitCast(bits, near), hn::Set(bits, (1 << 28) - 1));
  const auto is_no_tie = hn::And(hn::RebindMask(d, hn::Ne(low_bits, hn::Zero(bits))),
                                 hn::Le(x.margin, hn::Mul(near, hn::Set(d, 0x1p-55))));
  const auto is_whole = hn::Eq(hn::Or(hn::Abs(rest), x.margin), hn::Zero(d));
  const auto is_near = hn::Or(is_no_tie, is_whole);
  return hn::IfThenElse(hn::Gt(hn::Abs(rest), x.margin), hn::BitCast(d, odd),
                        hn::IfThenElse(is_near, near, hn::NaN(d)));
}

/// See `lane_answers`.
HWY_INLINE bool find_spread(const lane_states& of, std::int64_t count, const spread_request& what,
                            double* out) {
  const lane_tag<double> d;
  const auto length = hn::Set(d, static_cast<double>(what.length));
  const auto divisor = hn::Set(d, static_cast<double>(what.length * (what.length - what.ddof)));
  auto are_known = hn::Eq(length, length);
  for (std::int64_t i = 0; i < count; i += lanes_v<double>) {
    const lane_number all = deviations_of(of, i, length);
    // Far from where a rest could be subnormal, or a sum infinite.
    const auto squares = hn::LoadU(d, of.squares_high + i);
    const auto is_usual = hn::And(
        hn::And(hn::Ge(squares, hn::Set(d, 0x1p-600)), hn::Le(squares, hn::Set(d, 0x1p900))),
        hn::Ge(all.high, hn::Set(d, 0x1p-800)));
    const auto is_none = hn::Eq(hn::Or(hn::Abs(all.high), all.margin), hn::Zero(d));
    lane_number answer = quotient_of(all, divisor);
    if (what.is_root) answer = root_of(answer);
    const auto known = what.to_odd ? odd_of(answer) : nearest_of(answer);
    const auto own = hn::IfThenZeroElse(is_none, hn::IfThenElse(is_usual, known, hn::NaN(d)));
    store_up_to(d, own, count - i, out + i);
    are_known = hn::And(are_known, hn::Eq(own, own));
  }
  return hn::AllTrue(d, are_known);
}

#endif  // not the portable targets

}  // namespace monofold::runtime::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // MONOFOLD_RUNTIME_SIMD_LANE_SPREAD_INL
