#pragma once
/// platform/float_format: floating-point numbers as integers: sign, significand, exponent.

#include <cstdint>
#include <type_traits>

#include "monofold/platform/bits.hpp"
#include "monofold/platform/host_device.hpp"
#include "monofold/platform/numbers.hpp"

namespace monofold {

namespace detail {

template <class Bits, int fraction, int exponent>
struct binary_format {
  using bits = Bits;
  static constexpr int fraction_bits = fraction;
  static constexpr int exponent_bits = exponent;
  static constexpr int precision = fraction + 1;            // the leading one is not stored
  static constexpr int max_exponent = 1 << (exponent - 1);  // finite: |x| < 2^this
  static constexpr int least_exponent =
      3 - max_exponent - precision;  // finite: multiples of 2^this
  static constexpr Bits sign_bit = static_cast<Bits>(Bits{1} << (fraction + exponent));
  static constexpr Bits infinity = static_cast<Bits>(((Bits{1} << exponent) - 1) << fraction);
  static constexpr Bits quiet_nan = static_cast<Bits>(infinity | (Bits{1} << (fraction - 1)));
};

}  // namespace detail

/// How a type of number is laid out in its bits (IEEE 754-2019, section 3.4; bfloat16 is the upper
/// half of a binary32).
template <class Real>
struct float_format;
template <>
struct float_format<double> : detail::binary_format<std::uint64_t, 52, 11> {};
template <>
struct float_format<float> : detail::binary_format<std::uint32_t, 23, 8> {};
template <>
struct float_format<float16> : detail::binary_format<std::uint16_t, 10, 5> {};
template <>
struct float_format<bfloat16> : detail::binary_format<std::uint16_t, 7, 8> {};

/// A double that is a number rounded to odd: where it is not exact, its last bit is set.
///
/// accuracy   rounded again, to any format of at most 51 bits, it gives what rounding the number once would
///            give, subnormal and infinite results too
/// source     Boldo, Melquiond 2008, IEEE Transactions on Computers 57(4)
/// tested by  tests/platform/float_format_test.cpp
struct odd_double {
  double value;
};
template <>
struct float_format<odd_double> : float_format<double> {};

/// The bits of a number, as an integer of its size.
template <class Real>
MONOFOLD_HD constexpr typename float_format<Real>::bits float_bits(const Real& x) {
  return bits_as<typename float_format<Real>::bits>(x);
}

template <class Real>
MONOFOLD_HD constexpr Real float_from_bits(typename float_format<Real>::bits bits) {
  return bits_as<Real>(bits);
}

/// The bits of |x|, which ascend with it. Those of halves as a member: compilers make vectors of loops over that.
template <class Real>
MONOFOLD_HD constexpr typename float_format<Real>::bits magnitude_bits(const Real& x) {
  using format = float_format<Real>;
  constexpr auto mask = static_cast<typename format::bits>(format::sign_bit - 1);
  if constexpr (sizeof(Real) == 2) {
    return static_cast<typename format::bits>(x.bits & mask);
  } else {
    return float_bits(x) & mask;
  }
}

/// What a number is: (-1)^negative * significand * 2^exponent where it is finite.
enum class number_kind { finite, infinite, nan };

struct float_parts {
  std::uint64_t significand;
  int exponent;
  bool negative;
  number_kind kind;
};

/// The parts of a number of any type that the library takes; integers have exponent 0.
template <class Item>
MONOFOLD_HD float_parts parts_of(const Item& item) {
  if constexpr (is_floating_v<Item>) {
    using format = float_format<Item>;
    const std::uint64_t bits = float_bits(item);
    const std::uint64_t fraction = bits & ((std::uint64_t{1} << format::fraction_bits) - 1);
    const int field =
        static_cast<int>((bits & (std::uint64_t{format::sign_bit} - 1)) >> format::fraction_bits);
    const bool negative = (bits & format::sign_bit) != 0;
    if (field == 2 * format::max_exponent - 1) {
      return {0, 0, negative, fraction != 0 ? number_kind::nan : number_kind::infinite};
    }
    // A subnormal number has the exponent of the smallest normal ones and no leading one.
    const std::uint64_t leading = field != 0 ? std::uint64_t{1} << format::fraction_bits : 0;
    const int exponent = format::least_exponent + (field != 0 ? field - 1 : 0);
    return {fraction | leading, exponent, negative, number_kind::finite};
  } else {
    const auto wide = static_cast<int128>(item);
    const bool negative = wide < 0;
    return {static_cast<std::uint64_t>(negative ? -wide : wide), 0, negative, number_kind::finite};
  }
}

/// The number of bits up to the highest set one; 0 for zero.
MONOFOLD_HD int bit_width_of(std::uint64_t a) {
  if (a == 0) return 0;
#if defined(__CUDA_ARCH__)
  return 64 - __clzll(static_cast<long long>(a));
#else
  return 64 - __builtin_clzll(a);
#endif
}

/// The number of type `Real` nearest to +-(significand + f) * 2^exponent, ties to even, where
/// f = 0, or 0 < f < 1 where `sticky`.
///
/// accuracy   correctly rounded, subnormal results too; from half a unit above the largest finite
///            number on the result is infinite. An odd_double is rounded as that says, and finite
/// errors     none; `sticky` asks for a significand wider than the precision of `Real`
/// tested by  tests/platform/float_format_test.cpp
template <class Real>
MONOFOLD_HD_CALL Real round_to(bool negative, std::uint64_t significand, int exponent,
                               bool sticky) {
  using format = float_format<Real>;
  using bits = typename format::bits;
  constexpr bool to_odd = std::is_same_v<Real, odd_double>;
  const bits sign = negative ? format::sign_bit : bits{0};
  if (significand == 0) return float_from_bits<Real>(sign);
  const int lead = exponent + bit_width_of(significand) - 1;
  if (lead >= format::max_exponent) {
    // The last bit of the largest finite number is set.
    const bits largest = static_cast<bits>(format::infinity - (to_odd ? 1 : 0));
    return float_from_bits<Real>(static_cast<bits>(sign | largest));
  }
  int last = lead - format::fraction_bits;  // the exponent of the result's last bit
  if (last < format::least_exponent) last = format::least_exponent;
  const int drop = last - exponent;
  std::uint64_t kept = 0;
  bool up = to_odd && drop > 0;
  if (drop <= 0) {
    kept = significand << -drop;
  } else if (drop <= 64) {
    kept = drop < 64 ? significand >> drop : 0;
    const std::uint64_t half = std::uint64_t{1} << (drop - 1);
    const std::uint64_t rest = significand & (half | (half - 1));
    if constexpr (to_odd) {
      up = (rest != 0 || sticky) && (kept & 1) == 0;
    } else {
      up = rest > half || (rest == half && (sticky || (kept & 1) != 0));
    }
  }  // else less than half a unit is dropped, and nothing kept
  // The leading one of a normal number adds one to the exponent field, and so does a carry out of
  // the significand: the largest finite number rounds up to infinity.
  const auto field = static_cast<std::uint64_t>(last - format::least_exponent);
  const std::uint64_t encoded = (field << format::fraction_bits) + kept + (up ? 1 : 0);
  return float_from_bits<Real>(static_cast<bits>(sign | static_cast<bits>(encoded)));
}

namespace detail {

/// The number nearest to a float or double, by its bits; a NaN is the quiet one.
template <class Stored, class Real>
MONOFOLD_HD_CALL Stored nearest_to(Real value) {
  using format = float_format<Stored>;
  using known = std::conditional_t<std::is_same_v<Real, float>, float, double>;
  const float_parts own = parts_of(static_cast<known>(value));
  if (own.kind == number_kind::finite) {
    return round_to<Stored>(own.negative, own.significand, own.exponent, false);
  }
  const bool is_nan = own.kind == number_kind::nan;
  return Stored((own.negative ? format::sign_bit : 0) |
                (is_nan ? format::quiet_nan : format::infinity));
}

}  // namespace detail

namespace stored {

template <class Real>
requires std::is_floating_point_v<Real> MONOFOLD_HD_CALL float16::float16(Real value)
    : float16(detail::nearest_to<float16>(value)) {}
template <class Real>
requires std::is_floating_point_v<Real> MONOFOLD_HD_CALL bfloat16::bfloat16(Real value)
    : bfloat16(detail::nearest_to<bfloat16>(value)) {}

}  // namespace stored

}  // namespace monofold
