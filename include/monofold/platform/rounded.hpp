#pragma once
/// platform/rounded: single operations on doubles, rounded to nearest whatever flags surround them.

#include "monofold/platform/host_device.hpp"

namespace monofold {

// On a device these are the explicitly rounded instructions: no flag contracts, reassociates or
// flushes them. A host compiler must not see through them where it may reassociate; there the
// control register must be that of platform/strict_arithmetic.

namespace detail {

/// The same value, of which a compiler that may reassociate knows nothing.
MONOFOLD_HD double as_it_is(double x) {
#if defined(__FAST_MATH__) && defined(__GNUC__) && !defined(__CUDA_ARCH__)
  __asm__ volatile("" : "+m"(x));
#endif
  return x;
}

}  // namespace detail

MONOFOLD_HD double rounded_sum(double a, double b) {
#if defined(__CUDA_ARCH__)
  return __dadd_rn(a, b);
#else
  return detail::as_it_is(a + b);
#endif
}

MONOFOLD_HD double rounded_product(double a, double b) {
#if defined(__CUDA_ARCH__)
  return __dmul_rn(a, b);
#else
  return detail::as_it_is(a * b);
#endif
}

MONOFOLD_HD double rounded_quotient(double a, double b) {
#if defined(__CUDA_ARCH__)
  return __ddiv_rn(a, b);
#else
  return detail::as_it_is(a / b);
#endif
}

/// a b + c, rounded once.
MONOFOLD_HD double rounded_fma(double a, double b, double c) {
#if defined(__CUDA_ARCH__)
  return __fma_rn(a, b, c);
#else
  return detail::as_it_is(__builtin_fma(a, b, c));
#endif
}

/// A float as a double, exactly: subnormal ones too, which a flag would flush otherwise.
MONOFOLD_HD double as_double(float x) {
#if defined(__CUDA_ARCH__)
  double out;
  asm("cvt.f64.f32 %0, %1;" : "=d"(out) : "f"(x));
  return out;
#else
  return detail::as_it_is(static_cast<double>(x));
#endif
}

}  // namespace monofold
