#pragma once
/// fold/exact/narrow: adds a block of float32, bfloat16 or float16 without error, in one level.

#include <cstdint>
#include <cstring>

#include "monofold/fold/exact/cascade.hpp"
#include "monofold/platform/float_format.hpp"
#include "monofold/platform/host_device.hpp"
#include "monofold/platform/numbers.hpp"

#if defined(__GNUC__) && !defined(__CUDA_ARCH__)

// Eight elements of two vectors; gcc before 12 has a builtin of another name.
#if defined(__clang__) || __GNUC__ >= 12
#define MONOFOLD_PICK_8(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
#define MONOFOLD_PICK_8(a, b, ...) \
  __builtin_shuffle(a, b, monofold::detail::eight_halves{__VA_ARGS__})
#endif

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

typedef double four_doubles __attribute__((vector_size(32), may_alias));
typedef float four_floats __attribute__((vector_size(16), may_alias));
typedef std::uint32_t four_words __attribute__((vector_size(16), may_alias));
typedef std::int32_t four_wholes __attribute__((vector_size(16), may_alias));
typedef std::uint16_t eight_halves __attribute__((vector_size(16), may_alias));

/// Eight neighbours times 2^-scale, as floats; their magnitudes where `clear_sign`.
template <class Item, bool clear_sign>
MONOFOLD_INLINE void load_floats(const Item* items, four_floats (&out)[2]) {
  four_words words[2];
  if constexpr (sizeof(Item) == 4) {
    std::memcpy(words, items, sizeof(words));
    if constexpr (clear_sign) {
      for (four_words& w : words) w &= 0x7fffffff;
    }
  } else {
    eight_halves halves;
    std::memcpy(&halves, items, sizeof(halves));
    if constexpr (clear_sign) halves &= 0x7fff;
    // Halves become the upper halves of words. From there the exponent of a float16 moves down
    // three places, its sign stays.
    const eight_halves zeros = {};
    words[0] = (four_words)MONOFOLD_PICK_8(zeros, halves, 0, 8, 1, 9, 2, 10, 3, 11);    // NOLINT
    words[1] = (four_words)MONOFOLD_PICK_8(zeros, halves, 4, 12, 5, 13, 6, 14, 7, 15);  // NOLINT
    if constexpr (narrow_item<Item>::shift != 16) {
      for (four_words& w : words) {
        w = (four_words)((four_wholes)w >> 3) & 0x8fffe000;  // NOLINT: the bits
      }
    }
  }
  for (int h = 0; h < 2; ++h) out[h] = (four_floats)words[h];  // NOLINT: the bits
}

/// Eight floats as doubles. As vectors: gcc 12 makes of lane by lane one conversion each.
MONOFOLD_INLINE void store_doubles(const four_floats (&x)[2], double* out) {
  for (int h = 0; h < 2; ++h) {
    const four_doubles wide = __builtin_convertvector(x[h], four_doubles);
    std::memcpy(out + 4 * h, &wide, sizeof(wide));
  }
}

/// level[16] += items, `count` of them, a multiple of 16.
template <int bytes, bool clear_sign, class Item>
MONOFOLD_INLINE void deposit_narrow(const Item* items, int count, double (&level)[narrow_lanes]) {
  MONOFOLD_AS_WRITTEN
  using real = typename lanes<bytes>::real;
  constexpr int doubles = lanes<bytes>::doubles;
  constexpr int vectors = narrow_lanes / doubles;
  real m[vectors];
  std::memcpy(m, level, sizeof(m));
  for (int i = 0; i < count; i += narrow_lanes) {
    prefetch_next_block(items + i);
    MONOFOLD_UNROLL_8
    for (int h = 0; h < 2; ++h) {
      four_floats x[2];
      load_floats<Item, clear_sign>(items + i + 8 * h, x);
      double wide[8];
      store_doubles(x, wide);
      real w[8 / doubles];
      std::memcpy(w, wide, sizeof(w));
      for (int v = 0; v < 8 / doubles; ++v) m[h * (8 / doubles) + v] += w[v];
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
/// tested by  tests/exact/run_test.cpp, tests/exact/environment_test.cpp
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
  for (int i = 0; i < count; i += 8) {
    four_floats x[2];
    load_floats<Item, clear_sign>(i < body ? items + i : tail + (i - body), x);
    store_doubles(x, wide + i);
  }
  const padded_block block(wide, count);
  if (add_by_levels<bytes, 2>(own, block, top - scale, scale)) return block_outcome::added;
  if (add_by_levels<bytes, 4>(own, block, top - scale, scale)) return block_outcome::added;
  // Seven levels hold every float32.
  return add_by_levels<bytes, 7>(own, block, top - scale, scale) ? block_outcome::added
                                                                 : block_outcome::spills;
}

}  // namespace monofold::detail

#endif
