#pragma once
/// fold/exact/narrow: adds a block of float32, bfloat16 or float16 without error, in one level.

#include <cstdint>
#include <cstring>

#include "monofold/fold/exact/cascade.hpp"
#include "monofold/platform/float_format.hpp"
#include "monofold/platform/host_device.hpp"
#include "monofold/platform/numbers.hpp"

#if defined(__GNUC__) && !defined(__CUDA_ARCH__)

namespace monofold::detail {

/// How narrow items become floats: by a shift of their bits. That of a half gives a float whose
/// exponent counts from another bias, subnormal ones too: 2^-112 times the half, exactly.
template <class Item>
struct narrow_item {
  using bits = typename float_format<Item>::bits;
  static constexpr int shift =
      float_format<float>::fraction_bits - float_format<Item>::fraction_bits;
  static constexpr int scale = float_format<float>::top_exponent - float_format<Item>::top_exponent;
};

inline constexpr int narrow_lanes = 16;

typedef float four_floats __attribute__((vector_size(16), may_alias));
typedef std::uint32_t four_words __attribute__((vector_size(16), may_alias));
typedef std::uint16_t four_halves __attribute__((vector_size(8), may_alias));

/// Four neighbours times 2^-scale, as floats; their magnitudes where `clear_sign`.
template <class Item, bool clear_sign>
MONOFOLD_INLINE four_floats load_four(const Item* items) {
  constexpr std::uint32_t magnitude = 0x7fffffff;
  four_words words;
  if constexpr (sizeof(Item) == 4) {
    std::memcpy(&words, items, sizeof(words));
    if constexpr (clear_sign) words &= magnitude;
  } else {
    four_halves halves;
    std::memcpy(&halves, items, sizeof(halves));
    words = __builtin_convertvector(halves, four_words);
    if constexpr (clear_sign) words &= 0x7fff;
    constexpr int shift = narrow_item<Item>::shift;
    if constexpr (shift == 16) {
      words <<= 16;
    } else {
      words = (words & 0x8000) << 16 | (words & 0x7fff) << shift;
    }
  }
  return (four_floats)words;  // NOLINT: the bits
}

/// level[16] += items, `count` of them, a multiple of 16.
template <int bytes, bool clear_sign, class Item>
MONOFOLD_INLINE void deposit_narrow(const Item* items, int count, double (&level)[narrow_lanes]) {
  using real = typename lanes<bytes>::real;
  constexpr int doubles = lanes<bytes>::doubles;
  constexpr int vectors = narrow_lanes / doubles;
  real m[vectors];
  std::memcpy(m, level, sizeof(m));
  for (int i = 0; i < count; i += narrow_lanes) {
    MONOFOLD_UNROLL_8
    for (int q = 0; q < 4; ++q) {
      const four_floats x = load_four<Item, clear_sign>(items + i + 4 * q);
      if constexpr (doubles == 4) {
        m[q] += __builtin_convertvector(x, real);
      } else {
        m[2 * q] += real{static_cast<double>(x[0]), static_cast<double>(x[1])};
        m[2 * q + 1] += real{static_cast<double>(x[2]), static_cast<double>(x[3])};
      }
    }
  }
  std::memcpy(level, m, sizeof(m));
}

/// The bits of the largest and of the smallest |x| that is not zero.
template <class Item>
struct narrow_range {
  using bits = typename float_format<Item>::bits;
  bits most;
  bits least;  // all ones but the highest where all are zero
};

/// Of `count` items, a multiple of 32 / sizeof(Item).
///
/// Compared as signed integers, which every instruction set can: |x| plus the largest of them wraps
/// around to the smallest for 1 and stays the largest for 0, so that zeros are passed over.
template <int bytes, class Item>
MONOFOLD_INLINE narrow_range<Item> range_of(const Item* items, int count) {
  using word = typename float_format<Item>::bits;
  typedef word words __attribute__((vector_size(bytes), may_alias));
  typedef std::make_signed_t<word> wholes __attribute__((vector_size(bytes), may_alias));
  constexpr int lanes_of = bytes / static_cast<int>(sizeof(word));
  constexpr word largest = static_cast<word>(float_format<Item>::sign_bit - 1);
  wholes most = {};
  wholes least = (wholes)(words{} + largest);  // NOLINT: the bits, as below
  for (int i = 0; i < count; i += lanes_of) {
    words x;
    std::memcpy(&x, items + i, sizeof(x));
    x &= largest;
    const auto size = (wholes)x;
    const auto key = (wholes)(x + largest);
    most = most > size ? most : size;
    least = least < key ? least : key;
  }
  narrow_range<Item> out{0, largest};
  for (int l = 0; l < lanes_of; ++l) {
    const auto size = static_cast<word>(most[l]);
    const auto low = static_cast<word>(static_cast<word>(least[l]) - largest);
    if (size > out.most) out.most = size;
    if (low != 0 && low < out.least) out.least = low;
  }
  return out;
}

/// own += sum of `count` <= `cascade_block` items.
///
/// One level holds them all, without error, where its unit is no larger than the last bit of any:
/// float16 always, bfloat16 over 37 binades or more, float32 over 21 or more. That is decided from
/// the largest and the smallest magnitude; what does not fit goes through the levels of doubles.
///
/// order      exact: any
/// sync       the arithmetic must be that of IEEE 754 (platform/strict_arithmetic)
/// tested by  tests/exact/sum_test.cpp, tests/exact/environment_test.cpp
template <int bytes, bool clear_sign, class Item, class Number>
MONOFOLD_INLINE block_outcome add_narrow(Number& own, const Item* items, int count) {
  using format = float_format<Item>;
  constexpr int group = 32 / sizeof(Item) > narrow_lanes ? 32 / sizeof(Item) : narrow_lanes;
  static_assert(cascade_block % group == 0);
  const int body = count / group * group;
  Item tail[group];
  std::memset(tail, 0, sizeof(tail));
  std::memcpy(tail, items + body, static_cast<std::size_t>(count - body) * sizeof(Item));
  narrow_range<Item> range = range_of<bytes>(items, body);
  const narrow_range<Item> end = range_of<bytes>(tail, group);
  if (end.most > range.most) range.most = end.most;
  if (end.least < range.least) range.least = end.least;
  if (range.most == 0) return block_outcome::zeros;
  if (range.most >= format::infinity) return block_outcome::spills;

  const int field = range.most >> format::fraction_bits;
  const int low_field = range.least >> format::fraction_bits;
  const int top = format::least_exponent + format::precision + (field > 0 ? field - 1 : 0);
  const int last = format::least_exponent + (low_field > 0 ? low_field - 1 : 0);
  constexpr int scale = narrow_item<Item>::scale;
  const cascade_anchors anchors(top - scale, body / narrow_lanes + group / narrow_lanes);
  if (anchors.unit(0) + scale <= last) {
    double level[narrow_lanes];
    for (double& m : level) m = bits_as<double>(anchors.bits(0));
    deposit_narrow<bytes, clear_sign>(items, body, level);
    deposit_narrow<bytes, clear_sign>(tail, group, level);
    std::int64_t sum = 0;
    for (const double m : level) {
      sum += static_cast<std::int64_t>(bits_as<std::uint64_t>(m) - anchors.bits(0));
    }
    add_units(own, sum, anchors.unit(0) + scale);
    return block_outcome::added;
  }
  double wide[cascade_block];
  for (int i = 0; i < body + group; i += 4) {
    const Item* const from = i < body ? items + i : tail + (i - body);
    if (i >= count) break;
    const four_floats x = load_four<Item, clear_sign>(from);
    for (int l = 0; l < 4; ++l) wide[i + l] = static_cast<double>(x[l]);
  }
  return add_doubles<bytes>(own, wide, count, scale);
}

}  // namespace monofold::detail

#endif
