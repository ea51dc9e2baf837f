#pragma once
/// fold/exact/verified_products: deposits products of two arrays where the processor says whether anything was rounded.

#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include "monofold/fold/exact/bin_vectors.hpp"
#include "monofold/fold/exact/product_sweep.hpp"
#include "monofold/fold/exact/state.hpp"
#include "monofold/fold/exact/sweep.hpp"
#include "monofold/fold/exact/vectors.hpp"
#include "monofold/fold/exact/verified_sweep.hpp"
#include "monofold/platform/float_format.hpp"
#include "monofold/platform/host_device.hpp"
#include "monofold/platform/numbers.hpp"
#include "monofold/platform/strict_arithmetic.hpp"

#if defined(MONOFOLD_QUIET_VECTORS)

namespace monofold::detail {

/// Sixteen floats.
typedef float float_lanes __attribute__((vector_size(64), may_alias));

/// Half h of sixteen floats as doubles. By name: of a vector in a register gcc 12 stores the upper half.
template <int h>
MONOFOLD_INLINE void widen_half(const float_lanes& x, lanes<64>::real& out) {
  if constexpr (h == 0) {
    __asm__("vcvtps2pd {%t1, %0|%0, %t1}" : "=v"(out) : "v"(x));
  } else {
    float_lanes upper;
    __asm__("vextractf64x4 {$1, %1, %t0|%t0, %1, 1}" : "=v"(upper) : "v"(x));
    widen_half<0>(upper, out);
  }
}

/// 32 floats of 16 bits as floats of 32: in an order of the type's own.
MONOFOLD_INLINE void load_floats(const float16* at, float_lanes (&out)[2]) {
  for (int h = 0; h < 2; ++h) {
    const auto& part = *reinterpret_cast<const char(*)[32]>(at + 16 * h);
    __asm__("vcvtph2ps {%1, %0|%0, %1}" : "=v"(out[h]) : "m"(part));
  }
}
MONOFOLD_INLINE void load_floats(const bfloat16* at, float_lanes (&out)[2]) {
  lanes<64>::half_bits both;
  std::memcpy(&both, at, sizeof(both));
  // NOLINTBEGIN: the bits
  out[0] = (float_lanes)(both << 16);
  out[1] = (float_lanes)(both & 0xffff0000u);
  // NOLINTEND
}

/// How many products are -0: of finite factors whose products do not underflow. A multiple of 32.
template <class Item>
__attribute__((target("avx2"), noinline)) std::int64_t minus_zeros_of_products(const Item* x,
                                                                               const Item* y,
                                                                               int count) {
  using format = float_format<Item>;
  typedef typename format::bits words __attribute__((vector_size(32), may_alias));
  constexpr int in_vector = 32 / static_cast<int>(sizeof(Item));
  constexpr auto size_bits = static_cast<typename format::bits>(~format::sign_bit);
  words found = {};  // in a lane fewer than factors of a block
  for (int i = 0; i < count; i += in_vector) {
    words a, b;
    std::memcpy(&a, x + i, sizeof(a));
    std::memcpy(&b, y + i, sizeof(b));
    // NOLINTNEXTLINE: -1 where it is so
    const words zeros = (words)((a & size_bits) == 0) | (words)((b & size_bits) == 0);
    found += (zeros & (a ^ b)) >> (8 * sizeof(Item) - 1);
  }
  std::int64_t all = 0;
  for (int l = 0; l < in_vector; ++l) all += static_cast<std::int64_t>(found[l]);
  return all;
}

/// Adds products of two arrays as long as the bins of `product_sweep` hold them and nothing is rounded.
///
/// Products of floats of 16 bits are floats of 32, and eight of those mostly are a double together: the flags tell
/// where they are not, and where one over- or underflows. Products of doubles are p and a rest; where p underflows, the
/// rest is rounded. Infinities and NaN are left in the bins.
template <class Item>
class factor_sweep {
  using pair = item_pair<Item, Item>;
  using real = lanes<64>::real;
  static constexpr bool is_half = sizeof(Item) == 2;
  static constexpr int bins = 2 * pair_products<pair>::parts;
  static constexpr int num = product_sweep<64, pair>::num;
  static constexpr int turn = is_half ? 64 : 16;
  static constexpr int block = most_deposits * num * 8;
  static_assert(block % turn == 0);

 public:
  /// How many, a multiple of `turn`.
  template <class Number>
  MONOFOLD_INLINE static std::int64_t add(exact_state<Number>& own, product_bins& to, const Item* x,
                                          const Item* y, std::int64_t count) {
    product_sweep<64, pair>::begin(own, to.kept);
    const rounding_flags flags;
    std::int64_t done = 0;
    while (count - done >= turn) {
      if (!to.kept.tries.next()) break;
      const std::int64_t left = count - done;
      const int n = left < block ? static_cast<int>(left / turn * turn) : block;
      bin_vectors<64, bins, num> sums(to.kept);
      const bool may_have_minus_zero = deposit(x + done, y + done, n, sums.m);
      if (!sums.count_units(flags, to.kept) || flags.any()) break;
      to.kept.tries.succeeded();
      own.counts.items += n;
      if (may_have_minus_zero) {
        own.counts.minus_zeros += minus_zeros_of_products(x + done, y + done, n);
      }
      sums.keep(to.kept);
      if (++to.kept.blocks == kept_bins::most_blocks) to.kept.empty(own.sum);
      done += n;
    }
    return done;
  }

 private:
  /// Whether a product may be -0.
  MONOFOLD_INLINE static bool deposit(const Item* x, const Item* y, int count,
                                      real (&sums)[bins][num]) {
    using word = std::conditional_t<is_half, lanes<64>::half, lanes<64>::whole>;
    real m[bins][num];
    std::memcpy(m, sums, sizeof(m));
    word lowest = {};  // -0 is the smallest number of all
    real one = real{} + 1.0;
    keep_rounded(one);
    for (int done = 0; done < count; done += turn) {
      unrolled<turn* static_cast<int>(sizeof(Item)) / 64>([&](
          auto l) __attribute__((always_inline)) {
        prefetch(x + done + l * line_items<Item>, page_bytes);
        prefetch(y + done + l * line_items<Item>, page_bytes);
      });
      if constexpr (is_half) {
        deposit_turn(x + done, y + done, m, lowest, one);
      } else {
        unrolled<2>([&](auto v) __attribute__((always_inline)) {
          real a, b;
          load(x + done + 8 * v, a);
          load(y + done + 8 * v, b);
          deposit_vector<v % num>(a, b, m, lowest, one);
        });
      }
    }
    std::memcpy(sums, m, sizeof(m));
    std::int64_t least = 0;
    for (int l = 0; l < (is_half ? 16 : 8); ++l) least = lowest[l] < least ? lowest[l] : least;
    return least == (is_half ? std::numeric_limits<std::int32_t>::min()
                             : std::numeric_limits<std::int64_t>::min());
  }

  MONOFOLD_INLINE static void load(const Item* at, real& out) {
    if constexpr (sizeof(Item) == 8) {
      std::memcpy(&out, at, sizeof(out));
    } else {
      half_of_floats<64>(at, 0, out);
    }
  }
  template <int v, class Word>
  MONOFOLD_INLINE static void deposit_vector(const real& x, const real& y, real (&m)[bins][num],
                                             Word& lowest, const real& one) {
    real p;
    multiply_quietly(x, y, p);
    const Word own = (Word)p;  // NOLINT: the bits
    lowest = lowest < own ? lowest : own;
    deposit_verified<2, 0, v>(m, p, one);
    if constexpr (bins == 4) {
      real rest;
      multiply_subtract<64>(x, y, p, rest);
      deposit_verified<2, 2, v, true>(m, rest, one);
    }
  }
  template <class Word>
  MONOFOLD_INLINE static void deposit_turn(const Item* x, const Item* y, real (&m)[bins][num],
                                           Word& lowest, const real& one) {
    real sum = {};
    unrolled<2>([&](auto line) __attribute__((always_inline)) {
      float_lanes a[2], b[2];
      load_floats(x + 32 * line, a);
      load_floats(y + 32 * line, b);
      unrolled<2>([&](auto h) __attribute__((always_inline)) {
        const float_lanes p = a[h] * b[h];
        const Word own = (Word)p;  // NOLINT: the bits
        lowest = lowest < own ? lowest : own;
        real lower, upper;
        widen_half<0>(p, lower);
        widen_half<1>(p, upper);
        if constexpr (line == 0 && h == 0) {
          sum = lower + upper;
        } else {
          sum += lower + upper;
        }
      });
    });
    deposit_verified<2, 0, 0>(m, sum, one);
  }
};

}  // namespace monofold::detail

#endif
