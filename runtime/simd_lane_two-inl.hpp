/// runtime/simd_lane_two-inl: sums of two doubles in lanes, without what rounding leaves out being lost.

// Included once for each instruction set: see highway's foreach_target.h.
#if defined(MONOFOLD_RUNTIME_SIMD_LANE_TWO_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef MONOFOLD_RUNTIME_SIMD_LANE_TWO_INL
#undef MONOFOLD_RUNTIME_SIMD_LANE_TWO_INL
#else
#define MONOFOLD_RUNTIME_SIMD_LANE_TWO_INL
#endif

#include <hwy/highway.h>

#include "runtime/simd_lane_tags-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace monofold::runtime::HWY_NAMESPACE {

#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3

struct lane_two {
  hn::Vec<lane_tag<double>> sum, rest;
};

/// a + b, and what its rounding left out (Knuth 1969, TAOCP vol. 2, 4.2.2). Half of it by the fused instruction,
/// which rounds once as well: a Zen 4 has two units for additions and two for those.
HWY_INLINE lane_two two_sum(hn::Vec<lane_tag<double>> a, hn::Vec<lane_tag<double>> b) {
  const auto one = hn::Set(lane_tag<double>(), 1.0);
  const auto sum = hn::Add(a, b);
  const auto b_part = hn::Sub(sum, a);
  const auto a_part = hn::Sub(sum, b_part);
  const auto b_rest = hn::NegMulAdd(b_part, one, b);
  return {sum, hn::Add(hn::NegMulAdd(a_part, one, a), b_rest)};
}

#if HWY_TARGET == HWY_AVX3
/// The same without a flag of the processor's.
HWY_INLINE lane_two quiet_two_sum(hn::Vec<lane_tag<double>> a, hn::Vec<lane_tag<double>> b) {
  constexpr int quiet = _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC;
  const __m512d one = _mm512_set1_pd(1.0);
  const __m512d sum = _mm512_add_round_pd(a.raw, b.raw, quiet);
  const __m512d b_part = _mm512_sub_round_pd(sum, a.raw, quiet);
  const __m512d a_part = _mm512_sub_round_pd(sum, b_part, quiet);
  const __m512d b_rest = _mm512_fnmadd_round_pd(b_part, one, b.raw, quiet);
  const __m512d a_rest = _mm512_fnmadd_round_pd(a_part, one, a.raw, quiet);
  return {hn::Vec<lane_tag<double>>{sum},
          hn::Vec<lane_tag<double>>{_mm512_add_round_pd(a_rest, b_rest, quiet)}};
}
inline constexpr bool has_quiet_sums = true;
#else
HWY_INLINE lane_two quiet_two_sum(hn::Vec<lane_tag<double>> a, hn::Vec<lane_tag<double>> b) {
  return two_sum(a, b);
}
inline constexpr bool has_quiet_sums = false;
#endif

#endif  // not the portable targets

}  // namespace monofold::runtime::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // MONOFOLD_RUNTIME_SIMD_LANE_TWO_INL
