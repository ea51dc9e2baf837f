#pragma once
/// fold/exact/state: an exact sum with what is no finite number beside it: a commutative group.

#include <cstdint>

#include "monofold/fold/exact/digits.hpp"
#include "monofold/fold/exact/number.hpp"
#include "monofold/fold/nan.hpp"
#include "monofold/platform/float_format.hpp"
#include "monofold/platform/host_device.hpp"
#include "monofold/platform/numbers.hpp"

namespace monofold {

/// What a sum must know besides the sum of its finite items.
struct exact_counts {
  std::int64_t items;              // all of them, NaN too
  std::int64_t nan;                // items that are NaN
  std::int64_t positive_infinity;  // items that are +inf
  std::int64_t negative_infinity;  // items that are -inf
  std::int64_t minus_zeros;        // items that are -0

  static constexpr int num_counts = 5;

  /// Version 1 has a flag in place of the last: 1 where an item is neither -0 nor NaN.
  constexpr void was_read_from(std::uint32_t version) {
    if (version == 1) minus_zeros = minus_zeros != 0 ? 0 : items - nan;
  }
};

/// An exact sum: equal data have equal bytes, whatever the engine, the split and the order.
///
/// shape      8 (num_limbs + 5) bytes, no padding: 312 for float64, 88 for float32 and bfloat16,
///            64 for float16; any bytes copied are a state
/// order      addition of integers: commutative and associative
/// tested by  tests/exact/state_test.cpp
template <class Number>
struct exact_state {
  using number = Number;

  Number sum;
  exact_counts counts;
};

MONOFOLD_HD exact_counts zero_counts() { return {0, 0, 0, 0, 0}; }

MONOFOLD_HD exact_counts add_counts(const exact_counts& a, const exact_counts& b) {
  return {a.items + b.items, a.nan + b.nan, a.positive_infinity + b.positive_infinity,
          a.negative_infinity + b.negative_infinity, a.minus_zeros + b.minus_zeros};
}

MONOFOLD_HD exact_counts subtract_counts(const exact_counts& a, const exact_counts& b) {
  return {a.items - b.items, a.nan - b.nan, a.positive_infinity - b.positive_infinity,
          a.negative_infinity - b.negative_infinity, a.minus_zeros - b.minus_zeros};
}

template <class Number>
MONOFOLD_HD exact_state<Number> zero_state() {
  return {zero_number<Number>(), zero_counts()};
}

/// own += other, whose items may be of a narrower type.
template <class Number, class Other>
MONOFOLD_HD void merge(exact_state<Number>& own, const exact_state<Other>& other) {
  add_number(own.sum, other.sum);
  own.counts = add_counts(own.counts, other.counts);
}

/// Finite items that are not -0.
MONOFOLD_HD std::int64_t finite_items(const exact_counts& c) {
  return c.items - c.nan - c.positive_infinity - c.negative_infinity - c.minus_zeros;
}

/// Whether some items have these counts.
MONOFOLD_HD bool are_counts(const exact_counts& c) {
  return c.nan >= 0 && c.positive_infinity >= 0 && c.negative_infinity >= 0 && c.minus_zeros >= 0 &&
         finite_items(c) >= 0;
}

/// own -= part; false where the items of `part` were not all among its own, as far as that can be seen.
template <class Number>
MONOFOLD_HD bool subtract(exact_state<Number>& own, const exact_state<Number>& part) {
  subtract_number(own.sum, part.sum);
  own.counts = subtract_counts(own.counts, part.counts);
  return are_counts(own.counts) && (finite_items(own.counts) > 0 || is_zero(own.sum));
}

/// One more item of this kind.
MONOFOLD_HD void count_item(exact_counts& own, number_kind kind, bool negative,
                            bool is_minus_zero) {
  ++own.items;
  if (kind == number_kind::finite) {
    own.minus_zeros += is_minus_zero ? 1 : 0;
  } else if (kind == number_kind::nan) {
    ++own.nan;
  } else {
    (negative ? own.negative_infinity : own.positive_infinity) += 1;
  }
}

/// What the counts alone decide about a sum: whether it is finite at all, and the sign of a zero.
struct exact_verdict {
  number_kind kind;
  bool negative;       // of an infinity or of a zero
  std::int64_t items;  // that take part
};

template <nan_rule rule>
MONOFOLD_HD exact_verdict verdict(const exact_counts& c) {
  const bool omit = rule == nan_rule::omit;
  const std::int64_t items = omit ? c.items - c.nan : c.items;
  if ((!omit && c.nan != 0) || (c.positive_infinity != 0 && c.negative_infinity != 0)) {
    return {number_kind::nan, false, items};
  }
  if (c.positive_infinity != 0 || c.negative_infinity != 0) {
    return {number_kind::infinite, c.negative_infinity != 0, items};
  }
  return {number_kind::finite, items > 0 && c.minus_zeros == items, items};
}

/// A state as integers that an ordinary sum of int64 merges.
///
/// shape      num_words words: the digits of the sum, least significant first, then the counts in
///            the order of `exact_counts`
/// order      adding up the words of up to 2^31 - 1 states in any order, then `state_of`, gives the
///            bytes of the merged states
/// tested by  tests/exact/state_test.cpp
template <class Number>
struct exact_wire {
  static constexpr int num_digits = exact_digits<Number>::num_digits;
  static constexpr int num_words = num_digits + exact_counts::num_counts;

  std::int64_t word[num_words];
};

template <class Number>
MONOFOLD_HD exact_wire<Number> wire_of(const exact_state<Number>& s) {
  exact_wire<Number> out;
  const exact_digits<Number> digits = digits_of(s.sum);
  for (int i = 0; i < out.num_digits; ++i) out.word[i] = digits.digit[i];
  std::int64_t* const counts = out.word + out.num_digits;
  counts[0] = s.counts.items;
  counts[1] = s.counts.nan;
  counts[2] = s.counts.positive_infinity;
  counts[3] = s.counts.negative_infinity;
  counts[4] = s.counts.minus_zeros;
  return out;
}

/// The state of words, single or summed.
template <class Number>
MONOFOLD_HD exact_state<Number> state_of(const exact_wire<Number>& wire) {
  exact_digits<Number> digits;
  for (int i = 0; i < wire.num_digits; ++i) digits.digit[i] = wire.word[i];
  const std::int64_t* const counts = wire.word + wire.num_digits;
  return {number_of(digits), {counts[0], counts[1], counts[2], counts[3], counts[4]}};
}

}  // namespace monofold
