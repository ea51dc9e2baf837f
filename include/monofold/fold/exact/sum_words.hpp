#pragma once
/// fold/exact/sum_words: sums of few items as words that add up, and answers of such words, without a state between.

#include <cstdint>

#include "monofold/fold/exact/digits.hpp"
#include "monofold/fold/exact/few.hpp"
#include "monofold/fold/exact/leading.hpp"
#include "monofold/fold/exact/products.hpp"
#include "monofold/fold/exact/state.hpp"
#include "monofold/fold/exact/sum.hpp"
#include "monofold/fold/exact/sum_of_two.hpp"
#include "monofold/platform/bits.hpp"
#include "monofold/platform/float_format.hpp"
#include "monofold/platform/host_device.hpp"
#include "monofold/platform/instruction_set.hpp"
#include "monofold/platform/numbers.hpp"
#include "monofold/platform/strict_arithmetic.hpp"

namespace monofold::detail {

/// Folds whose answer the leading bits of one sum give, by exact type: one that is derived from them may have a
/// `lift` or a `finish` of its own.
template <class F>
struct rounded_sum {
  static constexpr bool known = false;
};
template <class Term>
struct rounded_sum_of {
  static constexpr bool known = true;
  using term = Term;
};
template <class Term, class Real, nan_rule rule>
struct rounded_sum<exact_total_fold<Term, Real, rule>> : rounded_sum_of<Term> {};
template <class Term, class Real, nan_rule rule>
struct rounded_sum<exact_mean_fold<Term, Real, rule>> : rounded_sum_of<Term> {};
template <class Item, class Real, nan_rule rule>
struct rounded_sum<exact_norm2_fold<Item, Real, rule>> : rounded_sum_of<square_term<Item>> {};

/// Adds a double to digits, which hold it.
template <class Number>
MONOFOLD_INLINE void deposit_double(std::int64_t* digits, const double& x) {
  const float_parts part = parts_of(x);
  const int position = part.exponent - Number::low_exponent;
  // Sums of narrower numbers have zeros below the grid.
  const int below = position < 0 ? -position : 0;
  deposit(digits, below < 64 ? part.significand >> below : 0, position + below, part.negative);
}

/// Writes the words of a sum that two doubles hold into words that are 0.
///
/// shape      the words of a state (`exact_wire`) up to what no answer depends on: digits have not carried, and are
///            below 2^33 in magnitude, so 2^30 of them add up; -0 are counted where all items are -0, else none is
template <class Number>
MONOFOLD_INLINE void put_words(const sum_of_two& sum, std::int64_t count, std::int64_t* words) {
  deposit_double<Number>(words, sum.high);
  if (!is_zero(sum.low)) deposit_double<Number>(words, sum.low);
  std::int64_t* const counts = words + exact_digits<Number>::num_digits;
  counts[0] = count;
  if (bits_as<std::uint64_t>(sum.high) == float_format<double>::sign_bit) counts[4] = count;
}

#if defined(MONOFOLD_EXACT_LEVELS)
/// Does that with fields from `at` on, of 0 to few_items items each, up to `end` or the first that has more, or whose
/// sum two doubles do not hold: its number. `words`: those of field 0, then of each next one.
template <class Term, bool by_lanes, class View>
MONOFOLD_INLINE std::int64_t put_fields(const View* fields, std::int64_t at, std::int64_t end,
                                        std::int64_t* words) {
  using number = typename Term::number;
  for (; at < end; ++at) {
    const View& field = fields[at];
    const std::int64_t count = field.size();
    if (count == 0) continue;
    if (count > few_items) return at;
    sum_of_two sum;
#if defined(MONOFOLD_EXACT_X86)
    if (by_lanes && count >= least_in_lanes) {
      if (!add_few_lanes<Term>(field.data(), count, sum)) return at;
      put_words<number>(sum, count, words + at * exact_wire<number>::num_words);
      continue;
    }
#endif
    if (!add_few<Term>(field.data(), count, sum)) return at;
    put_words<number>(sum, count, words + at * exact_wire<number>::num_words);
  }
  return end;
}

#if defined(MONOFOLD_EXACT_X86)
template <class Term, class View>
__attribute__((target("avx2,fma,bmi2"), noinline)) std::int64_t put_fields_avx2(
    const View* fields, std::int64_t at, std::int64_t end, std::int64_t* words) {
  const strict_arithmetic arithmetic;
  return put_fields<Term, true>(fields, at, end, words);
}
#endif
template <class Term, class View>
__attribute__((noinline)) std::int64_t put_fields_portable(const View* fields, std::int64_t at,
                                                           std::int64_t end, std::int64_t* words) {
  const strict_arithmetic arithmetic;
  return arithmetic.holds() ? put_fields<Term, false>(fields, at, end, words) : at;
}
#endif

/// The same for any fold, and views of any kind: where these have no such way, the first one's number.
template <class F, class View>
std::int64_t put_few_fields([[maybe_unused]] const View* fields, std::int64_t at,
                            [[maybe_unused]] std::int64_t end,
                            [[maybe_unused]] std::int64_t* words) {
#if defined(MONOFOLD_EXACT_LEVELS)
  if constexpr (rounded_sum<F>::known && requires(const View& v) { v.data(); }) {
    using term = typename rounded_sum<F>::term;
    if constexpr (double_term<term>::is_exact) {
#if defined(MONOFOLD_EXACT_X86)
      if (sizeof(typename term::item) >= 4 &&
          instruction_set_in_use() != instruction_set::baseline) {
        return put_fields_avx2<term>(fields, at, end, words);
      }
#endif
      return put_fields_portable<term>(fields, at, end, words);
    }
  }
#endif
  return at;
}

/// Which groups of four digits are not all 0, a bit each.
template <int digits>
MONOFOLD_INLINE std::uint64_t groups_used(const std::int64_t* digit) {
  std::uint64_t used = 0;
  for (int i = 0; i + 4 <= digits; i += 4) {
    const std::int64_t any = (digit[i] | digit[i + 1]) | (digit[i + 2] | digit[i + 3]);
    used |= std::uint64_t{any != 0 ? 1u : 0u} << (i / 4);
  }
  if constexpr (digits % 4 != 0) {
    const std::int64_t any = digit[digits - 2] | digit[digits - 1];
    used |= std::uint64_t{any != 0 ? 1u : 0u} << (digits / 4);
  }
  return used;
}

/// The leading bits of the number that digits make up.
template <class Number>
__attribute__((noinline)) leading_number leading_of_any_digits(const std::int64_t* digit) {
  exact_digits<Number> digits;
  for (int i = 0; i < digits.num_digits; ++i) digits.digit[i] = digit[i];
  return leading_of(number_of(digits));
}

/// The same, faster where all but five digits in a row are 0, as of a sum that two doubles hold.
template <class Number>
MONOFOLD_INLINE leading_number leading_of_digits(const std::int64_t* digit) {
  constexpr int num_digits = exact_digits<Number>::num_digits;
  const std::uint64_t used = groups_used<num_digits>(digit);
  const int group = bit_width_of(used) - 1;
  if (group < 1 || num_digits % 4 != 0) return leading_of_any_digits<Number>(digit);
  const std::int64_t* const upper = digit + 4 * group;
  const int top = upper[3] != 0 ? 3 : upper[2] != 0 ? 2 : upper[1] != 0 ? 1 : 0;
  const std::int64_t* const d = upper + top - 4;
  // What lies below these five, in the same two groups and in others.
  const std::int64_t below =
      (top > 0 ? upper[-4] : 0) | (top > 1 ? upper[-3] : 0) | (top > 2 ? upper[-2] : 0);
  const bool others = (used & ((std::uint64_t{1} << (group - 1)) - 1)) != 0;
  constexpr std::int64_t most = std::int64_t{1} << 61;
  if (below != 0 || others || d[4] > most || d[4] < -most) {
    return leading_of_any_digits<Number>(digit);
  }
  // Three limbs in two's complement: below 2^126 in the upper two.
  const int128 lower = (int128{d[1]} << 32) + d[0];
  int128 high = (int128{d[4]} << 64) + (int128{d[3]} << 32) + d[2] + (lower >> 64);
  auto low = static_cast<std::uint64_t>(lower);
  const bool is_negative = high < 0;
  if (is_negative) {
    low = std::uint64_t{0} - low;
    high = ~high + (low == 0 ? 1 : 0);
  }
  const auto upper_limb = static_cast<std::uint64_t>(high >> 64);
  const auto middle = static_cast<std::uint64_t>(high);
  const int exponent = Number::low_exponent + 32 * static_cast<int>(d + 2 - digit);
  if (upper_limb != 0) return {leading_of(upper_limb, middle, low, exponent, false), is_negative};
  if (middle != 0) return {leading_of(middle, low, 0, exponent - 64, false), is_negative};
  return leading_of_any_digits<Number>(digit);  // all but cancelled
}

}  // namespace monofold::detail
