#pragma once
/// tests/runtime/hard_items: sequences of every element type that break careless reductions.

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <span>
#include <type_traits>
#include <vector>

#include "monofold/plan/tiles.hpp"
#include "monofold/platform/numbers.hpp"
#include "tests/inputs/random.hpp"

namespace hard_items {

namespace mf = monofold;

/// The bit patterns of a floating-point type.
template <class Item>
struct float_format;
template <>
struct float_format<mf::float16> {
  using bits = std::uint16_t;
  static constexpr int mantissa_bits = 10;
};
template <>
struct float_format<mf::bfloat16> {
  using bits = std::uint16_t;
  static constexpr int mantissa_bits = 7;
};
template <>
struct float_format<float> {
  using bits = std::uint32_t;
  static constexpr int mantissa_bits = 23;
};
template <>
struct float_format<double> {
  using bits = std::uint64_t;
  static constexpr int mantissa_bits = 52;
};

template <class Item>
struct float_bits : float_format<Item> {
  using bits = typename float_format<Item>::bits;
  static constexpr bits sign = static_cast<bits>(bits{1} << (8 * sizeof(bits) - 1));
  static constexpr bits fraction =
      static_cast<bits>((bits{1} << float_format<Item>::mantissa_bits) - 1);
  static constexpr bits infinity = static_cast<bits>(~(sign | fraction));

  static Item of(std::uint64_t pattern) { return std::bit_cast<Item>(static_cast<bits>(pattern)); }
  static bool is_nan(Item item) {
    return (std::bit_cast<bits>(item) & static_cast<bits>(~sign)) > infinity;
  }
  /// Quiet and signalling, of both signs, with any payload.
  static Item nan(std::uint64_t seed) {
    const auto payload = static_cast<bits>((inputs::mixed(seed) & fraction) | 1);
    return of(static_cast<bits>(infinity | payload | (seed % 2 != 0 ? sign : 0)));
  }
  static Item finite(std::uint64_t seed) {
    const auto pattern = static_cast<bits>(inputs::mixed(seed));
    const bool special = (pattern & infinity) == infinity;
    return of(special ? static_cast<bits>(pattern & (sign | fraction)) : pattern);
  }
  /// The number, cut off to this format (infinite where it is too large).
  static Item from(double x) {
    if constexpr (std::is_floating_point_v<Item>) {
      return static_cast<Item>(x);
    } else if constexpr (std::is_same_v<Item, mf::bfloat16>) {
      return of(std::bit_cast<std::uint32_t>(static_cast<float>(x)) >> 16);
    } else {
      const std::uint64_t minus = std::signbit(x) ? sign : 0;
      const double magnitude = std::fabs(x);
      if (magnitude >= 65536) return of(minus | infinity);
      if (magnitude < 0x1p-14) return of(minus | static_cast<std::uint64_t>(magnitude * 0x1p24));
      const int exponent = std::ilogb(magnitude);
      const auto digits = static_cast<std::uint64_t>(std::ldexp(magnitude, 10 - exponent));
      return of(minus | ((static_cast<std::uint64_t>(exponent + 14) << 10) + digits));
    }
  }
};

template <class Item>
bool has_nan_bits(Item item) {
  if constexpr (mf::is_floating_v<Item>) return float_bits<Item>::is_nan(item);
  return false;
}

enum class pattern {
  ordinary,  // numbers around 1; integers over their whole range
  wide,      // any finite number; integers from -3 to 3
  ascending,
  descending,
  ties,  // few different values
  equal,
  zero,            // floats: zeros of both signs
  lowest,          // floats: only -0
  highest,         // floats: the largest finite ones, both signs
  lowest_highest,  // floats: zeros of both signs among positive numbers
  last_differs,    // zero, but for the last; floats: zeros of both signs among negative numbers
  last_is_zero,    // one, but for the last
  // floats only
  offset,           // a large constant and a little noise
  offset_in_tiles,  // so in every other tile
  subnormal,
  plus_infinity,
  minus_infinity,
  both_infinities,
  nan_first,
  nan_last,
  nan_inside,
  only_nan,
  nan_and_infinities,
};
inline constexpr int num_patterns = static_cast<int>(pattern::nan_and_infinities) + 1;
inline constexpr int num_integer_patterns = static_cast<int>(pattern::last_is_zero) + 1;

template <class Item>
Item float_at(pattern kind, std::int64_t i, std::int64_t n, std::uint64_t seed) {
  using bits = float_bits<Item>;
  const std::uint64_t own = seed * 1000003 + static_cast<std::uint64_t>(i);
  const double unit = inputs::unit_double(own);
  const Item ordinary = bits::from(4 * unit);
  const auto zero = [&] { return bits::of(inputs::mixed(own) % 2 != 0 ? bits::sign : 0); };
  const bool one_in_ten = inputs::mixed(own ^ 0x77) % 10 == 0;
  const auto infinite = [&](std::uint64_t minus) { return bits::of(bits::infinity | minus); };
  switch (kind) {
    case pattern::ordinary: return ordinary;
    case pattern::wide: return bits::finite(own);
    case pattern::ascending: return bits::from(0.125 * static_cast<double>(i - n / 2));
    case pattern::descending: return bits::from(0.125 * static_cast<double>(n / 2 - i));
    case pattern::ties: return bits::from(std::floor(4 * unit));
    case pattern::equal: return bits::from(1.7);
    case pattern::zero: return zero();
    case pattern::lowest: return bits::of(bits::sign);
    case pattern::highest: return bits::of((bits::infinity - 1U) | (own % 3 == 0 ? bits::sign : 0));
    case pattern::lowest_highest: return one_in_ten ? zero() : bits::from(std::fabs(unit) + 1);
    case pattern::last_differs: return one_in_ten ? zero() : bits::from(-std::fabs(unit) - 1);
    case pattern::last_is_zero: return bits::from(i == n - 1 ? 0 : 1);
    case pattern::offset: return bits::from(1000 + unit);
    case pattern::offset_in_tiles:
      return i / mf::tile_items_v<Item> % 2 == 0 ? bits::from(1000 + unit) : ordinary;
    case pattern::subnormal: return bits::of(inputs::mixed(own) & (bits::fraction | bits::sign));
    case pattern::plus_infinity: return i == n / 3 ? infinite(0) : ordinary;
    case pattern::minus_infinity: return i == n / 3 ? infinite(bits::sign) : ordinary;
    case pattern::both_infinities:
      return one_in_ten ? infinite(inputs::mixed(own) % 2 != 0 ? bits::sign : 0) : ordinary;
    case pattern::nan_first: return i == 0 ? bits::nan(own) : ordinary;
    case pattern::nan_last: return i == n - 1 ? bits::nan(own) : ordinary;
    case pattern::nan_inside: return one_in_ten ? bits::nan(own) : ordinary;
    case pattern::only_nan: return bits::nan(own);
    case pattern::nan_and_infinities: break;
  }
  return inputs::mixed(own) % 3 == 0 ? bits::nan(own)
                                     : infinite(inputs::mixed(own) % 2 != 0 ? bits::sign : 0);
}

template <class Item>
Item integer_at(pattern kind, std::int64_t i, std::int64_t n, std::uint64_t seed) {
  using limits = std::numeric_limits<Item>;
  const std::uint64_t random = inputs::mixed(seed * 1000003 + static_cast<std::uint64_t>(i));
  const auto lowest = limits::min();
  const auto highest = limits::max();
  switch (kind) {
    case pattern::wide: return static_cast<Item>(static_cast<std::int64_t>(random % 7) - 3);
    case pattern::ascending: return static_cast<Item>(i - n / 2);
    case pattern::descending: return static_cast<Item>(n / 2 - i);
    case pattern::ties: return static_cast<Item>(random % 3 + 1);
    case pattern::equal: return static_cast<Item>(99);
    case pattern::zero: return Item{0};
    case pattern::lowest: return lowest;
    case pattern::highest: return highest;
    case pattern::lowest_highest: return i % 2 == 0 ? lowest : highest;
    case pattern::last_differs: return static_cast<Item>(i == n - 1 ? 1 : 0);
    case pattern::last_is_zero: return static_cast<Item>(i == n - 1 ? 0 : 1);
    default: break;
  }
  return static_cast<Item>(std::is_same_v<Item, bool> ? random % 2 : random);
}

/// `n` items with room for shifting them: `at(offset)` is a copy `offset` items further.
template <class Item>
class sequence {
 public:
  static constexpr std::int64_t max_offset = 8;

  sequence(pattern kind, std::int64_t n, std::uint64_t seed = 1)
      : n_(n), items_(new Item[static_cast<std::size_t>(2 * (n + max_offset))]) {
    for (std::int64_t i = 0; i < n; ++i) {
      if constexpr (mf::is_floating_v<Item>) {
        items_[static_cast<std::size_t>(i)] = float_at<Item>(kind, i, n, seed);
      } else {
        items_[static_cast<std::size_t>(i)] = integer_at<Item>(kind, i, n, seed);
      }
    }
  }

  std::span<const Item> items() const { return {items_.get(), static_cast<std::size_t>(n_)}; }
  const Item* at(std::int64_t offset) {
    if (offset == 0) return items_.get();
    Item* const copy = items_.get() + n_ + offset;
    std::memcpy(copy, items_.get(), static_cast<std::size_t>(n_) * sizeof(Item));
    return copy;
  }
  /// The items, each at the place of the one before it, the first one last.
  const Item* rotated() {
    if (rotated_ == nullptr) {
      rotated_.reset(new Item[static_cast<std::size_t>(n_ + 1)]);
      std::rotate_copy(items_.get(), items_.get() + std::min<std::int64_t>(1, n_),
                       items_.get() + n_, rotated_.get());
    }
    return rotated_.get();
  }
  std::int64_t first_nan() const {
    for (std::int64_t i = 0; i < n_; ++i) {
      if (has_nan_bits(items_[static_cast<std::size_t>(i)])) return i;
    }
    return -1;
  }
  std::int64_t first_nan_product() {
    for (std::int64_t i = 0; i < n_; ++i) {
      const auto left = static_cast<double>(items_[static_cast<std::size_t>(i)]);
      if (std::isnan(left * static_cast<double>(rotated()[i]))) return i;
    }
    return -1;
  }

 private:
  std::int64_t n_;
  std::unique_ptr<Item[]> items_;
  std::unique_ptr<Item[]> rotated_;
};

/// Some nodes of 64 tiles.
template <class Item>
constexpr std::int64_t largest_size = std::min<std::int64_t>(200 * mf::tile_items_v<Item> + 17,
                                                             300000);

/// The sizes at which something begins or ends: a row, a vector, a tile, a node.
template <class Item>
std::vector<std::int64_t> sizes() {
  constexpr std::int64_t tile = mf::tile_items_v<Item>;
  return {0,
          1,
          2,
          31,
          32,
          33,
          64,
          255,
          257,
          tile - 1,
          tile,
          tile + 1,
          3 * tile + 100,
          64 * tile - 1,
          64 * tile,
          64 * tile + 1,
          largest_size<Item>};
}

/// Every pattern up to some tiles; of larger arrays, those in which neighbours of a tile matter.
template <class Item>
bool is_worth_it(pattern kind, std::int64_t n) {
  if (n <= mf::tile_items_v<Item> + 1) return true;
  const bool telling = kind == pattern::ordinary || kind == pattern::offset_in_tiles ||
                       kind == pattern::nan_last || kind == pattern::ties ||
                       kind == pattern::lowest_highest;
  if (n <= 4 * mf::tile_items_v<Item>) return telling || kind >= pattern::offset;
  if (n == largest_size<Item>)
    return telling || kind == pattern::nan_inside || kind == pattern::highest;
  return kind == pattern::ordinary || kind == pattern::nan_last;
}

}  // namespace hard_items
