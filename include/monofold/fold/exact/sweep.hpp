#pragma once
/// fold/exact/sweep: one pass over a block that deposits its items into levels and finds their range.

#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#include "monofold/fold/exact/cascade.hpp"
#include "monofold/fold/exact/narrow.hpp"
#include "monofold/platform/bits.hpp"
#include "monofold/platform/float_format.hpp"
#include "monofold/platform/host_device.hpp"
#include "monofold/platform/numbers.hpp"
#include "monofold/platform/strict_arithmetic.hpp"

#if defined(__GNUC__) && !defined(__CUDA_ARCH__)

namespace monofold::detail {

/// Items that one turn of the loop takes: a cache line.
template <class Item>
inline constexpr int line_items = 64 / static_cast<int>(sizeof(Item));

/// Accumulators of a level. One level alone needs four vectors to hide the latency of its only
/// addition; of more levels the registers hold two.
constexpr int sweep_lanes(int levels) { return levels == 1 ? 16 : 8; }

/// The range of a block: bits of magnitudes.
struct block_range {
  std::uint64_t most = 0;   // the largest |x|; of doubles the upper half
  std::uint64_t least = 0;  // narrow types: the smallest |x| that is not 0, or the largest number
  std::uint64_t rest = 0;   // doubles: not 0 where something is left after the last level
};

/// How items become doubles times 2^-scale: as they are, or by a move of their exponent bits, which
/// changes the bias; subnormal ones too.
template <class Item>
inline constexpr int sweep_scale = sizeof(Item) == 2 ? float_format<double>::top_exponent
                                                           - float_format<Item>::top_exponent
                                                     : 0;

/// Vectors of items and what is known of all that were seen.
///
/// Compared as signed integers, which every instruction set can: |x| plus the largest of them wraps
/// around to the smallest for 1 and stays the largest for 0, so that zeros are passed over.
template <int bytes, class Item>
struct range_lanes {
  using word =
      std::conditional_t<sizeof(Item) == 8, std::uint32_t, typename float_format<Item>::bits>;
  typedef word words __attribute__((vector_size(bytes), may_alias));
  typedef std::make_signed_t<word> wholes __attribute__((vector_size(bytes), may_alias));
  static constexpr word largest = static_cast<word>(~word{0}) >> 1;
  static constexpr bool any_bits = std::is_same_v<Item, float16>;  // one level holds all of them
  static constexpr int num = bytes / static_cast<int>(sizeof(word));

  wholes most;
  wholes least;

  MONOFOLD_INLINE range_lanes() {
    most = (wholes)words{};
    least = (wholes)(words{} + largest);  // NOLINT: the bits, as below
  }
  MONOFOLD_INLINE void note(const words& x) {
    const words clear = x & largest;
    const auto size = (wholes)clear;
    most = most > size ? most : size;
    if constexpr (sizeof(Item) < 8 && !any_bits) {
      const auto key = (wholes)(clear + largest);
      least = least < key ? least : key;
    }
  }
  MONOFOLD_INLINE block_range range() const {
    block_range out{0, largest, 0};
    for (int l = sizeof(Item) == 8 ? 1 : 0; l < num; l += sizeof(Item) == 8 ? 2 : 1) {
      const auto size = static_cast<word>(most[l]);
      const auto low = static_cast<word>(static_cast<word>(least[l]) - largest);
      if (size > out.most) out.most = size;
      if (low != 0 && low < out.least) out.least = low;
    }
    return out;
  }
};

/// Calls f(0), f(1), ..., f(n - 1) with numbers known to the compiler. Loops that it unrolls later
/// leave their arrays in memory.
template <int n, class F>
MONOFOLD_INLINE void unrolled(const F& f) {
  const auto call = [&]<int... i>(std::integer_sequence<int, i...>) __attribute__((always_inline)) {
    (f(std::integral_constant<int, i>{}), ...);
  };
  call(std::make_integer_sequence<int, n>{});
}

/// Vector v of a line of items as doubles: calls use(i, x) with vector i of them.
template <int bytes, bool clear_sign, class Item, class Use>
MONOFOLD_INLINE void widen(const Item* line, range_lanes<bytes, Item>& range, const Use& use) {
  using real = typename lanes<bytes>::real;
  using words = typename range_lanes<bytes, Item>::words;
  using longs = typename lanes<bytes>::bits;
  constexpr int in_vector = bytes / static_cast<int>(sizeof(Item));
  unrolled<64 / bytes>([&](auto v) __attribute__((always_inline)) {
    words x;
    std::memcpy(&x, line + v * in_vector, sizeof(x));
    range.note(x);
    // NOLINTBEGIN: casts of vectors keep the bits; a cast by name would return a vector, whose ABI varies
    if constexpr (clear_sign && sizeof(Item) == 8) {
      x = (words)((longs)x & (~std::uint64_t{0} >> 1));
    } else if constexpr (clear_sign) {
      x &= range.largest;
    }
    if constexpr (sizeof(Item) == 8) {
      const real wide = (real)x;
      use(v, wide);
    } else if constexpr (sizeof(Item) == 4) {
      using part_floats = typename lanes<bytes>::floats;
      unrolled<2>([&](auto h) __attribute__((always_inline)) {
        part_floats part;
        if constexpr (clear_sign) {
          std::memcpy(&part, reinterpret_cast<const char*>(&x) + h * (bytes / 2), sizeof(part));
        } else {
          // From where it lies: loading half a vector costs less than taking one apart.
          std::memcpy(&part, line + v * in_vector + h * (in_vector / 2), sizeof(part));
        }
        real wide = {};
        // Lane by lane: of a conversion of whole vectors gcc 12 makes one of each half.
        for (int l = 0; l < bytes / 8; ++l) wide[l] = part[l];
        use(std::integral_constant<int, 2 * v + h>{}, wide);
      });
    } else {
      using pairs = typename lanes<bytes>::half_bits;
      using signed_pairs = typename lanes<bytes>::half;
      // A half at the top of a double: the sign stays, exponent and fraction move down to where the
      // double has them. What comes from the half below is masked off.
      constexpr int down = float_format<double>::exponent_bits - float_format<Item>::exponent_bits;
      constexpr std::uint64_t mask =
          (std::uint64_t{clear_sign ? 0u : 1u} << 63) | (std::uint64_t{0x7fff} << (48 - down));
      const longs odd = (longs)((signed_pairs)x >> down);
      const longs even = (longs)((signed_pairs)((pairs)x << 16) >> down);
      const real a = (real)(odd & mask), b = (real)(even & mask);
      const real c = (real)((odd << 32) & mask), d = (real)((even << 32) & mask);
      use(std::integral_constant<int, 4 * v>{}, a);
      use(std::integral_constant<int, 4 * v + 1>{}, b);
      use(std::integral_constant<int, 4 * v + 2>{}, c);
      use(std::integral_constant<int, 4 * v + 3>{}, d);
    }
    // NOLINTEND
  });
}

/// Deposits `count` items, a multiple of a line, into levels that stand at their anchors.
///
/// No line is asked for in advance: the processor sees one stream, and prefetches of ours made it
/// slower by a fifth (bench/exact_cpu).
///
/// Doubles tell by `rest` whether the levels held everything; narrow items do not need it, because
/// the smallest magnitude tells.
template <int bytes, int levels, bool clear_sign, class Item>
MONOFOLD_INLINE block_range sweep(const Item* items, int count,
                                  double (&level)[levels][sweep_lanes(levels)]) {
  MONOFOLD_AS_WRITTEN
  using real = typename lanes<bytes>::real;
  using whole = typename lanes<bytes>::whole;
  constexpr bool look_for_rest = sizeof(Item) == 8;
  constexpr int vectors = sweep_lanes(levels) * 8 / bytes;
  real m[levels][vectors];
  std::memcpy(m, level, sizeof(m));
  range_lanes<bytes, Item> range;
  whole rest = {};
  for (int i = 0; i < count; i += line_items<Item>) {
    const auto deposit = [&](auto j, const real& x) __attribute__((always_inline)) {
      MONOFOLD_AS_WRITTEN
      constexpr int v = j % vectors;
      real left = x;
      unrolled<levels>([&](auto k) __attribute__((always_inline)) {
        MONOFOLD_AS_WRITTEN
        const real sum = m[k][v] + left;
        if constexpr (k + 1 < levels) {
          const real deposited = sum - m[k][v];
          left -= deposited;
        } else if constexpr (look_for_rest) {
          // Equal but for the sign of zero, or something is left.
          const real deposited = sum - m[k][v];
          rest |= (whole)deposited ^ (whole)left;  // NOLINT: the bits
        }
        m[k][v] = sum;
      });
    };
    widen<bytes, clear_sign>(items + i, range, deposit);
  }
  std::memcpy(level, m, sizeof(m));
  block_range out = range.range();
  if constexpr (look_for_rest) {
    std::uint64_t any = 0;
    for (int l = 0; l < bytes / 8; ++l) any |= static_cast<std::uint64_t>(rest[l]);
    out.rest = any << 1;
  }
  return out;
}

}  // namespace monofold::detail

#endif
