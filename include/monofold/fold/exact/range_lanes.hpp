#pragma once
/// fold/exact/range_lanes: the range of the items of a block, by vectors: the largest, the smallest, -0.

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "monofold/fold/exact/vectors.hpp"
#include "monofold/platform/float_format.hpp"
#include "monofold/platform/host_device.hpp"
#include "monofold/platform/numbers.hpp"

#if defined(__GNUC__) && !defined(__CUDA_ARCH__)

namespace monofold::detail {

/// The range of a block: bits of magnitudes, of doubles the upper half.
struct block_range {
  std::uint64_t most = 0;   // the largest |x|
  std::uint64_t least = 0;  // the smallest |x| that is not 0, or the largest number (not of doubles
                            // themselves)
  std::uint64_t rest = 0;   // doubles: not 0 where something is left after the last bin
  bool may_have_minus_zero = false;  // where that is looked for; then `turned_lanes` know no least
};

/// The halves of a vector.
template <class Whole, class Half>
MONOFOLD_INLINE void take_halves(const Whole& all, Half& low, Half& high) {
  static_assert(sizeof(all) == 2 * sizeof(low));
  std::memcpy(&low, &all, sizeof(low));
  std::memcpy(&high, reinterpret_cast<const char*>(&all) + sizeof(low), sizeof(high));
}

/// Vectors of items and what is known of all that were seen.
///
/// Compared as signed integers, which every instruction set can: |x| plus the largest of them wraps
/// around to the smallest for 1 and stays the largest for 0, so that zeros are passed over. Upper
/// halves of doubles take a carry from the lower ones: some number below 2^-1042 is 1. With its sign -0 is the
/// smallest of all: of doubles so are numbers above -2^-1042.
template <int bytes, class Item, bool finds_least, bool finds_minus_zero>
struct range_lanes {
  using word =
      std::conditional_t<sizeof(Item) == 8, std::uint32_t, typename float_format<Item>::bits>;
  typedef word words __attribute__((vector_size(bytes), may_alias));
  typedef std::make_signed_t<word> wholes __attribute__((vector_size(bytes), may_alias));
  static constexpr word largest = static_cast<word>(~word{0}) >> 1;
  typedef std::uint64_t longs __attribute__((vector_size(bytes), may_alias));
  static constexpr int num = bytes / static_cast<int>(sizeof(word));

  wholes most;
  wholes least;
  wholes lowest;

  MONOFOLD_INLINE range_lanes() {
    most = (wholes)words{};
    least = (wholes)(words{} + largest);  // NOLINT: the bits, as below
    lowest = wholes{};
  }
  MONOFOLD_INLINE void note(const words& x) {
    constexpr std::uint64_t largest_long = ~std::uint64_t{0} >> 1;
    words clear;
    if constexpr (sizeof(Item) == 8) {
      clear = (words)((longs)x & largest_long);
    } else {
      clear = x & largest;
    }
    const auto size = (wholes)clear;
    most = most > size ? most : size;
    if constexpr (finds_minus_zero) {
      const auto own = (wholes)x;
      lowest = lowest < own ? lowest : own;
    }
    if constexpr (finds_least) {
      wholes key;
      if constexpr (sizeof(Item) == 8) {
        key = (wholes)((longs)clear + largest_long);
      } else {
        key = (wholes)(clear + largest);
      }
      least = least < key ? least : key;
    }
  }
  MONOFOLD_INLINE bool may_have_minus_zero() const {
    if constexpr (!finds_minus_zero) return false;
    constexpr std::uint64_t upper = sizeof(Item) == 8 ? ~std::uint64_t{0} << 32 : ~std::uint64_t{0};
    const wholes found = lowest == -static_cast<std::make_signed_t<word>>(largest) - 1;
    std::uint64_t parts[bytes / 8], any = 0;
    std::memcpy(parts, &found, sizeof(parts));
    for (const std::uint64_t one : parts) any |= one & upper;
    return any != 0;
  }
  MONOFOLD_INLINE block_range range() const {
    // By halves: lane by lane would take as long as many items.
    if constexpr (bytes > 16) {
      range_lanes<bytes / 2, Item, finds_least, finds_minus_zero> low, high;
      take_halves(most, low.most, high.most);
      take_halves(least, low.least, high.least);
      take_halves(lowest, low.lowest, high.lowest);
      low.most = low.most > high.most ? low.most : high.most;
      low.least = low.least < high.least ? low.least : high.least;
      low.lowest = low.lowest < high.lowest ? low.lowest : high.lowest;
      return low.range();
    } else {
      block_range out{0, largest, 0};
      for (int l = sizeof(Item) == 8 ? 1 : 0; l < num; l += sizeof(Item) == 8 ? 2 : 1) {
        const auto size = static_cast<word>(most[l]);
        auto low = static_cast<word>(static_cast<word>(least[l]) - largest);
        if (sizeof(Item) == 8 && low > 1) --low;  // the carry; a power of two counts as less
        if (size > out.most) out.most = size;
        if (low != 0 && low < out.least) out.least = low;
        out.may_have_minus_zero |= static_cast<word>(lowest[l]) == largest + 1;
      }
      return out;
    }
  }
};

/// The same, with -0, by no more instructions, where lanes turn: one bit up, the sign last, +0 is 0, -0 is 1, and
/// other numbers follow by their magnitudes. Less 1, -0 is the smallest and +0 the largest.
template <int bytes, class Item>
struct turned_lanes {
  static_assert(sizeof(Item) >= 4);
  using words = typename lanes<bytes>::half_bits;
  using longs = typename lanes<bytes>::bits;

  words most = {};
  words least = ~words{};

  MONOFOLD_INLINE void note(const words& x) {
    words turned, key;
    if constexpr (sizeof(Item) == 8) {
      const longs whole = (longs)x;  // NOLINT: the bits, as in the next
      turned = (words)(whole << 1 | whole >> 63);
      key = (words)((longs)turned - 1);
    } else {
      turned = x << 1 | x >> 31;
      key = turned - 1;
    }
    most = most > turned ? most : turned;
    least = least < key ? least : key;
  }
  MONOFOLD_INLINE block_range range() const {
    if constexpr (bytes > 16) {
      turned_lanes<bytes / 2, Item> low, high;
      take_halves(most, low.most, high.most);
      take_halves(least, low.least, high.least);
      low.most = low.most > high.most ? low.most : high.most;
      low.least = low.least < high.least ? low.least : high.least;
      return low.range();
    } else {
      block_range out{0, ~std::uint32_t{0} >> 1, 0};
      for (int l = sizeof(Item) == 8 ? 1 : 0; l < 4; l += sizeof(Item) == 8 ? 2 : 1) {
        const std::uint32_t size = most[l] >> 1;
        const std::uint32_t low = least[l] / 2 + least[l] % 2;
        if (size > out.most) out.most = size;
        if (low < out.least) out.least = low;
        out.may_have_minus_zero |= least[l] == 0;
      }
      return out;
    }
  }
};

/// AVX-512 turns lanes in one instruction.
template <int bytes, class Item, bool finds_least, bool finds_minus_zero>
using lanes_of_range =
    std::conditional_t<bytes == 64 && sizeof(Item) >= 4 && finds_least && finds_minus_zero,
                       turned_lanes<bytes, Item>,
                       range_lanes<bytes, Item, finds_least, finds_minus_zero>>;

/// The range of the items of a block, which are whole lines.
template <int bytes, class Item>
MONOFOLD_INLINE block_range range_of(const Item* items, int count) {
  range_lanes<bytes, Item, true, false> seen;
  for (int i = 0; i < count; i += bytes / static_cast<int>(sizeof(Item))) {
    typename decltype(seen)::words x;
    std::memcpy(&x, items + i, sizeof(x));
    seen.note(x);
  }
  return seen.range();
}

/// A second look at a block: how many items are -0, and the smallest other magnitude.
struct minus_zeros {
  std::int64_t count;
  std::uint64_t least;
};

template <int bytes, class Item>
MONOFOLD_INLINE minus_zeros find_minus_zeros(const Item* items, int count) {
  using range_type = range_lanes<bytes, Item, true, false>;
  typedef typename float_format<Item>::bits words __attribute__((vector_size(bytes), may_alias));
  constexpr int in_vector = bytes / static_cast<int>(sizeof(Item));
  range_type range;
  words found = {};  // in a lane fewer than items of a block of 16 KiB
  for (int i = 0; i < count; i += in_vector) {
    words x;
    std::memcpy(&x, items + i, sizeof(x));
    range.note((typename range_type::words)x);            // NOLINT: the bits
    found -= (words)(x == float_format<Item>::sign_bit);  // NOLINT: -1 where it is so
  }
  minus_zeros out{0, range.range().least};
  for (int l = 0; l < in_vector; ++l) out.count += static_cast<std::int64_t>(found[l]);
  return out;
}

// In functions of their own: beside a loop of vectors they would take its registers.
template <class Item>
__attribute__((noinline)) minus_zeros minus_zeros_portable(const Item* items, int count) {
  return find_minus_zeros<16>(items, count);
}
#if defined(__x86_64__) && !defined(__CUDACC__)
template <class Item>
__attribute__((target("avx2"), noinline)) minus_zeros minus_zeros_avx2(const Item* items,
                                                                       int count) {
  return find_minus_zeros<32>(items, count);
}
#endif

/// The -0 among the items of a block, which are whole lines.
///
/// shape      bytes: of the vectors that the caller uses
template <int bytes, class Item>
MONOFOLD_INLINE minus_zeros minus_zeros_of(const Item* items, int count) {
#if defined(__x86_64__) && !defined(__CUDACC__)
  if constexpr (bytes > 16) return minus_zeros_avx2(items, count);
#endif
  return minus_zeros_portable(items, count);
}

}  // namespace monofold::detail

#endif
