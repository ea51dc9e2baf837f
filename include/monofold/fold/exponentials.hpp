#pragma once
/// fold/exponentials: exp and log of the few folds that need them, the same bits on every machine.

#include <cstdint>

#include "monofold/platform/bits.hpp"
#include "monofold/platform/host_device.hpp"

namespace monofold::detail {

// Additions and multiplications alone, one after the other: what a machine's library of functions gives is
// its own. Compiled without contraction, as all of this library.

/// 2^f for -1/2 <= f <= 1/2.
///
/// accuracy   of double below 1 u, of float below 2 u: the first term left out is 4e-18, and 5e-9
/// source     the series of exp(f ln 2)
MONOFOLD_HD double power_of_two(double f) {
  double p = 1.3691488853904128881e-12;  // ln(2)^13 / 13!, and so on
  p = p * f + 2.5678435993488205142e-11;
  p = p * f + 4.4455382718708114976e-10;
  p = p * f + 7.0549116208011233299e-9;
  p = p * f + 1.0178086009239699728e-7;
  p = p * f + 1.3215486790144309488e-6;
  p = p * f + 1.5252733804059840280e-5;
  p = p * f + 1.5403530393381609954e-4;
  p = p * f + 1.3333558146428443423e-3;
  p = p * f + 9.6181291076284771620e-3;
  p = p * f + 5.5504108664821579953e-2;
  p = p * f + 2.4022650695910071233e-1;
  p = p * f + 6.9314718055994530942e-1;
  return p * f + 1.0;
}
MONOFOLD_HD float power_of_two(float f) {
  float p = 1.5252733804e-5F;
  p = p * f + 1.5403530393e-4F;
  p = p * f + 1.3333558146e-3F;
  p = p * f + 9.6181291076e-3F;
  p = p * f + 5.5504108665e-2F;
  p = p * f + 2.4022650696e-1F;
  p = p * f + 6.9314718056e-1F;
  return p * f + 1.0F;
}

/// exp(d) for d <= 0; 0 where that is below the smallest normal number.
///
/// accuracy   |error| <= (4 + 2 |d|) u exp(d), which is at most 4 u: small terms may be less exact
MONOFOLD_HD double decay(double d) {
  const double t = d * 1.4426950408889634074;
  // In this form so that NaN and infinity end here too.
  if (!(t > -1021.5)) return 0.0;
  const double whole = (t + 0x1.8p52) - 0x1.8p52;  // the nearest integer
  const auto scale = static_cast<std::uint64_t>(static_cast<std::int64_t>(whole) + 1023) << 52;
  return power_of_two(t - whole) * bits_as<double>(scale);
}
MONOFOLD_HD float decay(float d) {
  const float t = d * 1.44269504F;
  if (!(t > -125.5F)) return 0.0F;
  const float whole = (t + 0x1.8p23F) - 0x1.8p23F;
  const auto scale = static_cast<std::uint32_t>(static_cast<std::int32_t>(whole) + 127) << 23;
  return power_of_two(t - whole) * bits_as<float>(scale);
}

/// log(x) of a positive normal number.
///
/// accuracy   |error| <= 3 u max(1, |log(x)|)
/// source     log(f) = 2 atanh((f - 1) / (f + 1)); its first term left out is 2e-18
MONOFOLD_HD_CALL double natural_log(double x) {
  const auto bits = bits_as<std::uint64_t>(x);
  // f in [0.75, 1.5), so that log(f) has no worse relative error near 1.
  const std::uint64_t up = (bits >> 51 & 1) != 0 ? 1 : 0;
  const double k = static_cast<double>(static_cast<std::int64_t>((bits >> 52) + up) - 1023);
  const double f = bits_as<double>((bits & 0x000fffffffffffffu) | (1023 - up) << 52);
  const double z = (f - 1.0) / (f + 1.0);
  const double q = z * z;
  double series = 0.0;
  for (int n = 23; n > 1; n -= 2) series = (series + 1.0 / n) * q;
  return k * 0.69314718055994530942 + (2.0 * z + 2.0 * z * series);
}

}  // namespace monofold::detail
