#pragma once
/// fold/exact/narrow: loads float32, bfloat16 and float16 as floats and doubles, without error.

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
    // NOLINTBEGIN: the bits
#if defined(__clang__)
    words[0] = (four_words)__builtin_shufflevector(zeros, halves, 0, 8, 1, 9, 2, 10, 3, 11);
    words[1] = (four_words)__builtin_shufflevector(zeros, halves, 4, 12, 5, 13, 6, 14, 7, 15);
#else
    const eight_halves low = {0, 8, 1, 9, 2, 10, 3, 11};
    const eight_halves high = {4, 12, 5, 13, 6, 14, 7, 15};
    words[0] = (four_words)__builtin_shuffle(zeros, halves, low);
    words[1] = (four_words)__builtin_shuffle(zeros, halves, high);
#endif
    // NOLINTEND
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

}  // namespace monofold::detail

#endif
