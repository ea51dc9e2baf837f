#pragma once
/// engine/gpu/exact/term_format: how items in a thread's registers become the doubles that are added to exact sums.

#include <cstdint>
#include <type_traits>

#include "monofold/engine/gpu/exact/warp_digits.cuh"
#include "monofold/engine/gpu/load.cuh"
#include "monofold/fold/exact/moments.hpp"
#include "monofold/fold/exact/term.hpp"
#include "monofold/platform/bits.hpp"
#include "monofold/platform/float_format.hpp"
#include "monofold/platform/host_device.hpp"
#include "monofold/platform/numbers.hpp"
#include "monofold/platform/rounded.hpp"

namespace monofold::detail {

MONOFOLD_GPU std::uint32_t larger(std::uint32_t a, std::uint32_t b) { return a > b ? a : b; }

MONOFOLD_GPU std::uint32_t smaller(std::uint32_t a, std::uint32_t b) { return a < b ? a : b; }

/// The larger halves of two words, upper and lower ones apart.
MONOFOLD_GPU std::uint32_t larger_halves(std::uint32_t a, std::uint32_t b) {
#if defined(__CUDA_ARCH__)
  return __vmaxu2(a, b);
#else
  return larger(a & 0xffff0000u, b & 0xffff0000u) | larger(a & 0xffffu, b & 0xffffu);
#endif
}

/// The smaller halves of two words as signed numbers, upper and lower ones apart.
MONOFOLD_GPU std::uint32_t smaller_signed_halves(std::uint32_t a, std::uint32_t b) {
#if defined(__CUDA_ARCH__)
  return __vmins2(a, b);
#else
  const auto less = [](std::uint32_t x, std::uint32_t y) {
    return static_cast<std::int16_t>(x) < static_cast<std::int16_t>(y) ? x & 0xffffu : y & 0xffffu;
  };
  return less(a >> 16, b >> 16) << 16 | less(a, b);
#endif
}

MONOFOLD_GPU double double_of_words(std::uint32_t high, std::uint32_t low) {
  return bits_as<double>(std::uint64_t{high} << 32 | low);
}
MONOFOLD_GPU std::uint32_t high_word(double x) {
  return static_cast<std::uint32_t>(bits_as<std::uint64_t>(x) >> 32);
}
MONOFOLD_GPU std::uint32_t low_word(double x) {
  return static_cast<std::uint32_t>(bits_as<std::uint64_t>(x));
}
/// 0 if x is 0 or -0, another number if not.
MONOFOLD_GPU std::uint32_t bits_but_sign(double x) { return (high_word(x) << 1) | low_word(x); }

/// Sixteen bytes of items.
///
/// shape      get(c, v): item v times 2^-scale. key(most): of the largest magnitude among the chunks
///            that `look` saw, monotonic; max_exponent_of(key): some t with all |x| < 2^t, of the doubles,
///            and limit_of(t): the least key of what may not be below 2^t. Items that are no finite
///            numbers have keys from `infinite` on. look_low: what tells, by is_below, whether an item has an
///            exponent field below that of `low_limit`; zeros are passed over where that is cheap. The last
///            bit of items of field f >= 1 is worth 2^(f - last_bias), as doubles. shows_minus_zero: whether there
///            may be -0, from what look_low and look_signs have kept
template <class Item>
struct thread_items;

/// What the formats of two bytes share. An item's bits, shifted into the high word of a double, give one
/// whose exponent counts from another bias, subnormal items too: a power of two times the item, a
/// subnormal double perhaps. No conversion is so fast.
template <class Item>
struct half_items {
  using format = float_format<Item>;
  static constexpr int count = 8;
  static constexpr int scale = float_format<double>::max_exponent - format::max_exponent;
  static constexpr std::uint32_t signs = 0x80008000u;
  static constexpr std::uint32_t infinite = format::infinity;

  MONOFOLD_GPU static double get(const bytes16& c, int v) {
    constexpr int shift = 16 - (20 - format::fraction_bits);
    constexpr std::uint32_t kept =
        ((0x7fff0000u >> shift) & ~((1u << (16 - shift)) - 1)) | 0x80000000u;
    const std::uint32_t word = c.word[v / 2];
    const auto up = static_cast<std::int32_t>(v % 2 == 0 ? word << 16 : word);
    return double_of_words(static_cast<std::uint32_t>(up >> shift) & kept, 0);
  }
  MONOFOLD_GPU static Item item(const bytes16& c, int v) {
    return Item(static_cast<std::uint16_t>(c.word[v / 2] >> (v % 2 * 16)));
  }
  MONOFOLD_GPU static std::uint32_t look(std::uint32_t most, const bytes16& c) {
    MONOFOLD_UNROLL
    for (int w = 0; w < 4; ++w) most = larger_halves(most, c.word[w] & ~signs);
    return most;
  }
  static constexpr int last_bias = 1023 + format::fraction_bits;
  static constexpr std::uint32_t no_low = 0x7fff7fffu;
  // |x| + 0x7fff, a signed number: the largest for 0, from the smallest one on for others.
  MONOFOLD_GPU static std::uint32_t look_low(std::uint32_t low, const bytes16& c) {
    MONOFOLD_UNROLL
    for (int w = 0; w < 4; ++w)
      low = smaller_signed_halves(low, (c.word[w] & ~signs) + 0x7fff7fffu);
    return low;
  }
  MONOFOLD_GPU static std::uint32_t look_signs(std::uint32_t lowest, const bytes16& c) {
    MONOFOLD_UNROLL
    for (int w = 0; w < 4; ++w) lowest = smaller_signed_halves(lowest, c.word[w]);
    return lowest;
  }
  MONOFOLD_GPU static bool shows_minus_zero(std::uint32_t, std::uint32_t lowest) {
    return lowest >> 16 == 0x8000u || (lowest & 0xffffu) == 0x8000u;
  }
  MONOFOLD_GPU static std::uint32_t low_limit(int field) {
    return field <= 1 ? 0 : static_cast<std::uint32_t>(field) << format::fraction_bits;
  }
  MONOFOLD_GPU static std::uint32_t low_key(std::uint32_t low) {
    const auto one = static_cast<std::int16_t>(low);
    const auto other = static_cast<std::int16_t>(low >> 16);
    return static_cast<std::uint32_t>((one < other ? one : other) + 0x8001);
  }
  MONOFOLD_GPU static bool is_below(std::uint32_t low, std::uint32_t limit) {
    return low_key(low) < limit;
  }
  MONOFOLD_GPU static std::uint32_t key(std::uint32_t most) {
    return larger(most >> 16, most & 0xffffu);
  }
  MONOFOLD_GPU static int max_exponent_of(std::uint32_t key) {
    return static_cast<int>(key >> format::fraction_bits) - 1022;
  }
  MONOFOLD_GPU static std::uint32_t limit_of(int max_exponent) {
    const int limit = (max_exponent + 1023) << format::fraction_bits;
    return limit < static_cast<int>(infinite) ? static_cast<std::uint32_t>(limit) : infinite;
  }
};
template <>
struct thread_items<float16> : half_items<float16> {};
template <>
struct thread_items<bfloat16> : half_items<bfloat16> {};

template <>
struct thread_items<float> {
  static constexpr int count = 4;
  static constexpr int scale = 0;
  static constexpr std::uint32_t signs = 0x80000000u;
  static constexpr std::uint32_t infinite = float_format<float>::infinity;

  MONOFOLD_GPU static double get(const bytes16& c, int v) { return as_double(item(c, v)); }
  MONOFOLD_GPU static float item(const bytes16& c, int v) { return bits_as<float>(c.word[v]); }
  // One bit up, the sign last: 2 |x|, of negative ones 1 more.
  MONOFOLD_GPU static std::uint32_t turned(std::uint32_t word) { return word << 1 | word >> 31; }
  MONOFOLD_GPU static std::uint32_t look(std::uint32_t most, const bytes16& c) {
    MONOFOLD_UNROLL
    for (int w = 0; w < 4; ++w) most = larger(most, turned(c.word[w]));
    return most;
  }
  static constexpr int last_bias = 127 + 23;
  static constexpr std::uint32_t no_low = ~std::uint32_t{0};
  // Less 1: the largest for +0, the smallest for -0.
  MONOFOLD_GPU static std::uint32_t look_low(std::uint32_t low, const bytes16& c) {
    MONOFOLD_UNROLL
    for (int w = 0; w < 4; ++w) low = smaller(low, turned(c.word[w]) - 1);
    return low;
  }
  MONOFOLD_GPU static std::uint32_t look_signs(std::uint32_t lowest, const bytes16&) {
    return lowest;
  }
  MONOFOLD_GPU static bool shows_minus_zero(std::uint32_t low, std::uint32_t) { return low == 0; }
  MONOFOLD_GPU static std::uint32_t low_limit(int field) {
    return field <= 1 ? 0 : (static_cast<std::uint32_t>(field) << 24) - 1;
  }
  MONOFOLD_GPU static std::uint32_t low_key(std::uint32_t low) { return low; }
  MONOFOLD_GPU static bool is_below(std::uint32_t low, std::uint32_t limit) { return low < limit; }
  MONOFOLD_GPU static std::uint32_t key(std::uint32_t most) { return most >> 1; }
  MONOFOLD_GPU static int max_exponent_of(std::uint32_t key) {
    return static_cast<int>(key >> 23) - 126;
  }
  MONOFOLD_GPU static std::uint32_t limit_of(int max_exponent) {
    return max_exponent + 127 < 255 ? static_cast<std::uint32_t>(max_exponent + 127) << 23
                                    : infinite;
  }
};

template <>
struct thread_items<double> {
  static constexpr int count = 2;
  static constexpr int scale = 0;
  static constexpr std::uint32_t signs = 0x80000000u;  // of high words
  static constexpr std::uint32_t infinite = 0x7ff00000u;

  MONOFOLD_GPU static double get(const bytes16& c, int v) {
    return double_of_words(c.word[2 * v + 1], c.word[2 * v]);
  }
  MONOFOLD_GPU static double item(const bytes16& c, int v) { return get(c, v); }
  MONOFOLD_GPU static std::uint32_t look(std::uint32_t most, const bytes16& c) {
    return larger(larger(most, c.word[1] & ~signs), c.word[3] & ~signs);
  }
  static constexpr int last_bias = 1023 + 52;
  static constexpr std::uint32_t no_low = ~std::uint32_t{0};
  // By high words: zeros are below every limit.
  MONOFOLD_GPU static std::uint32_t look_low(std::uint32_t low, const bytes16& c) {
    return smaller(smaller(low, c.word[1] & ~signs), c.word[3] & ~signs);
  }
  MONOFOLD_GPU static std::uint32_t look_signs(std::uint32_t lowest, const bytes16&) {
    return lowest;
  }
  MONOFOLD_GPU static bool shows_minus_zero(std::uint32_t low, std::uint32_t) { return low == 0; }
  MONOFOLD_GPU static std::uint32_t low_limit(int field) {
    return static_cast<std::uint32_t>(field <= 1 ? 1 : field) << 20;
  }
  MONOFOLD_GPU static bool is_below(std::uint32_t low, std::uint32_t limit) { return low < limit; }
  MONOFOLD_GPU static std::uint32_t key(std::uint32_t most) { return most; }
  MONOFOLD_GPU static int max_exponent_of(std::uint32_t key) {
    return static_cast<int>(key >> 20) - 1022;
  }
  MONOFOLD_GPU static std::uint32_t limit_of(int max_exponent) {
    return max_exponent + 1023 < 2047 ? static_cast<std::uint32_t>(max_exponent + 1023) << 20
                                      : infinite;
  }
};

/// x times 2^scale, exactly: subnormal doubles too become what they stand for.
template <int scale>
MONOFOLD_GPU double scaled(double x) {
  if constexpr (scale == 0) return x;
  return rounded_product(x, bits_as<double>(std::uint64_t{scale + 1023} << 52));
}

/// Item v itself, not scaled.
template <class Item>
MONOFOLD_GPU double value_of_item(const bytes16& c, int v) {
  return scaled<thread_items<Item>::scale>(thread_items<Item>::get(c, v));
}

/// Clears the signs of items.
template <class Item>
MONOFOLD_GPU bytes16 without_signs(bytes16 c) {
  MONOFOLD_UNROLL
  for (int w = 0; w < 4; ++w) {
    if (sizeof(Item) < 8 || w % 2 == 1) c.word[w] &= ~thread_items<Item>::signs;
  }
  return c;
}

/// Sixteen bytes of items that are -0, which changes no sum.
template <class Item>
MONOFOLD_GPU bytes16 minus_zeros() {
  bytes16 c;
  MONOFOLD_UNROLL
  for (int w = 0; w < 4; ++w) {
    c.word[w] = sizeof(Item) < 8 || w % 2 == 1 ? thread_items<Item>::signs : 0u;
  }
  return c;
}

/// How many items are -0.
template <class Item>
MONOFOLD_GPU int count_minus_zeros(const bytes16& c) {
  const bytes16 zeros = minus_zeros<Item>();
  int count = 0;
  MONOFOLD_UNROLL
  for (int w = 0; w < 4; ++w) {
    const std::uint32_t from = c.word[w] ^ zeros.word[w];
    if constexpr (sizeof(Item) == 2) {
      count += ((from & 0xffffu) == 0 ? 1 : 0) + (from >> 16 == 0 ? 1 : 0);
    } else if constexpr (sizeof(Item) == 4) {
      count += from == 0 ? 1 : 0;
    } else if (w % 2 == 1) {
      count += (from | c.word[w - 1]) == 0 ? 1 : 0;
    }
  }
  return count;
}

/// Where the terms of items come from and how they become doubles.
///
/// | member | meaning |
/// |---|---|
/// | `chunk`, `chunk_items` | what a lane takes of a row, and how many items that are |
/// | `range` | where chunks come from |
/// | `is_compact_ragged` | the code that loads a ragged row is short enough to stand in the narrow way, too |
/// | `parts`, `split` | doubles an item; part p times 2^part_scale(p) goes to sum part_sum(p) of `layout` |
/// | `part_max_exponent(t, p)` | part p of items below 2^t is at most 2 to this |
/// | `outside` | items that change no sum, +0 |
/// | `counts_zeros` | some terms may be -0: `minus_zeros_in` says how many |
template <class Term>
struct term_format;

/// Chunks of 16 bytes of an array.
template <class Item>
struct array_chunks {
  using item = Item;
  using items = thread_items<Item>;
  using chunk = bytes16;
  using range = aligned_range<Item>;
  static constexpr int chunk_items = items::count;
  static constexpr bool is_compact_ragged = true;

  MONOFOLD_GPU static bytes16 outside() { return bytes16{}; }
  MONOFOLD_GPU static int minus_zeros_in(const bytes16& c) { return count_minus_zeros<Item>(c); }
  MONOFOLD_GPU static Item item_of(const bytes16& c, int v) { return items::item(c, v); }
  MONOFOLD_GPU static void clear_item(bytes16& c, int v) {
    set_item(c, v, items::item(outside(), v));
  }
};

/// The terms of sums: items, or their magnitudes.
template <class Term, bool clear_sign>
struct value_format : array_chunks<typename Term::item> {
  using Item = typename Term::item;
  using items = thread_items<Item>;
  using layout = digits_layout<typename Term::number>;
  using state = exact_state<typename Term::number>;
  static constexpr int parts = 1;
  static constexpr bool counts_zeros = !clear_sign;

  MONOFOLD_GPU static constexpr int part_sum(int) { return 0; }
  MONOFOLD_GPU static constexpr int part_scale(int) { return items::scale; }
  MONOFOLD_GPU static constexpr int part_max_exponent(int max_exponent, int) {
    return max_exponent;
  }
  MONOFOLD_GPU static void split(const bytes16& c, int v, double (&x)[parts]) {
    x[0] = items::get(clear_sign ? without_signs<Item>(c) : c, v);
  }
};

/// Products as doubles. A product of narrow items is one double. A product of doubles is two: p = a b rounded, and the
/// rest e = a b - p, which is exact where p is finite and the last bit of a b, at least 2^-105 |p|, is a double. A
/// rest that is not 0 has a high word that is not 0 where |a b| is above 2^-1005.
template <class Item>
struct product_parts {
  static constexpr int count = sizeof(Item) == 8 ? 2 : 1;

  MONOFOLD_GPU static void split(double a, double b, double* out) {
    out[0] = rounded_product(a, b);
    if constexpr (count == 2) out[1] = rounded_fma(a, b, -out[0]);
  }
  /// The exponent that bounds part p of products of at most 2^max_exponent.
  MONOFOLD_GPU static constexpr int max_exponent(int max_exponent, int p) {
    return p == 0 ? max_exponent : max_exponent - 53;
  }
};

/// Squares of items, and the items where `with_values`.
template <class Item, bool with_values>
struct square_format : array_chunks<Item> {
  using items = thread_items<Item>;
  using products = product_parts<Item>;
  using square = square_term<Item>;
  using layout = std::conditional_t<with_values,
                                    digits_layout<exact_sum_number<Item>, typename square::number>,
                                    digits_layout<typename square::number>>;
  using state = std::conditional_t<with_values, exact_moments_state<Item>,
                                   exact_state<typename square::number>>;
  static constexpr int values = with_values ? 1 : 0;
  static constexpr int parts = values + products::count;
  static constexpr bool counts_zeros = with_values;

  MONOFOLD_GPU static constexpr int part_sum(int p) { return p < values ? 0 : values; }
  MONOFOLD_GPU static constexpr int part_scale(int p) { return p < values ? items::scale : 0; }
  MONOFOLD_GPU static constexpr int part_max_exponent(int max_exponent, int p) {
    return p < values ? max_exponent
                      : products::max_exponent(2 * (max_exponent + items::scale), p - values);
  }
  MONOFOLD_GPU static void split(const bytes16& c, int v, double (&x)[parts]) {
    if constexpr (with_values) x[0] = items::get(c, v);
    const double own = value_of_item<Item>(c, v);
    products::split(own, own, x + values);
  }
};

/// The term of a variance: an item and its square, for two sums.
template <class Item>
struct moments_term {
  using item = Item;
};

template <class Item>
struct term_format<value_term<Item>> : value_format<value_term<Item>, false> {};
template <class Item>
struct term_format<magnitude_term<Item>> : value_format<magnitude_term<Item>, true> {};
template <class Item>
struct term_format<square_term<Item>> : square_format<Item, false> {};
template <class Item>
struct term_format<moments_term<Item>> : square_format<Item, true> {};

}  // namespace monofold::detail
