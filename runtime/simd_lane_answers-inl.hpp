/// runtime/simd_lane_answers-inl: answers of exact sums of rows and columns in lanes.

// Included once for each instruction set: see highway's foreach_target.h.
#if defined(MONOFOLD_RUNTIME_SIMD_LANE_ANSWERS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef MONOFOLD_RUNTIME_SIMD_LANE_ANSWERS_INL
#undef MONOFOLD_RUNTIME_SIMD_LANE_ANSWERS_INL
#else
#define MONOFOLD_RUNTIME_SIMD_LANE_ANSWERS_INL
#endif

#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cstdint>

#include "runtime/lanes.hpp"
#include "runtime/simd_lane_tags-inl.hpp"
#include "runtime/simd_lane_two-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace monofold::runtime::HWY_NAMESPACE {

#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3

HWY_INLINE void store_answers(hn::Vec<lane_tag<double>> x, std::int64_t count, double* out,
                              bool past_caches) {
  const lane_tag<double> d;
  if (past_caches && count >= lanes_v<double>) return hn::Stream(x, d, out);
  store_up_to(d, x, count, out);
}
HWY_INLINE void store_answers(hn::Vec<lane_tag<double>> x, std::int64_t count, float* out, bool) {
  const hn::Rebind<float, lane_tag<double>> single;
  store_up_to(single, hn::DemoteTo(single, x), count, out);
}

/// Sums rounded to doubles are the high parts, which may be in place. False: some are not known.
HWY_INLINE bool copy_high(const double* high, std::int64_t count, double* out, bool past_caches) {
  const lane_tag<double> d;
  auto are_known = hn::Eq(hn::Zero(d), hn::Zero(d));
  for (std::int64_t i = 0; i < count; i += lanes_v<double>) {
    const auto h = hn::LoadU(d, high + i);
    if (out != high) store_answers(h, count - i, out + i, past_caches);
    are_known = hn::And(are_known, hn::Eq(h, h));
  }
  return hn::AllTrue(d, are_known);
}

/// Sums that high parts alone hold are answers themselves. False: some are in both parts, or not known.
template <class Real>
HWY_INLINE bool copy_single(const double* high, const double* low, std::int64_t count, Real* out) {
  const lane_tag<double> d;
  for (std::int64_t i = 0; i < count; i += lanes_v<double>) {
    const auto h = hn::LoadU(d, high + i);
    const auto other = hn::Or(hn::LoadU(d, low + i), hn::Sub(h, h));  // NaN unless h is finite
    if (!hn::AllTrue(d, hn::Eq(other, hn::Zero(d)))) return false;
    store_answers(h, count - i, out + i, false);
  }
  return true;
}

/// See `lane_answers`: the quotient of the high part, and what is left of it and of the low part over the divisor. Both
/// by its reciprocal: the quotient is then at most 1.5 units off, which leaves an exact rest.
template <class Real>
HWY_INLINE bool divide_exactly(const double* high, const double* low, std::int64_t count,
                               std::int64_t divisor, bool to_odd, Real* out,
                               bool past_caches = false) {
  if (divisor == 1 && copy_single(high, low, count, out)) return true;
  const lane_tag<double> d;
  const hn::RebindToSigned<decltype(d)> bits;
  const auto n = hn::Set(d, static_cast<double>(divisor));
  const auto reciprocal = hn::Set(d, 1.0 / static_cast<double>(divisor));
  const bool by_power = (divisor & (divisor - 1)) == 0;
  auto are_sure = hn::Eq(n, n);
  for (std::int64_t i = 0; i < count; i += lanes_v<double>) {
    const auto h = hn::LoadU(d, high + i);
    const auto l = hn::LoadU(d, low + i);
    const auto zero = hn::Zero(d);
    const auto size = hn::Abs(h);
    // Far from where quotients are subnormal or a remainder could be.
    const auto is_known = hn::Or(hn::Eq(h, zero), hn::And(hn::Ge(size, hn::Set(d, 0x1p-900)),
                                                          hn::Le(size, hn::Set(d, 0x1p1000))));
    const auto q = hn::Mul(h, reciprocal);
    const auto c = hn::Mul(hn::Add(hn::NegMulAdd(q, n, h), l), reciprocal);
    auto answer = q;
    auto is_sure = is_known;
    if (to_odd) {
      const auto near = hn::Add(q, c);
      const auto rest = hn::Add(hn::NegMulAdd(near, n, h), l);
      // Towards zero where there is more than the true value, then odd.
      const auto above = hn::VecFromMask(
          bits, hn::RebindMask(bits, hn::Lt(hn::Xor(rest, hn::And(near, hn::SignBit(d))), zero)));
      const auto odd = hn::Or(hn::Add(hn::BitCast(bits, near), above), hn::Set(bits, 1));
      answer = hn::IfThenElse(hn::Eq(rest, zero), near, hn::BitCast(d, odd));
      answer = hn::IfThenElse(hn::Eq(h, zero), q, answer);
    } else if (!by_power) {
      // The quotient's rest is known to 2^-51 of it.
      const auto margin = hn::Mul(hn::Abs(c), hn::Set(d, 0x1p-50));
      answer = hn::Add(q, hn::Add(c, margin));
      is_sure = hn::And(is_sure, hn::Eq(answer, hn::Add(q, hn::Sub(c, margin))));
      answer = hn::IfThenElse(hn::Eq(c, zero), q, answer);
    }
    store_answers(hn::IfThenElse(is_sure, answer, hn::NaN(d)), count - i, out + i, past_caches);
    are_sure = hn::And(are_sure, is_sure);
  }
  return hn::AllTrue(d, are_sure);
}

HWY_INLINE bool divide_to_doubles(const double* high, const double* low, std::int64_t count,
                                  std::int64_t divisor, bool to_odd, double* out,
                                  bool past_caches) {
  const auto place = reinterpret_cast<std::uintptr_t>(out);
  if (place % sizeof(double) != 0) past_caches = false;
  // Vectors go past caches from a whole line on.
  const auto before = static_cast<std::int64_t>((0 - place) % 64 / sizeof(double));
  const std::int64_t end[3] = {0, past_caches ? std::min(before, count) : 0, count};
  bool are_known = true;
  for (int part = 0; part < 2; ++part) {
    const std::int64_t at = end[part], n = end[part + 1] - at;
    const bool own = divisor == 1 && !to_odd
                         ? copy_high(high + at, n, out + at, past_caches && part == 1)
                         : divide_exactly(high + at, low + at, n, divisor, to_odd, out + at,
                                          past_caches && part == 1);
    are_known = own && are_known;
  }
  if (past_caches) hwy::FlushStream();
  return are_known;
}

/// Numbers that were rounded to odd are rounded once.
HWY_INLINE bool divide_to_floats(const double* high, const double* low, std::int64_t count,
                                 std::int64_t divisor, float* out) {
  return divide_exactly(high, low, count, divisor, true, out);
}

HWY_INLINE bool add_exactly(const double* high, const double* low, std::int64_t count,
                            std::int64_t* out) {
  const lane_tag<double> d;
  const lane_tag<std::int64_t> integer;
  auto are_known = hn::Eq(hn::Zero(d), hn::Zero(d));
  for (std::int64_t i = 0; i < count; i += lanes_v<double>) {
    const auto h = hn::LoadU(d, high + i);
    const auto l = hn::LoadU(d, low + i);
    store_up_to(integer, hn::Add(hn::ConvertTo(integer, h), hn::ConvertTo(integer, l)), count - i,
                out + i);
    are_known = hn::And(are_known, hn::Eq(h, h));
  }
  return hn::AllTrue(d, are_known);
}

HWY_INLINE void join_states(const double* high, const double* low, std::int64_t count,
                            const lane_states& all) {
  const lane_tag<double> d;
  double* const high_of = static_cast<double*>(all.first);
  double* const low_of = static_cast<double*>(all.second);
  double* const lost_of = all.scratch;
  for (std::int64_t i = 0; i < count; i += lanes_v<double>) {
    const lane_two sum = two_sum(hn::LoadU(d, high_of + i), hn::LoadU(d, high + i));
    const lane_two rest = two_sum(hn::LoadU(d, low_of + i), hn::LoadU(d, low + i));
    const lane_two both = two_sum(rest.sum, sum.rest);
    hn::StoreU(sum.sum, d, high_of + i);
    hn::StoreU(both.sum, d, low_of + i);
    const auto lost = hn::Add(hn::Abs(rest.rest), hn::Abs(both.rest));
    hn::StoreU(hn::Add(hn::LoadU(d, lost_of + i), lost), d, lost_of + i);
  }
}

#endif  // not the portable targets

}  // namespace monofold::runtime::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // MONOFOLD_RUNTIME_SIMD_LANE_ANSWERS_INL
