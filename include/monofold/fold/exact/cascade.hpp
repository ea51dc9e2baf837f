#pragma once
/// fold/exact/cascade: adds a block of doubles without error by biased floating-point levels.

#include <cstdint>
#include <cstring>

#include "monofold/fold/exact/anchors.hpp"
#include "monofold/fold/exact/number.hpp"
#include "monofold/platform/bits.hpp"
#include "monofold/platform/float_format.hpp"
#include "monofold/platform/host_device.hpp"
#include "monofold/platform/strict_arithmetic.hpp"

#if defined(__GNUC__) && !defined(__CUDA_ARCH__)

namespace monofold::detail {

/// Vectors of 8 doubles in registers of some bytes, as the compiler's own types: it lowers them to
/// the instruction set of the function around.
template <int bytes>
struct lanes {
  typedef double real __attribute__((vector_size(bytes), may_alias));
  typedef std::int64_t whole __attribute__((vector_size(bytes), may_alias));
  typedef std::int32_t half __attribute__((vector_size(bytes), may_alias));
  typedef std::uint64_t bits __attribute__((vector_size(bytes), may_alias));
  typedef std::uint32_t half_bits __attribute__((vector_size(bytes), may_alias));
  typedef float floats __attribute__((vector_size(bytes / 2), may_alias));  // as many as doubles
  static constexpr int doubles = bytes / 8;
  static constexpr int vectors = 8 / doubles;
};

inline constexpr int page_bytes = 4096;

/// Asks for the line so many bytes on, where there may be no memory: the processor itself stops at
/// the end of a page.
MONOFOLD_INLINE void ask_for_line(const void* at, std::uintptr_t ahead) {
  __builtin_prefetch(reinterpret_cast<const void*>(reinterpret_cast<std::uintptr_t>(at) + ahead));
}

/// A run of at most this many doubles: 16 KiB, half of a first-level cache.
inline constexpr int cascade_block = 2048;
inline constexpr int cascade_lanes = 8;

/// The levels of a block for items below 2^top, of which a lane takes up to `deposits`
/// (fold/exact/anchors says why that is without error).
struct cascade_anchors {
  MONOFOLD_INLINE cascade_anchors(int top, int deposits)
      : headroom(bit_width_of(static_cast<std::uint64_t>(deposits)) + 1) {
    for (int k = 0; k < max_levels; ++k) exponent[k] = level_exponent(top, headroom, k);
  }
  MONOFOLD_INLINE std::uint64_t bits(int k) const { return anchor_bits(exponent[k]); }
  MONOFOLD_INLINE int unit(int k) const { return unit_of_level(exponent[k]); }

  static constexpr int max_levels = 7;
  int headroom;
  int exponent[max_levels];
};

/// Deposits `count` doubles, a multiple of 8, into levels; returns the OR of the bits of what is
/// left over after the last one: 0, or only the sign of zeros, where the levels hold everything.
template <int bytes, int levels>
MONOFOLD_INLINE std::uint64_t deposit_levels(const double* items, int count,
                                             double (&level)[levels][cascade_lanes]) {
  MONOFOLD_AS_WRITTEN
  using real = typename lanes<bytes>::real;
  using whole = typename lanes<bytes>::whole;
  constexpr int vectors = lanes<bytes>::vectors;
  constexpr int doubles = lanes<bytes>::doubles;
  real m[levels][vectors];
  whole rest[vectors];
  std::memcpy(m, level, sizeof(m));
  std::memset(rest, 0, sizeof(rest));
  for (int i = 0; i < count; i += cascade_lanes) {
    MONOFOLD_UNROLL_8
    for (int v = 0; v < vectors; ++v) {
      real x;
      std::memcpy(&x, items + i + v * doubles, sizeof(x));
      MONOFOLD_UNROLL_8
      for (int k = 0; k < levels; ++k) {
        const real sum = m[k][v] + x;
        const real deposited = sum - m[k][v];
        m[k][v] = sum;
        x -= deposited;
      }
      rest[v] |=
          (whole)x;  // NOLINT: the bits; a cast by name would return a vector, whose ABI varies
    }
  }
  std::memcpy(level, m, sizeof(m));
  std::uint64_t any = 0;
  for (int v = 0; v < vectors; ++v) {
    for (int l = 0; l < doubles; ++l) any |= static_cast<std::uint64_t>(rest[v][l]);
  }
  return any;
}

/// The largest high half of the bits of |x| of `count` doubles, a multiple of 8.
template <int bytes>
MONOFOLD_INLINE std::uint32_t largest_high_half(const double* items, int count) {
  using half = typename lanes<bytes>::half;
  constexpr int vectors = lanes<bytes>::vectors;
  constexpr int doubles = lanes<bytes>::doubles;
  half most[vectors];
  std::memset(most, 0, sizeof(most));
  for (int i = 0; i < count; i += cascade_lanes) {
    MONOFOLD_UNROLL_8
    for (int v = 0; v < vectors; ++v) {
      half x;
      std::memcpy(&x, items + i + v * doubles, sizeof(x));
      x &= 0x7fffffff;  // low halves are compared with low halves, and left out below
      most[v] = most[v] > x ? most[v] : x;
    }
  }
  std::int32_t out = 0;
  for (int v = 0; v < vectors; ++v) {
    for (int l = 1; l < 2 * doubles; l += 2) out = most[v][l] > out ? most[v][l] : out;
  }
  return static_cast<std::uint32_t>(out);
}

/// own += value * 2^exponent, where low bits may lie below the number's grid if they are zeros.
template <class Number>
MONOFOLD_INLINE void add_units(Number& own, std::int64_t value, int exponent) {
  const int position = exponent - Number::low_exponent;
  if (value == 0) return;
  if (position >= 0) {
    add_at(own, value, position);
  } else {
    add_at(own, value >> -position, 0);  // not zero, so fewer than 64 of its bits are
  }
}

/// A block of doubles: whole groups of 8 where they lie, and the rest with zeros appended.
struct padded_block {
  MONOFOLD_INLINE padded_block(const double* items, int count)
      : body(items), body_count(count / cascade_lanes * cascade_lanes) {
    const int rest = count - body_count;
    if (rest == 0) return;
    std::memset(tail, 0, sizeof(tail));
    std::memcpy(tail, items + body_count, static_cast<std::size_t>(rest) * sizeof(double));
    tail_count = cascade_lanes;
  }

  const double* body;
  int body_count;
  int tail_count = 0;
  double tail[cascade_lanes];
};

/// own += sum of the block * 2^scale by so many levels; false, with nothing added, where they do
/// not hold all bits.
template <int bytes, int levels, class Number>
MONOFOLD_INLINE bool add_by_levels(Number& own, const padded_block& block, int top, int scale) {
  const cascade_anchors anchors(top, (block.body_count + block.tail_count) / cascade_lanes);
  double level[levels][cascade_lanes];
  for (int k = 0; k < levels; ++k) {
    for (double& m : level[k]) m = bits_as<double>(anchors.bits(k));
  }
  std::uint64_t rest = deposit_levels<bytes>(block.body, block.body_count, level);
  rest |= deposit_levels<bytes>(block.tail, block.tail_count, level);
  if (rest << 1 != 0) return false;
  for (int k = 0; k < levels; ++k) {
    std::int64_t sum = 0;
    for (const double m : level[k]) {
      sum += static_cast<std::int64_t>(bits_as<std::uint64_t>(m) - anchors.bits(k));
    }
    add_units(own, sum, anchors.unit(k) + scale);
  }
  return true;
}

enum class block_outcome {
  added,   // to the sum
  zeros,   // there is nothing to add: all are +0 or -0
  spills,  // nothing was added: too wide or too large, or infinities or NaN
};

/// own += sum of `count` <= `cascade_block` doubles * 2^scale, where floating-point levels can.
///
/// order      exact: any
/// sync       the arithmetic must be that of IEEE 754 (platform/strict_arithmetic)
/// cost       a look for the largest exponent, then three additions an item and level
/// tested by  tests/exact/run_test.cpp, tests/exact/environment_test.cpp
template <int bytes, class Number>
MONOFOLD_INLINE block_outcome add_doubles(Number& own, const double* items, int count, int scale) {
  const padded_block block(items, count);
  const std::uint32_t body = largest_high_half<bytes>(block.body, block.body_count);
  const std::uint32_t tail = largest_high_half<bytes>(block.tail, block.tail_count);
  const std::uint32_t most = body > tail ? body : tail;
  if (most == 0) {
    // Zeros, or subnormal numbers below 2^-1042.
    std::uint64_t any = 0;
    for (int i = 0; i < count; ++i) any |= bits_as<std::uint64_t>(items[i]) << 1;
    if (any == 0) return block_outcome::zeros;
  }
  const int top = static_cast<int>(most >> 20) - 1022;  // every |x| < 2^top
  if (top > highest_top) return block_outcome::spills;  // the first level would overflow
  if (add_by_levels<bytes, 2>(own, block, top, scale)) return block_outcome::added;
  // One item whose leading bit lies under the last level is enough to spill: look at some first.
  const cascade_anchors anchors(top, (count + cascade_lanes - 1) / cascade_lanes);
  for (int i = 0; i < count; i += 64) {
    const auto size = bits_as<std::uint64_t>(items[i]) << 1 >> 1;
    const int lead = static_cast<int>(size >> 52) - 1023;
    if (size != 0 && lead < anchors.unit(3) - 1) return block_outcome::spills;
  }
  if (add_by_levels<bytes, 4>(own, block, top, scale)) return block_outcome::added;
  return block_outcome::spills;
}

}  // namespace monofold::detail

#endif
