#pragma once
/// platform/numbers: float16 and bfloat16 as storage types, and facts about number types.

#include <cstdint>
#include <limits>
#include <type_traits>

#include "monofold/platform/bits.hpp"
#include "monofold/platform/host_device.hpp"

namespace monofold {

// A namespace of their own: argument-dependent lookup for a user's call with such an item finds nothing
// of the library's.
namespace stored {

/// IEEE 754 binary16 as it lies in memory. It converts to float exactly; nothing is ever
/// accumulated in it.
struct float16 {
  std::uint16_t bits;

  float16() = default;
  /// The number that has these bits.
  template <class Integer>
  requires std::is_integral_v<Integer> MONOFOLD_HD constexpr explicit float16(Integer own)
      : bits(static_cast<std::uint16_t>(own)) {}
  /// The nearest one, ties to even. (In platform/float_format.)
  template <class Real>
  requires std::is_floating_point_v<Real> MONOFOLD_HD_CALL explicit float16(Real value);

  /// The same value as a float, exactly.
  ///
  /// A subnormal half is rebuilt by an exact float subtraction: placing its 10 fraction bits under
  /// an implicit one at exponent 2^-14 gives 2^-14 + value, and both are multiples of 2^-24.
  MONOFOLD_HD operator float() const {
#if defined(__CUDA_ARCH__)
    float value;  // one instruction there; of a NaN it gives the one NaN
    asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(bits));
    return value;
#else
    const std::uint32_t sign = std::uint32_t{bits & 0x8000u} << 16;
    const std::uint32_t magnitude = bits & 0x7fffu;
    const std::uint32_t normal = (magnitude << 13) + 0x38000000u;  // exponent bias 15 -> 127
    const std::uint32_t special = (magnitude << 13) | 0x7f800000u;
    const float shifted = bits_as<float>((magnitude << 13) + 0x38800000u);  // 2^-14 + value
    // The sign is the half's: where sums are rounded down, x - x is -0.
    const std::uint32_t subnormal = bits_as<std::uint32_t>(shifted - 0x1p-14f) & 0x7fffffffu;
    std::uint32_t out = normal;
    out = magnitude < 0x0400u ? subnormal : out;
    out = magnitude >= 0x7c00u ? special : out;
    return bits_as<float>(out | sign);
#endif
  }
};

/// The upper half of a float: 8 exponent bits, 7 fraction bits. It converts to float exactly.
struct bfloat16 {
  std::uint16_t bits;

  bfloat16() = default;
  /// The number that has these bits.
  template <class Integer>
  requires std::is_integral_v<Integer> MONOFOLD_HD constexpr explicit bfloat16(Integer own)
      : bits(static_cast<std::uint16_t>(own)) {}
  /// The nearest one, ties to even. (In platform/float_format.)
  template <class Real>
  requires std::is_floating_point_v<Real> MONOFOLD_HD_CALL explicit bfloat16(Real value);

  MONOFOLD_HD operator float() const { return bits_as<float>(std::uint32_t{bits} << 16); }
};

}  // namespace stored

using stored::bfloat16;
using stored::float16;

/// True for the types that hold floating-point numbers, the two storage types included.
template <class T>
inline constexpr bool is_floating_v =
    std::is_floating_point_v<T> || std::is_same_v<T, float16> || std::is_same_v<T, bfloat16>;

/// True for the types whose items the built-in folds take: bool, integers and floating-point
/// numbers, all of up to 64 bits. (A `long double` would be cut to a double.)
template <class T>
inline constexpr bool is_number_v = sizeof(T) <= sizeof(double) &&
                                    (std::is_integral_v<T> || is_floating_v<T>);

__extension__ typedef __int128 int128;
__extension__ typedef unsigned __int128 uint128;

}  // namespace monofold
