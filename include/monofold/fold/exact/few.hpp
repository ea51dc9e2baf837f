#pragma once
/// fold/exact/few: the answer for a few items whose exact sum two doubles hold, without a state.

#include <cstdint>
#include <type_traits>

#include "monofold/fold/exact/anchored_sums.hpp"
#include "monofold/fold/exact/few_vectors.hpp"
#include "monofold/fold/exact/leading.hpp"
#include "monofold/fold/exact/products.hpp"
#include "monofold/fold/exact/rounding.hpp"
#include "monofold/fold/exact/sum.hpp"
#include "monofold/fold/exact/sum_of_two.hpp"
#include "monofold/fold/exact/term.hpp"
#include "monofold/platform/bits.hpp"
#include "monofold/platform/float_format.hpp"
#include "monofold/platform/host_device.hpp"
#include "monofold/platform/status.hpp"
#include "monofold/platform/strict_arithmetic.hpp"

namespace monofold::detail {

/// More items than this are added faster by the ways of fold/exact/accumulator.
inline constexpr std::int64_t few_items = 64;

/// The term of an item as a double, where that is exact.
template <class Term>
struct double_term {
  static constexpr bool is_exact = false;
};
template <class Item>
struct double_term<value_term<Item>> {
  static constexpr bool is_exact = true;
  MONOFOLD_INLINE static double of(const Item& x) { return static_cast<double>(x); }
};
template <class Item>
struct double_term<magnitude_term<Item>> {
  static constexpr bool is_exact = true;
  MONOFOLD_INLINE static double of(const Item& x) { return absolute(static_cast<double>(x)); }
};
template <class Item>
struct double_term<square_term<Item>> {
  static constexpr bool is_exact = sizeof(Item) <= 4;  // 48 bits, between 2^-298 and 2^256
  MONOFOLD_INLINE static double of(const Item& x) {
    return static_cast<double>(x) * static_cast<double>(x);
  }
};

#if defined(__GNUC__) && !defined(__CUDA_ARCH__) && MONOFOLD_STRICT_DOUBLES

/// The exact sum of the terms of 1 to few_items items, where two doubles hold it; while arithmetic is strict.
///
/// errors     false: they do not, or there is NaN or an infinity
template <class Term>
MONOFOLD_INLINE bool add_few(const typename Term::item* items, std::int64_t count,
                             sum_of_two& out) {
  MONOFOLD_AS_WRITTEN
  double high = double_term<Term>::of(items[0]);
  double low = 0;
  double lost = high - high;  // NaN unless it is finite
  for (std::int64_t i = 1; i < count; ++i) {
    double rest = 0;
    add_with_rest<double>(high, double_term<Term>::of(items[i]), high, rest);
    add_with_rest<double>(low, rest, low, rest);
    lost += absolute(rest);
  }
  // `high` is -0 where all items are, and stays it.
  const double before = high;
  double rest = 0;
  add_with_rest<double>(high, low, high, rest);
  out.lost = lost + (high - high);
  out.high = low == 0 ? before : high;
  out.low = low == 0 ? 0 : rest;
  return out.lost == 0;
}

template <class Term>
__attribute__((noinline)) bool sum_few_one_by_one(const typename Term::item* items,
                                                  std::int64_t count, sum_of_two& out) {
  const strict_arithmetic arithmetic;
  return arithmetic.holds() && add_few<Term>(items, count, out);
}

/// The same in whatever arithmetic the caller has.
template <class Term>
MONOFOLD_INLINE bool sum_few(const typename Term::item* items, std::int64_t count,
                             sum_of_two& out) {
#if defined(MONOFOLD_EXACT_X86)
  if constexpr (sizeof(typename Term::item) >= 4) {
    // Fewer are not worth the joining of lanes.
    if (count >= least_in_lanes && instruction_set_in_use() != instruction_set::baseline) {
      if constexpr (std::is_same_v<Term, value_term<double>>) {
        if (count >= least_anchored) {
          sum_of_few found;
          run_by_vectors(sum_of_few_work{items, count, false, found});
          out = found.sum;
          if (found.is_known) return true;
        }
      }
      return sum_few_by_lanes<Term>(items, count, out);
    }
  }
#endif
  return sum_few_one_by_one<Term>(items, count, out);
}
#else
template <class Term>
bool sum_few(const typename Term::item*, std::int64_t, sum_of_two&) {
  return false;
}
#endif

/// number / count, rounded once. In a function of its own: see strict_arithmetic.
__attribute__((noinline)) inline bool divide_few(const double& number, std::int64_t count,
                                                 double& out) {
  const strict_arithmetic arithmetic;
  if (!arithmetic.holds()) return false;
  out = number / static_cast<double>(count);
  return true;
}

/// By its bits: where operands are flushed, small numbers compare as 0.
inline bool is_zero(double x) { return bits_as<std::uint64_t>(x) << 1 == 0; }

/// `known`: find(items, count, answer) leaves the answer of a fold for 1 to few_items items, or says that it does
/// not know it. The bits are the fold's.
template <class F>
struct few_answers {
  static constexpr bool known = false;
};

template <class Term, nan_rule rule>
requires double_term<Term>::is_exact struct few_answers<exact_total_fold<Term, double, rule>> {
  static constexpr bool known = true;
  static bool find(const typename Term::item* items, std::int64_t count, result<double>& out) {
    sum_of_two sum;
    if (!sum_few<Term>(items, count, sum)) return false;
    out = sum.high;  // the sum, rounded once: `low` is at most half a unit, and was rounded to even
    return true;
  }
};

/// An exact sum over the count, rounded once.
inline bool find_mean_of_few(const sum_of_two& sum, std::int64_t count, result<double>& out) {
  if (is_zero(sum.high)) {
    out = sum.high;
    return true;
  }
  if (double mean = 0; is_zero(sum.low) && divide_few(sum.high, count, mean)) {
    out = mean;
    return true;
  }
  leading_number leading;
  if (!leading_of(sum, leading)) return false;
  const auto divisor = static_cast<std::uint64_t>(count);
  out = round_bits<double>(leading.is_negative, quotient_of(leading.bits, divisor));
  return true;
}

template <class Term, nan_rule rule>
requires double_term<Term>::is_exact struct few_answers<exact_mean_fold<Term, double, rule>> {
  static constexpr bool known = true;
  static bool find(const typename Term::item* items, std::int64_t count, result<double>& out) {
    sum_of_two sum;
    return sum_few<Term>(items, count, sum) && find_mean_of_few(sum, count, out);
  }
};

template <class Item, nan_rule rule>
requires double_term<square_term<Item>>::is_exact struct few_answers<
    exact_norm2_fold<Item, double, rule>> {
  static constexpr bool known = true;
  static bool find(const Item* items, std::int64_t count, result<double>& out) {
    sum_of_two sum;
    leading_number leading;
    if (!sum_few<square_term<Item>>(items, count, sum)) return false;
    if (is_zero(sum.high)) {
      out = 0.0;
      return true;
    }
    if (!leading_of(sum, leading)) return false;
    out = round_bits<double>(false, root_of(leading.bits));
    return true;
  }
};

}  // namespace monofold::detail
