#pragma once
/// fold/exact/run: adds a run of items to exact sums, in whatever way is fastest for them.

#include <cstdint>
#include <type_traits>

#include "monofold/fold/exact/cascade.hpp"
#include "monofold/fold/exact/digits.hpp"
#include "monofold/fold/exact/narrow.hpp"
#include "monofold/fold/exact/state.hpp"
#include "monofold/fold/exact/term.hpp"
#include "monofold/platform/bits.hpp"
#include "monofold/platform/float_format.hpp"
#include "monofold/platform/host_device.hpp"
#include "monofold/platform/numbers.hpp"
#include "monofold/platform/strict_arithmetic.hpp"

namespace monofold {

namespace detail {

/// Items that digits take before their carries run: below 2^31, and a product makes two deposits.
inline constexpr std::int64_t digits_block = std::int64_t{1} << 29;

/// The terms of a run one by one, in integers: right for every item, on every processor, under any
/// rounding mode.
template <class Term>
MONOFOLD_HD void add_run_by_digits(exact_state<typename Term::number>& own,
                                   const typename Term::item* items, std::int64_t count) {
  using number = typename Term::number;
  for (std::int64_t at = 0; at < count; at += digits_block) {
    const std::int64_t end = count - at < digits_block ? count : at + digits_block;
    exact_digits<number> digits = zero_digits<number>();
    for (std::int64_t i = at; i < end; ++i) add_term(digits, own.counts, Term::of(items[i]));
    add_number(own.sum, number_of(digits));
  }
}

#if defined(__GNUC__) && !defined(__CUDA_ARCH__) && MONOFOLD_STRICT_DOUBLES
#define MONOFOLD_EXACT_LEVELS 1

/// Fewer items than this are added one by one: so much costs a block of levels.
inline constexpr int least_levels = 24;

/// How the terms of a block become numbers without error that levels can add.
template <class Term>
struct block_terms;

template <bool clear_sign, class Item>
struct block_values {
  template <int bytes, bool fused, class Number>
  MONOFOLD_INLINE static block_outcome add(Number& own, const Item* items, int count) {
    if constexpr (!std::is_same_v<Item, double>) {
      return add_narrow<bytes, clear_sign>(own, items, count);
    } else if constexpr (clear_sign) {
      double sizes[cascade_block];
      for (int i = 0; i < count; ++i) {
        sizes[i] = bits_as<double>(float_bits(items[i]) & (float_format<double>::sign_bit - 1));
      }
      return add_doubles<bytes>(own, sizes, count, 0);
    } else {
      return add_doubles<bytes>(own, items, count, 0);
    }
  }
  /// Of a block of zeros: whether one of them is not -0.
  MONOFOLD_INLINE static bool any_other_zero(const Item* items, int count) {
    bool any = clear_sign;
    for (int i = 0; i < count; ++i) any |= float_bits(items[i]) == 0;
    return any;
  }
};

template <class Item>
struct block_terms<value_term<Item>> : block_values<false, Item> {};
template <class Item>
struct block_terms<magnitude_term<Item>> : block_values<true, Item> {};

/// Numbers of at most 53 significant bits that a double holds with room to spare.
template <class Item>
inline constexpr bool fits_double_v = is_floating_v<Item> ||
                                      (std::is_integral_v<Item> && sizeof(Item) <= 4);

/// A product of two of them that is exact in a double: two floats have 48 bits, and no over- or
/// underflow.
template <class Item>
inline constexpr bool is_short_v = is_floating_v<Item> && !std::is_same_v<Item, double>;

/// A block of products: p = x y rounded, and what is left, e = x y - p, by a fused multiply-add.
///
/// e is exact where p is finite and its last bit, at least 2^-105 |p|, lies above 2^-1074: where
/// |p| >= 2^-960. Smaller products spill, but for those with a factor of zero.
template <class Term>
struct block_products {
  using item = typename Term::item;

  template <int bytes, bool fused, class Number, class Left, class Right>
  MONOFOLD_INLINE static block_outcome add(Number& own, int count, const Left& left,
                                           const Right& right) {
    using left_type = std::remove_cvref_t<decltype(left(0))>;
    using right_type = std::remove_cvref_t<decltype(right(0))>;
    double p[cascade_block];
    if constexpr (is_short_v<left_type> && is_short_v<right_type>) {
      for (int i = 0; i < count; ++i) {
        p[i] = static_cast<double>(left(i)) * static_cast<double>(right(i));
      }
      return add_doubles<bytes>(own, p, count, 0);
    } else if constexpr (fused && fits_double_v<left_type> && fits_double_v<right_type>) {
      double e[cascade_block];
      std::int64_t inexact = 0;
      for (int i = 0; i < count; ++i) {
        const auto x = static_cast<double>(left(i));
        const auto y = static_cast<double>(right(i));
        p[i] = x * y;
        e[i] = __builtin_fma(x, y, -p[i]);
        inexact |= (__builtin_fabs(p[i]) < 0x1p-960) & (x != 0) & (y != 0) ? 1 : 0;
      }
      if (inexact != 0) return block_outcome::spills;
      // The rests first: where p has an infinity, e has a NaN.
      Number sum = own;
      if (add_doubles<bytes>(sum, e, count, 0) == block_outcome::spills) {
        return block_outcome::spills;
      }
      const block_outcome outcome = add_doubles<bytes>(sum, p, count, 0);
      if (outcome == block_outcome::added) own = sum;
      return outcome;
    } else {
      return block_outcome::spills;
    }
  }
};

template <class Item>
struct block_terms<square_term<Item>> {
  template <int bytes, bool fused, class Number>
  MONOFOLD_INLINE static block_outcome add(Number& own, const Item* items, int count) {
    const auto x = [items](int i) __attribute__((always_inline)) { return items[i]; };
    return block_products<square_term<Item>>::template add<bytes, fused>(own, count, x, x);
  }
  MONOFOLD_INLINE static bool any_other_zero(const Item*, int) { return true; }
};

template <class Pair>
struct block_terms<product_term<Pair>> {
  template <int bytes, bool fused, class Number>
  MONOFOLD_INLINE static block_outcome add(Number& own, const Pair* items, int count) {
    const auto x = [items](int i) __attribute__((always_inline)) { return items[i].left; };
    const auto y = [items](int i) __attribute__((always_inline)) { return items[i].right; };
    return block_products<product_term<Pair>>::template add<bytes, fused>(own, count, x, y);
  }
  MONOFOLD_INLINE static bool any_other_zero(const Pair* items, int count) {
    bool any = false;
    for (int i = 0; i < count; ++i) any |= !product_term<Pair>::of(items[i]).is_minus_zero();
    return any;
  }
};

/// Blocks of a run by levels, and by digits where those cannot.
template <int bytes, bool fused, class Term>
MONOFOLD_INLINE void add_run_by_levels(exact_state<typename Term::number>& own,
                                       const typename Term::item* items, std::int64_t count) {
  using terms = block_terms<Term>;
  constexpr int block = sizeof(typename Term::item) == 4 ? 1024 : cascade_block;
  for (std::int64_t at = 0; at < count; at += block) {
    const int n = count - at < block ? static_cast<int>(count - at) : block;
    const block_outcome outcome = terms::template add<bytes, fused>(own.sum, items + at, n);
    if (outcome == block_outcome::spills) {
      add_run_by_digits<Term>(own, items + at, n);
      continue;
    }
    own.counts.items += n;
    if (outcome == block_outcome::added || terms::any_other_zero(items + at, n)) {
      own.counts.other = 1;
    }
  }
}

#if defined(__x86_64__) && !defined(__CUDACC__)
#define MONOFOLD_EXACT_AVX2 1

/// The same with vectors of four doubles and fused multiply-adds, in a function of its own: the
/// loops inlined into it take its instruction set.
template <class Term>
__attribute__((target("avx2,fma"), noinline)) void add_run_avx2(
    exact_state<typename Term::number>& own, const typename Term::item* items, std::int64_t count) {
  add_run_by_levels<32, true, Term>(own, items, count);
}
#endif

#endif  // levels

}  // namespace detail

/// own += the terms of `count` items.
///
/// order      exact: any
/// tested by  tests/exact/sum_test.cpp, tests/exact/environment_test.cpp
template <class Term>
MONOFOLD_HD void add_run(exact_state<typename Term::number>& own, const typename Term::item* items,
                         std::int64_t count) {
#if defined(MONOFOLD_EXACT_LEVELS)
  if (count >= detail::least_levels) {
    const strict_arithmetic arithmetic;
    if (arithmetic.holds()) {
#if defined(MONOFOLD_EXACT_AVX2)
      if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
        detail::add_run_avx2<Term>(own, items, count);
        return;
      }
#endif
      detail::add_run_by_levels<16, false, Term>(own, items, count);
      return;
    }
  }
#endif
  detail::add_run_by_digits<Term>(own, items, count);
}

}  // namespace monofold
