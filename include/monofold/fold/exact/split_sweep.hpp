#pragma once
/// fold/exact/split_sweep: adds up the halves of doubles, where the processor says whether anything was rounded.

#include <cstdint>
#include <cstring>

#include "monofold/fold/exact/range_lanes.hpp"
#include "monofold/fold/exact/sweep.hpp"
#include "monofold/fold/exact/vectors.hpp"
#include "monofold/platform/host_device.hpp"
#include "monofold/platform/rounding_flags.hpp"

#if defined(__GNUC__) && !defined(__CUDA_ARCH__)

namespace monofold::detail {

/// Bits of a double that its upper half keeps: 27 of the significand. The rest has 26.
inline constexpr std::uint64_t upper_half_bits = ~((std::uint64_t{1} << 26) - 1);

/// Whether doubles are first added up by halves: with vectors that cannot round without a flag, of which bins take five
/// additions an item.
template <sweep_kind kind, class Item>
constexpr bool has_split_sums([[maybe_unused]] int bytes) {
#if defined(MONOFOLD_QUIET_VECTORS)
  return sizeof(Item) == 8 && bytes == 32 && kind != sweep_kind::squares;
#else
  return false;
#endif
}

#if defined(MONOFOLD_QUIET_VECTORS)
/// What the items of some lanes add up to: high + low.
template <int bytes>
struct split_sums {
  using real = typename lanes<bytes>::real;
  static constexpr int num = 2;

  real high[num];
  real low[num];
  bool may_have_minus_zero;
};

/// The sums of the halves of a block's items, without error where no flag was raised and they are finite. Halves are
/// multiples of the last bit of the smallest item's half, so that most blocks have sums of fewer than 53 bits.
template <int bytes, sweep_kind kind>
MONOFOLD_INLINE void split_sweep(const double* items, int count, split_sums<bytes>& out) {
  MONOFOLD_AS_WRITTEN
  using real = typename lanes<bytes>::real;
  using words = typename lanes<bytes>::bits;
  constexpr int line = line_items<double>, in_line = 64 / bytes;
  constexpr int num = 4;  // to hide the latency of additions
  real high[num] = {}, low[num] = {};
  range_lanes<bytes, double, false, kind == sweep_kind::values> range;  // -0 alone is asked for
  real one = real{} + 1.0;
  keep_rounded(one);
  const auto take = [&](const double* at, auto first) __attribute__((always_inline)) {
    unrolled<in_line>([&](auto j) __attribute__((always_inline)) {
      MONOFOLD_AS_WRITTEN
      constexpr int v = (first + j) % num;
      typename decltype(range)::words bits;
      std::memcpy(&bits, at + j * (bytes / 8), sizeof(bits));
      keep_loaded(bits);
      range.note(bits);
      // NOLINTBEGIN: casts of vectors keep the bits
      words x = (words)bits;
      if constexpr (kind == sweep_kind::magnitudes) x &= ~std::uint64_t{0} >> 1;
      const real upper = (real)(x & upper_half_bits);
      const real lower = (real)x - upper;
      // NOLINTEND
      real sum;
      multiply_add<bytes>(upper, one, high[v], sum);  // as in fold/exact/bin_vectors
      high[v] = sum;
      low[v] += lower;
      // One vector after the other: all of a turn do not fit registers.
      __asm__ volatile("" : "+v"(high[v]), "+v"(low[v]), "+v"(range.lowest));
    });
  };
  const line_order<double> order(count);
  constexpr int group = sweep_streams * line;
  const double* at = items;
  for (int turns = count / group; turns > 0; --turns, at += order.step) {
    unrolled<sweep_streams>([&](auto p) __attribute__((always_inline)) {
      take(at + p * order.apart, std::integral_constant<int, p * in_line>{});
    });
  }
  for (int done = count / group * group; done < count; done += line) {
    take(items + done, std::integral_constant<int, 0>{});
  }
  for (int v = 0; v < split_sums<bytes>::num; ++v) {
    out.high[v] = high[v] + high[v + split_sums<bytes>::num];
    out.low[v] = low[v] + low[v + split_sums<bytes>::num];
  }
  out.may_have_minus_zero = range.may_have_minus_zero();
}
/// In a function of its own: each fold has the accumulator's loop in it, which is large without.
template <sweep_kind kind>
__attribute__((target("avx2,fma,bmi2"), noinline)) void split_sweep_avx2(const double* items,
                                                                         int count,
                                                                         split_sums<32>& out) {
  split_sweep<32, kind>(items, count, out);
}

/// Deposits such sums into bins that stand at their anchors, 1.5 * 2^e of the first one; false where they do not take
/// all.
template <int bytes, int bins>
MONOFOLD_INLINE bool deposit_split(const split_sums<bytes>& sums,
                                   double (&bin)[bins][split_sums<bytes>::num * bytes / 8]) {
  MONOFOLD_AS_WRITTEN
  using real = typename lanes<bytes>::real;
  using whole = typename lanes<bytes>::whole;
  const double most = bin[0][0] / 6;  // so that both parts of a lane add up to less than 2^(e - 1)
  whole fits = ~whole{}, rest = {};
  for (int v = 0; v < split_sums<bytes>::num; ++v) {
    real m[bins];
    for (int k = 0; k < bins; ++k) std::memcpy(&m[k], &bin[k][v * bytes / 8], bytes);
    for (const real& part : {sums.high[v], sums.low[v]}) {
      fits &= (whole)((part <= most) & (part >= -most));  // false of NaN
      real left = part;
      for (int k = 0; k < bins; ++k) {
        const real sum = m[k] + left;
        const real deposited = sum - m[k];
        if (k + 1 == bins) rest |= (whole)deposited ^ (whole)left;  // NOLINT: the bits
        left -= deposited;
        m[k] = sum;
      }
    }
    for (int k = 0; k < bins; ++k) std::memcpy(&bin[k][v * bytes / 8], &m[k], bytes);
  }
  std::uint64_t any = 0, all = ~std::uint64_t{0};
  for (int l = 0; l < bytes / 8; ++l) {
    any |= static_cast<std::uint64_t>(rest[l]);
    all &= static_cast<std::uint64_t>(fits[l]);
  }
  return any << 1 == 0 && all != 0;  // equal but for the sign of zero
}
#endif

}  // namespace monofold::detail

#endif
