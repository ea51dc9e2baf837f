#pragma once
/// fold/order_key: numbers as signed integers in the same order, so that one comparison decides.

#include <cstdint>
#include <limits>
#include <type_traits>

#include "monofold/platform/bits.hpp"
#include "monofold/platform/host_device.hpp"
#include "monofold/platform/numbers.hpp"

namespace monofold {

/// The integers themselves; bool as 0 and 1.
template <class Item>
struct order_key {
  using type = std::conditional_t<std::is_same_v<Item, bool>, std::uint8_t, Item>;
  static constexpr bool has_nan = false;

  MONOFOLD_HD static type nan_low(Item item) { return item; }
  MONOFOLD_HD static type nan_high(Item item) { return item; }
  MONOFOLD_HD static Item from_nan_low(type key) { return static_cast<Item>(key); }
  MONOFOLD_HD static Item from_nan_high(type key) { return static_cast<Item>(key); }
  MONOFOLD_HD static bool is_nan_low(type) { return false; }
  MONOFOLD_HD static bool is_nan_high(type) { return false; }
};

/// Floats: the bit pattern of a negative number has its magnitude flipped, which makes the patterns
/// ascend as signed integers: -NaN < -inf < ... < -0 < +0 < ... < +inf < +NaN.
///
/// Adding the number of NaN patterns (2^mantissa_bits - 1), modulo 2^w, wraps the positive NaN
/// around to the bottom, next to the negative ones: `nan_low` keys have every NaN below -inf.
/// Subtracting it wraps the negative ones to the top: `nan_high` keys have every NaN above +inf.
/// Both are still one-to-one, and the numbers keep their order.
template <class Item, class Bits, int mantissa_bits>
struct float_order_key {
  using type = std::make_signed_t<Bits>;
  static constexpr bool has_nan = true;
  static constexpr Bits low_bits = std::numeric_limits<type>::max();  // all but the sign
  static constexpr Bits nan_patterns = static_cast<Bits>((Bits{1} << mantissa_bits) - 1);
  static constexpr Bits infinity = static_cast<Bits>(low_bits ^ nan_patterns);

  MONOFOLD_HD static Bits flip(Bits bits) {
    const Bits negative = static_cast<Bits>(static_cast<type>(bits) < 0 ? low_bits : Bits{0});
    return static_cast<Bits>(bits ^ negative);
  }
  MONOFOLD_HD static type nan_low(Item item) {
    return static_cast<type>(static_cast<Bits>(flip(bits_as<Bits>(item)) + nan_patterns));
  }
  MONOFOLD_HD static type nan_high(Item item) {
    return static_cast<type>(static_cast<Bits>(flip(bits_as<Bits>(item)) - nan_patterns));
  }
  MONOFOLD_HD static Item from_nan_low(type key) {
    return value(static_cast<Bits>(static_cast<Bits>(key) - nan_patterns));
  }
  MONOFOLD_HD static Item from_nan_high(type key) {
    return value(static_cast<Bits>(static_cast<Bits>(key) + nan_patterns));
  }
  /// True where a `nan_low` key stands for a NaN: it lies below that of -inf.
  MONOFOLD_HD static bool is_nan_low(type key) {
    return key <
           static_cast<type>(static_cast<Bits>(
               flip(static_cast<Bits>(infinity | static_cast<Bits>(~low_bits))) + nan_patterns));
  }
  MONOFOLD_HD static bool is_nan_high(type key) {
    return key > static_cast<type>(static_cast<Bits>(infinity - nan_patterns));
  }

 private:
  /// The number with this flipped pattern; every NaN becomes the one positive quiet NaN.
  MONOFOLD_HD static Item value(Bits flipped) {
    const Bits bits = flip(flipped);
    const bool nan = static_cast<Bits>(bits & low_bits) > infinity;
    const Bits quiet = static_cast<Bits>(infinity | (Bits{1} << (mantissa_bits - 1)));
    return bits_as<Item>(nan ? quiet : bits);
  }
};

template <>
struct order_key<float> : float_order_key<float, std::uint32_t, 23> {};
template <>
struct order_key<double> : float_order_key<double, std::uint64_t, 52> {};
template <>
struct order_key<float16> : float_order_key<float16, std::uint16_t, 10> {};
template <>
struct order_key<bfloat16> : float_order_key<bfloat16, std::uint16_t, 7> {};

}  // namespace monofold
