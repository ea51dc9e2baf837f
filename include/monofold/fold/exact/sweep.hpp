#pragma once
/// fold/exact/sweep: one pass over a block that deposits its items into bins and finds their range.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "monofold/fold/exact/range_lanes.hpp"
#include "monofold/fold/exact/vectors.hpp"
#include "monofold/platform/float_format.hpp"
#include "monofold/platform/host_device.hpp"
#include "monofold/platform/instruction_set.hpp"
#include "monofold/platform/numbers.hpp"
#include "monofold/platform/rounding_flags.hpp"
#include "monofold/platform/strict_arithmetic.hpp"

#if defined(__GNUC__) && !defined(__CUDA_ARCH__)

namespace monofold::detail {

/// Items that one turn of the loop takes: a cache line.
template <class Item>
inline constexpr int line_items = 64 / static_cast<int>(sizeof(Item));

/// Whether the flags of the processor say that so many bins have taken a block (fold/exact/verified_sweep).
/// Vectors of 64 bytes can also round without a flag.
template <class Item>
constexpr bool is_verified([[maybe_unused]] int bins, [[maybe_unused]] int bytes) {
#if defined(MONOFOLD_QUIET_VECTORS)
  return (sizeof(Item) == 8 && bytes == 64 && bins <= 4) ||
         (sizeof(Item) == 4 && ((bytes == 64 && bins == 2) || (bytes >= 32 && bins == 1)));
#else
  return false;
#endif
}

/// Whether squares are first tried in groups, which flags verify too (fold/exact/verified_sweep).
template <class Item>
constexpr bool has_square_groups([[maybe_unused]] int bytes) {
#if defined(MONOFOLD_QUIET_VECTORS)
  return sizeof(Item) == 2 && bytes == 64;
#else
  return false;
#endif
}
/// Accumulators of a bin. One bin alone needs four vectors to hide the latency of its only
/// addition; of more bins the registers hold two, of many bins of 32 bytes one.
template <class Item>
constexpr int sweep_lanes(int bins, int bytes) {
  if (bytes == 64) {
    // Two lines or more fill them where flags may verify the bins, else no more than one. Whether flags do is the
    // compiler's affair, and must not change what bins are kept: a program may be built by two.
    const int most = bins == 1 || (sizeof(Item) == 8 && bins == 2) ? 32 : 16;
    const bool by_flags = sizeof(Item) == 8 ? bins <= 4 : sizeof(Item) == 4 && bins == 1;
    return by_flags || most < line_items<Item> ? most : line_items<Item>;
  }
  return bins == 1 ? 16 : bins < 4 ? 8 : bytes / 8;
}

/// Parts of a block that are read side by side: a processor fetches ahead within a page of memory,
/// and for each load instruction by itself.
inline constexpr int sweep_streams = 4;
inline constexpr int sweep_part = page_bytes;

/// Where the lines of a block lie that are read together, `apart`, and those of the next turn, and what is asked for
/// ahead of them. The parts of a whole block; or neighbours, of other blocks and where the processor reads those best.
template <class Item>
struct line_order {
  static constexpr int part = sweep_part / static_cast<int>(sizeof(Item));
  std::ptrdiff_t apart = line_items<Item>;
  std::ptrdiff_t step = sweep_streams * line_items<Item>;
  std::uintptr_t ahead = 0;

  MONOFOLD_INLINE explicit line_order(int count) {
    if (count != sweep_streams * part || fetches_in_line()) return;
    apart = part;
    step = line_items<Item>;
    ahead = sweep_streams * sweep_part;
  }
};

/// Whether a block is 16 KiB: many bins of narrow items take smaller ones.
template <class Item>
constexpr bool has_large_blocks(int bins) {
  return sizeof(Item) == 8 || bins <= 2;
}

/// What of an item is added up.
enum class sweep_kind { values, magnitudes, squares };

/// Squares of doubles are two numbers, the rounded square and its rest, for which half the bins
/// are each.
template <sweep_kind kind, class Item>
inline constexpr int parts_of_term = kind == sweep_kind::squares && sizeof(Item) == 8 ? 2 : 1;

/// How items become doubles times 2^-scale: as they are, or by a move of their exponent bits, which
/// changes the bias; subnormal ones too.
template <class Item>
inline constexpr int sweep_scale = sizeof(Item) == 2 ? float_format<double>::max_exponent
                                                           - float_format<Item>::max_exponent
                                                     : 0;

/// Half h of a vector of floats as doubles.
template <int bytes>
MONOFOLD_INLINE void half_of_floats(const void* floats, int h, typename lanes<bytes>::real& out) {
  typename lanes<bytes>::floats part;
  std::memcpy(&part, static_cast<const char*>(floats) + h * (bytes / 2), sizeof(part));
  // By name, or lane by lane: of a conversion of whole vectors gcc 12 makes one of each half, and by -O2 one of each
  // lane.
#if defined(__x86_64__) && !defined(__clang__)
  if constexpr (bytes >= 32) {
    __asm__("vcvtps2pd {%1, %0|%0, %1}" : "=v"(out) : "vm"(part));
    return;
  }
#endif
  for (int l = 0; l < bytes / 8; ++l) out[l] = part[l];
}

/// Vector v of a line of items as doubles times 2^-sweep_scale: calls use(i, x) with vector i of them.
template <int bytes, bool clear_sign, class Item, class Range, class Use>
MONOFOLD_INLINE void widen(const Item* line, Range& range, const Use& use) {
  using real = typename lanes<bytes>::real;
  using words = typename Range::words;
  using longs = typename lanes<bytes>::bits;
  constexpr int in_vector = bytes / static_cast<int>(sizeof(Item));
  unrolled<64 / bytes>([&](auto v) __attribute__((always_inline)) {
    words x;
    std::memcpy(&x, line + v * in_vector, sizeof(x));
    if constexpr (bytes == 64 && sizeof(Item) == 8) keep_loaded(x);
    range.note(x);
    // NOLINTBEGIN: casts of vectors keep the bits; a cast by name would return a vector, whose ABI varies
    if constexpr (clear_sign && sizeof(Item) == 8) {
      x = (words)((longs)x & (~std::uint64_t{0} >> 1));
    }
    if constexpr (sizeof(Item) == 8) {
      const real wide = (real)x;
      use(v, wide);
    } else if constexpr (sizeof(Item) == 4) {
      unrolled<2>([&](auto h) __attribute__((always_inline)) {
        // From where it lies: loading half a vector costs less than taking one apart.
        real wide = {};
        half_of_floats<bytes>(line + v * in_vector, h, wide);
        if constexpr (clear_sign) wide = (real)((longs)wide & (~std::uint64_t{0} >> 1));
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

/// Keeps a product from becoming part of a fused multiply-add, where gcc may fuse: clang is told by
/// `MONOFOLD_AS_WRITTEN`.
template <class Vector>
MONOFOLD_INLINE void keep_rounded([[maybe_unused]] Vector& x) {
#if defined(__clang__)
#elif defined(__x86_64__)
  __asm__("" : "+x"(x));
#elif defined(__aarch64__)
  __asm__("" : "+w"(x));
#else
  __asm__("" : "+m"(x));
#endif
}

/// 2^sweep_scale, by which a number that was moved becomes what it was.
template <class Item>
inline constexpr double unmoved = __builtin_bit_cast(double,
                                                     std::uint64_t{1023 + sweep_scale<Item>} << 52);

/// x becomes its square, rounded, and of doubles `rest` what is missing (exact where it is a multiple
/// of 2^-1074).
template <int bytes, sweep_kind kind, class Item, class Vector>
MONOFOLD_INLINE void square(Vector& x, Vector& rest) {
  MONOFOLD_AS_WRITTEN
  if constexpr (sweep_scale<Item> != 0) x *= unmoved<Item>;
  Vector p = x * x;
  keep_rounded(p);
  if constexpr (parts_of_term<kind, Item> == 2) multiply_subtract<bytes>(x, x, p, rest);
  x = p;
}

/// Deposits `count` items, a multiple of a line, into bins that stand at their anchors.
///
/// A block of 16 KiB is read in four parts side by side, a few bins of other blocks line by line.
///
/// Doubles themselves tell by `rest` whether the bins held everything; elsewhere the smallest
/// magnitude tells.
template <int bytes, int bins, sweep_kind kind, class Item>
MONOFOLD_INLINE block_range sweep(const Item* items, int count,
                                  double (&bin)[bins][sweep_lanes<Item>(bins, bytes)]) {
  MONOFOLD_AS_WRITTEN
  using real = typename lanes<bytes>::real;
  using whole = typename lanes<bytes>::whole;
  constexpr bool squares = kind == sweep_kind::squares;
  constexpr bool look_for_rest = sizeof(Item) == 8 && !squares;
  constexpr int parts = parts_of_term<kind, Item>;
  constexpr int depth = bins / parts;
  constexpr int line = line_items<Item>;
  constexpr int in_line = line * 8 / bytes;  // vectors of doubles
  constexpr int most_vectors = sweep_lanes<Item>(bins, bytes) * 8 / bytes;
  constexpr int vectors = most_vectors < in_line ? most_vectors : in_line;
  real m[bins][vectors];
  for (int k = 0; k < bins; ++k) std::memcpy(m[k], bin[k], sizeof(m[k]));
  // One bin holds every float16, two their squares.
  lanes_of_range<bytes, Item, !look_for_rest && !std::is_same_v<Item, float16>,
                 kind == sweep_kind::values>
      range;
  whole rest = {};
  real one = real{} + 1.0;
  keep_rounded(one);
  static_assert(in_line % vectors == 0, "every lane takes as many deposits");
  const auto take = [&](const Item* at) __attribute__((always_inline)) {
    real left[parts][in_line];
    widen<bytes, kind == sweep_kind::magnitudes>(
        at, range, [&](auto j, const real& x) __attribute__((always_inline)) {
          left[0][j] = x;
          if constexpr (squares) square<bytes, kind, Item>(left[0][j], left[parts - 1][j]);
        });
    const auto deposit = [&](auto part, auto k, auto v, int j) __attribute__((always_inline)) {
      MONOFOLD_AS_WRITTEN
      real& bin_sum = m[part * depth + k][v];
      real sum;
      // By the other units, as in fold/exact/bin_vectors: squares have multiplications to spare them.
      if constexpr (squares && k == 0 && (bytes == 32 || (bytes == 64 && parts == 2))) {
        multiply_add<bytes>(left[part][j], one, bin_sum, sum);
      } else {
        sum = bin_sum + left[part][j];
      }
      if constexpr (k + 1 < depth) {
        const real deposited = sum - bin_sum;
        left[part][j] -= deposited;
      } else if constexpr (look_for_rest) {
        // Equal but for the sign of zero, or something is left.
        const real deposited = sum - bin_sum;
        rest |= (whole)deposited ^ (whole)left[part][j];  // NOLINT: the bits
      }
      bin_sum = sum;
    };
    if constexpr (vectors == 1) {
      for (int j = 0; j < in_line; ++j) {
        unrolled<bins>([&](auto k) __attribute__((always_inline)) {
          deposit(std::integral_constant<int, k / depth>{},
                  std::integral_constant<int, k % depth>{}, std::integral_constant<int, 0>{}, j);
        });
      }
    } else {
      // Bin by bin, not item by item: so what waits for a sum stands beside what does not.
      unrolled<bins>([&](auto k) __attribute__((always_inline)) {
        unrolled<in_line>([&](auto j) __attribute__((always_inline)) {
          deposit(std::integral_constant<int, k % parts>{},
                  std::integral_constant<int, k / parts>{},
                  std::integral_constant<int, j % vectors>{}, j);
        });
      });
    }
  };
  int done = 0;
  // Squares take as long as one stream of memory, and beside them a sum brings the items.
  if constexpr (!squares && has_large_blocks<Item>(bins)) {
    if (count == sweep_streams * line_order<Item>::part) {
      const line_order<Item> order(count);
      const Item* first = items;
      for (int i = 0; i < count; i += sweep_streams * line, first += order.step) {
        unrolled<sweep_streams>([&](auto p) __attribute__((always_inline)) {
          const Item* const at = first + p * order.apart;
          // Where it comes to one in time, a prefetch: with shorter vectors it cost a fifth.
          if constexpr (bytes == 64) prefetch(at, order.ahead);
          take(at);
        });
      }
      done = count;
    }
  }
  for (; done < count; done += line) {
    if constexpr (bins >= 3) prefetch(items + done, page_bytes);
    take(items + done);
  }
  for (int k = 0; k < bins; ++k) std::memcpy(bin[k], m[k], sizeof(m[k]));
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
