#pragma once
/// fold/exact/product_parts: adds runs of products by way of doubles: each rounded, and what is missing.

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "monofold/fold/exact/add_by_digits.hpp"
#include "monofold/fold/exact/bin_accumulator.hpp"
#include "monofold/fold/exact/bin_plan.hpp"
#include "monofold/fold/exact/exponent_table.hpp"
#include "monofold/fold/exact/state.hpp"
#include "monofold/fold/exact/sweep.hpp"
#include "monofold/fold/exact/term.hpp"
#include "monofold/fold/exact/vectors.hpp"
#include "monofold/fold/item_pair.hpp"
#include "monofold/platform/bits.hpp"
#include "monofold/platform/float_format.hpp"
#include "monofold/platform/host_device.hpp"
#include "monofold/platform/numbers.hpp"
#include "monofold/platform/strict_arithmetic.hpp"

#if defined(__GNUC__) && !defined(__CUDA_ARCH__)

namespace monofold::detail {

/// A double that is part of a product: finite, on the grid of products.
template <class Number>
struct product_part {
  using item = double;
  using number = Number;

  MONOFOLD_HD static void add(exact_digits<number>& digits, exact_counts& counts, const item& x) {
    add_parts(digits, counts, parts_of(x));
  }
};
template <class Number>
inline constexpr bool has_table_v<product_part<Number>> = true;
template <class Number>
struct swept_term<product_part<Number>> : swept_term<value_term<double>> {};

/// Numbers of at most 53 significant bits that a double holds with room to spare.
template <class Item>
inline constexpr bool fits_double_v = is_floating_v<Item> ||
                                      (std::is_integral_v<Item> && sizeof(Item) <= 4);

/// Numbers of at most 24 significant bits: two of them have a product that is a double, without over- or
/// underflow.
template <class Item>
inline constexpr bool is_short_v = is_floating_v<Item> && !std::is_same_v<Item, double>;

template <class Item>
inline constexpr int significant_bits = 8 * sizeof(Item);
template <class Item>
requires is_floating_v<Item>
inline constexpr int significant_bits<Item> = float_format<Item>::precision;

/// What is noted of factors of 16 bits: the largest and the smallest magnitude.
template <int bytes>
struct factor_range {
  using halves = typename lanes<bytes>::quarter_bits;

  halves most = {};
  halves least = ~halves{};

  MONOFOLD_INLINE bool any_from(std::uint16_t infinity) const {
    bool any = false;
    for (int l = 0; l < bytes / 2; ++l) any |= most[l] >= infinity;
    return any;
  }
  MONOFOLD_INLINE bool any_zero() const {
    bool any = false;
    for (int l = 0; l < bytes / 2; ++l) any |= least[l] == 0;
    return any;
  }
};

/// Vectors of factors, from pairs.
template <int bytes>
struct factor_vectors {
  using real = typename lanes<bytes>::real;

  /// Parts doubles l r l r .. in a, then b: x gets the left ones and y the right ones, in the same order.
  MONOFOLD_INLINE static void part(const real& a, const real& b, real& x, real& y) {
#if defined(__clang__)
    if constexpr (bytes == 16) {
      x = __builtin_shufflevector(a, b, 0, 2);
      y = __builtin_shufflevector(a, b, 1, 3);
    } else if constexpr (bytes == 32) {
      x = __builtin_shufflevector(a, b, 0, 4, 2, 6);
      y = __builtin_shufflevector(a, b, 1, 5, 3, 7);
    } else {
      x = __builtin_shufflevector(a, b, 0, 8, 2, 10, 4, 12, 6, 14);
      y = __builtin_shufflevector(a, b, 1, 9, 3, 11, 5, 13, 7, 15);
    }
#else
    using whole = typename lanes<bytes>::whole;
    if constexpr (bytes == 16) {
      x = __builtin_shuffle(a, b, whole{0, 2});
      y = __builtin_shuffle(a, b, whole{1, 3});
    } else if constexpr (bytes == 32) {
      x = __builtin_shuffle(a, b, whole{0, 4, 2, 6});
      y = __builtin_shuffle(a, b, whole{1, 5, 3, 7});
    } else {
      x = __builtin_shuffle(a, b, whole{0, 8, 2, 10, 4, 12, 6, 14});
      y = __builtin_shuffle(a, b, whole{1, 9, 3, 11, 5, 13, 7, 15});
    }
#endif
  }
};

/// Takes `group` neighbouring pairs: calls use(x, y) with vectors of their factors, in any order. Factors from
/// `infinity` on, by their bits, are infinite or NaN and do not look so.
template <int bytes, class Pair>
struct pair_loader {
  using real = typename lanes<bytes>::real;
  static constexpr int group = bytes / 8;
  static constexpr std::uint16_t infinity = 0xffff;  // none

  template <class Use>
  MONOFOLD_INLINE static void load(const Pair* pairs, factor_range<bytes>&, const Use& use) {
    real x = {}, y = {};
    for (int l = 0; l < group; ++l) {
      x[l] = static_cast<double>(pairs[l].left);
      y[l] = static_cast<double>(pairs[l].right);
    }
    use(x, y);
  }
};
template <int bytes, class Item>
requires(sizeof(Item) >= 4 &&
         is_floating_v<Item>) struct pair_loader<bytes, item_pair<Item, Item>> {
  using real = typename lanes<bytes>::real;
  static constexpr int group = bytes / 8;
  static constexpr std::uint16_t infinity = 0xffff;  // none

  template <class Use>
  MONOFOLD_INLINE static void load(const item_pair<Item, Item>* pairs, factor_range<bytes>&,
                                   const Use& use) {
    real a = {}, b = {}, x, y;
    if constexpr (sizeof(Item) == 8) {
      std::memcpy(&a, pairs, sizeof(a));
      std::memcpy(&b, reinterpret_cast<const char*>(pairs) + bytes, sizeof(b));
    } else {
      half_of_floats<bytes>(pairs, 0, a);
      half_of_floats<bytes>(pairs, 1, b);
    }
    factor_vectors<bytes>::part(a, b, x, y);
    use(x, y);
  }
};
template <int bytes, class Item>
requires(sizeof(Item) == 2 &&
         is_floating_v<Item>) struct pair_loader<bytes, item_pair<Item, Item>> {
  using real = typename lanes<bytes>::real;
  using words = typename lanes<bytes>::half_bits;
  static constexpr int group = bytes / 4;
  static constexpr std::uint16_t infinity = float_format<Item>::infinity;

  /// A word has a pair: the left half is the lower one. At the top of a double, with its exponent and
  /// fraction moved down to where the double has them, a half is 2^-sweep_scale times too small.
  template <class Use>
  MONOFOLD_INLINE static void load(const item_pair<Item, Item>* pairs, factor_range<bytes>& seen,
                                   const Use& use) {
    using halves = typename factor_range<bytes>::halves;
    using wholes = typename lanes<bytes>::half;
    using longs = typename lanes<bytes>::bits;
    constexpr int down = float_format<double>::exponent_bits - float_format<Item>::exponent_bits;
    constexpr std::uint64_t mask = std::uint64_t{1} << 63 | std::uint64_t{0x7fff} << (48 - down);
    constexpr double up = unmoved<Item>;
    words both;
    std::memcpy(&both, pairs, sizeof(both));
    // NOLINTBEGIN: the bits
    const auto size = (halves)(both & 0x7fff7fff);
    seen.most = seen.most > size ? seen.most : size;
    seen.least = seen.least < size ? seen.least : size;
    const longs right = (longs)((wholes)both >> down);
    const longs left = (longs)((wholes)(both << 16) >> down);
    const real upper[2] = {(real)(left & mask), (real)(right & mask)};
    const real lower[2] = {(real)(left << 32 & mask), (real)(right << 32 & mask)};
    // NOLINTEND
    use(upper[0] * up, upper[1] * up);
    use(lower[0] * up, lower[1] * up);
  }
};

/// How products of pairs become doubles.
template <class Pair>
struct pair_products {
  using left = typename pair_types<Pair>::left;
  using right = typename pair_types<Pair>::right;
  static constexpr bool are_exact = is_short_v<left> && is_short_v<right>;
  static constexpr bool fit = fits_double_v<left> && fits_double_v<right>;
  static constexpr int parts = are_exact ? 1 : 2;
  // The exponents of products that are not 0. Those of short factors have so few bits that some of a double's are 0.
  static constexpr int max_exponent =
      exponents<left>::max_exponent + exponents<right>::max_exponent;
  static constexpr int least_exponent = exponents<left>::least + exponents<right>::least;
  static constexpr int zero_bits =
      are_exact ? 53 - significant_bits<left> - significant_bits<right> : 0;

  /// A pair that adds nothing: its product is -0.
  static Pair nothing() {
    Pair out{};
    if constexpr (is_floating_v<left>) {
      out.left = bits_as<left>(float_format<left>::sign_bit);
    } else {
      out.right = bits_as<right>(float_format<right>::sign_bit);
    }
    return out;
  }
};

/// Pairs that are multiplied at once: then their products lie in a first-level cache.
inline constexpr int product_block = 1024;
inline constexpr int most_pairs_of_group = 16;

/// Parts of the products of a block, with room for those that are appended.
template <class Pair>
using product_parts_of_block =
    double[pair_products<Pair>::parts][product_block + most_pairs_of_group];

/// Whether a product of factors that are not 0 is so small that its rest may be none.
template <class Pair>
__attribute__((noinline)) bool has_small_product(const Pair* pairs, int count) {
  bool any = false;
  for (int i = 0; i < count; ++i) {
    const auto x = static_cast<double>(pairs[i].left);
    const auto y = static_cast<double>(pairs[i].right);
    any |= __builtin_fabs(x * y) < 0x1p-960 && x != 0 && y != 0;
  }
  return any;
}

/// The products of at most `product_block` pairs: rounded, p, and where needed the rests, e = x y - p. How
/// many there are, with some -0 appended; 0 where some are not finite, or their rests not exact.
///
/// e is exact where p is finite and its last bit, at least 2^-105 |p|, lies above 2^-1074: where
/// |p| >= 2^-960, and where a factor is 0.
template <int bytes, class Pair>
MONOFOLD_INLINE int multiply_pairs(const Pair* pairs, int count,
                                   product_parts_of_block<Pair>& out) {
  using loader = pair_loader<bytes, Pair>;
  using real = typename lanes<bytes>::real;
  using half = typename lanes<bytes>::half;
  using whole = typename lanes<bytes>::whole;
  constexpr int parts = pair_products<Pair>::parts;
  constexpr int group = loader::group;
  constexpr std::int32_t infinite = 0x7ff00000;  // of upper halves, as the next
  constexpr std::int32_t small = (1023 - 960) << 20;
  static_assert(group <= most_pairs_of_group);
  factor_range<bytes> seen;
  half not_finite = {};  // negative where a product is not finite
  half low = {};         // where one is small, perhaps 0
  const auto take = [&](const Pair* from, int to) __attribute__((always_inline)) {
    loader::load(
        from, seen, [&](const real& x, const real& y) __attribute__((always_inline)) {
          MONOFOLD_AS_WRITTEN
          real p = x * y;
          keep_rounded(p);
          std::memcpy(out[0] + to, &p, sizeof(p));
          const half size = (half)p & 0x7fffffff;  // NOLINT: the bits
          not_finite |= infinite - 1 - size;
          if constexpr (parts == 2) {
            low |= size - small;
            // From registers: where gcc knows where lanes come from, it multiplies them one by one.
            real a = x, b = y, e = {};
            keep_rounded(a);
            keep_rounded(b);
            for (int l = 0; l < bytes / 8; ++l) e[l] = __builtin_fma(a[l], b[l], -p[l]);
            std::memcpy(out[1] + to, &e, sizeof(e));
          }
          to += bytes / 8;
        });
  };
  int done = 0;
  for (; done + group <= count; done += group) {
    prefetch(pairs + done, page_bytes);
    take(pairs + done, done);
  }
  if (done < count) {
    Pair tail[group];
    for (int i = 0; i < group; ++i) {
      tail[i] = done + i < count ? pairs[done + i] : pair_products<Pair>::nothing();
    }
    take(tail, done);
    done += group;
  }
  std::int64_t any_not_finite = 0, any_low = 0;
  for (int l = 0; l < bytes / 8; ++l) {
    any_not_finite |= ((whole)not_finite)[l];  // NOLINT: the bits
    any_low |= ((whole)low)[l];                // NOLINT: the bits
  }
  if (any_not_finite < 0 || seen.any_from(loader::infinity)) return 0;
  if (parts == 2 && any_low < 0 && has_small_product(pairs, count)) return 0;
  return done;
}

/// What one part of some products has added up.
template <class Number>
struct part_accumulator {
  exact_state<Number> state = zero_state<Number>();
  kept_bins kept;
  exponent_table<product_part<Number>> table;

  void add_to(Number& own) const {
    add_number(own, state.sum);
    kept.add_to(own);
    table.add_to(own);
  }
};

/// A run of products: their counts and those of integers in `own`, of the others each part by itself.
///
/// order      exact: any
/// sync       the arithmetic must be that of IEEE 754 (platform/strict_arithmetic)
template <int bytes, bool fused, class Pair, class Number>
MONOFOLD_INLINE void add_products(exact_state<Number>& own, part_accumulator<Number>* sums,
                                  const Pair* pairs, std::int64_t count) {
  using products = pair_products<Pair>;
  if constexpr (!products::fit || (products::parts == 2 && !fused)) {
    add_run_by_digits<product_term<Pair>>(own, pairs, count);
  } else {
    product_parts_of_block<Pair> out;
    for (std::int64_t at = 0; at < count; at += product_block) {
      const int n = count - at < product_block ? static_cast<int>(count - at) : product_block;
      const int made = multiply_pairs<bytes>(pairs + at, n, out);
      if (made == 0) {
        add_run_by_digits<product_term<Pair>>(own, pairs + at, n);
        continue;
      }
      own.counts.items += n;
      for (int part = 0; part < products::parts; ++part) {
        part_accumulator<Number>& own_part = sums[part];
        bin_accumulator<bytes, product_part<Number>>(own_part.state, own_part.kept, own_part.table)
            .add(out[part], made);
      }
      sums[0].state.counts.minus_zeros -= made - n;  // those that were appended
    }
  }
}

}  // namespace monofold::detail

#endif
