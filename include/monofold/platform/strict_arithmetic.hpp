#pragma once
/// platform/strict_arithmetic: a stretch of code whose double arithmetic is that of IEEE 754.

#include <cstdint>

#include "monofold/platform/bits.hpp"
#include "monofold/platform/host_device.hpp"

// MONOFOLD_STRICT_DOUBLES is 1 where the compiler does arithmetic on doubles as it is written: no
// flag lets it reassociate or take NaN for impossible, and results are not kept wider than a double.
#if defined(__FAST_MATH__) || defined(__ASSOCIATIVE_MATH__) || defined(__CUDA_ARCH__)
#define MONOFOLD_STRICT_DOUBLES 0
#elif defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__ != 0
#define MONOFOLD_STRICT_DOUBLES 0
#elif defined(__FLT_EVAL_METHOD__) && __FLT_EVAL_METHOD__ == 0
#define MONOFOLD_STRICT_DOUBLES 1
#else
#define MONOFOLD_STRICT_DOUBLES 0
#endif

// Stands first in a function whose additions must stay as they are written: clang does not say
// whether flags let it reassociate.
#if defined(__clang__)
#define MONOFOLD_AS_WRITTEN _Pragma("clang fp reassociate(off) contract(off)")
#else
#define MONOFOLD_AS_WRITTEN
#endif

namespace monofold {

/// While it lives, additions round to nearest and subnormal numbers count, where that can be had.
///
/// sync       a register of this thread; where it had to be changed, put back by the destructor, flags of exceptions
///            included. Elsewhere flags that code between raises stay raised
/// errors     `holds()` is false where the arithmetic is another one and stays so: the caller must
///            do without. Code between must take its numbers from memory and leave results there,
///            or the compiler could move it out
/// cost       some cycles on x86-64 where the register is as it should be
/// tested by  tests/exact/environment_test.cpp
class strict_arithmetic {
 public:
  MONOFOLD_INLINE strict_arithmetic() {
#if defined(__x86_64__) && defined(__GNUC__) && MONOFOLD_STRICT_DOUBLES
    __asm__ volatile("stmxcsr %0" : "=m"(saved_) : : "memory");
    // Bits 0 to 5 are flags that were raised. The others: to nearest, no flushing to zero, all
    // exceptions masked (a trap on inexact results would strike here).
    if ((saved_ & control) != standard) {
      const std::uint32_t wanted = standard;
      __asm__ volatile("ldmxcsr %0" : : "m"(wanted) : "memory");
    }
#endif
  }
  MONOFOLD_INLINE ~strict_arithmetic() {
#if defined(__x86_64__) && defined(__GNUC__) && MONOFOLD_STRICT_DOUBLES
    if ((saved_ & control) != standard) __asm__ volatile("ldmxcsr %0" : : "m"(saved_) : "memory");
#endif
  }
  strict_arithmetic(const strict_arithmetic&) = delete;
  strict_arithmetic& operator=(const strict_arithmetic&) = delete;

  MONOFOLD_INLINE bool holds() const {
#if !MONOFOLD_STRICT_DOUBLES
    return false;
#elif defined(__x86_64__) && defined(__GNUC__)
    return true;
#else
    // Ask the arithmetic itself: 1 +- 2^-60 is 1 to nearest only; half of the smallest normal
    // number is zero where results are flushed, twice the smallest one where operands are.
    volatile double one = 1.0, tiny = 0x1p-60, normal = 0x1p-1022, least = 0x1p-1074;
    const double up = one + tiny, down = one - tiny, half = normal * 0.5, twice = least + least;
    return bits_as<std::uint64_t>(up) == 0x3ff0000000000000u &&
           bits_as<std::uint64_t>(down) == 0x3ff0000000000000u &&
           bits_as<std::uint64_t>(half) == 0x0008000000000000u &&
           bits_as<std::uint64_t>(twice) == 2;
#endif
  }

  /// Whether the arithmetic was so before: nothing had to be changed.
  MONOFOLD_INLINE bool was_strict() const {
#if defined(__x86_64__) && defined(__GNUC__) && MONOFOLD_STRICT_DOUBLES
    return (saved_ & control) == standard;
#else
    return holds();
#endif
  }

 private:
#if defined(__x86_64__) && defined(__GNUC__) && MONOFOLD_STRICT_DOUBLES
  static constexpr std::uint32_t control = 0xffc0;
  static constexpr std::uint32_t standard = 0x1f80;
  std::uint32_t saved_;
#endif
};

}  // namespace monofold
