#pragma once
/// level/warp_moments: what the moments of floats that a warp's lanes hold come to.

#include <cmath>
#include <cstdint>

#include "monofold/fold/moments.hpp"
#include "monofold/level/shuffle.cuh"
#include "monofold/level/thread.cuh"
#include "monofold/platform/host_device.hpp"

namespace monofold::detail {

/// part / whole, correctly rounded, without a branch: several go side by side.
///
/// shape      0 <= part <= whole, 0 < whole < 2^52; anything else gives anything
/// source     Markstein 1990, IBM Journal of Research and Development 34(1), theorems on reciprocals and
///            quotients: a last step from a reciprocal within a unit of its last place rounds it correctly (but
///            for a mantissa of ones), and so does one from a quotient within a unit of its last place
MONOFOLD_GPU double quotient_of_counts(double part, double whole) {
#if defined(__CUDA_ARCH__)
  double reciprocal;
  asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(reciprocal) : "d"(whole));  // 20 bits
  MONOFOLD_UNROLL
  for (int step = 0; step < 3; ++step) {
    reciprocal = fma(reciprocal, fma(-whole, reciprocal, 1.0), reciprocal);
  }
  double quotient = part * reciprocal;
  MONOFOLD_UNROLL
  for (int step = 0; step < 2; ++step) {
    quotient = fma(fma(-whole, quotient, part), reciprocal, quotient);
  }
  return quotient;
#else
  return part / whole;
#endif
}

/// The moments of lanes 0 .. count - 1 joined as `combine` of their fold does it, in lane 0. How many items a
/// node has is known before their mean is, so the divisions of all levels go side by side.
///
/// shape      counts of less than 2^47
/// order      the plan's tree
/// sync       all 32 lanes of the warp
MONOFOLD_GPU moments_state moments_of_lanes(moments_state own, int count) {
  constexpr int levels = 5;
  const int lane = lane_rank();
  std::int64_t here = lane < count ? own.count : 0;
  bool is_joined[levels];
  bool is_new[levels];
  double share[levels];
  double weight[levels];
  MONOFOLD_UNROLL
  for (int level = 0; level < levels; ++level) {
    const std::int64_t above = shuffle_down(here, 1 << level, all_lanes);
    const std::int64_t right = lane + (1 << level) < count ? above : 0;
    is_joined[level] = right != 0;
    is_new[level] = here == 0;
    const auto left = static_cast<double>(here);
    here += right;
    const auto whole = static_cast<double>(here);
    share[level] = quotient_of_counts(static_cast<double>(right), whole);
    weight[level] = left * share[level];
  }
  MONOFOLD_UNROLL
  for (int level = 0; level < levels; ++level) {
    const double mean = shuffle_down(own.mean, 1 << level, all_lanes);
    const double m2 = shuffle_down(own.m2, 1 << level, all_lanes);
    const double delta = mean - own.mean;
    const moments_state both{0, own.mean + delta * share[level],
                             own.m2 + m2 + delta * delta * weight[level]};
    if (is_joined[level]) {
      own.mean = is_new[level] ? mean : both.mean;
      own.m2 = is_new[level] ? m2 : both.m2;
    }
  }
  return {here, own.mean, own.m2};
}

}  // namespace monofold::detail
