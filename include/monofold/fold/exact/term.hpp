#pragma once
/// fold/exact/term: what an item adds to an exact sum: itself, its magnitude, its square, a product.

#include <cstdint>

#include "monofold/fold/exact/digits.hpp"
#include "monofold/fold/exact/number.hpp"
#include "monofold/fold/exact/state.hpp"
#include "monofold/fold/item_pair.hpp"
#include "monofold/platform/float_format.hpp"
#include "monofold/platform/host_device.hpp"
#include "monofold/platform/numbers.hpp"

namespace monofold {

/// (-1)^negative * significand * 2^exponent, or what is no finite number.
struct exact_term {
  uint128 significand;
  int exponent;
  bool negative;
  number_kind kind;

  /// The one term that leaves the sign of an empty sum open.
  MONOFOLD_HD bool is_minus_zero() const {
    return kind == number_kind::finite && negative && significand == 0;
  }
};

namespace detail {

/// The product of the numbers with these parts: NaN for 0 * infinity, as in IEEE 754.
MONOFOLD_HD exact_term product_of(const float_parts& a, const float_parts& b) {
  const bool negative = a.negative != b.negative;
  if (a.kind == number_kind::finite && b.kind == number_kind::finite) {
    return {uint128{a.significand} * b.significand, a.exponent + b.exponent, negative,
            number_kind::finite};
  }
  const bool zero = (a.kind == number_kind::finite && a.significand == 0) ||
                    (b.kind == number_kind::finite && b.significand == 0);
  const bool nan = a.kind == number_kind::nan || b.kind == number_kind::nan || zero;
  return {0, 0, negative, nan ? number_kind::nan : number_kind::infinite};
}

/// Counts a finite item.
MONOFOLD_HD void count_finite(exact_counts& counts, bool is_minus_zero) {
  ++counts.items;
  counts.minus_zeros += is_minus_zero ? 1 : 0;
}

/// Adds an item of one or two parts to digits: no carry runs.
template <class Number>
MONOFOLD_HD void add_parts(exact_digits<Number>& digits, exact_counts& counts,
                           const float_parts& p) {
  if (p.kind != number_kind::finite) {
    count_item(counts, p.kind, p.negative, false);
    return;
  }
  count_finite(counts, p.negative && p.significand == 0);
  deposit(digits, p.significand, p.exponent - Number::low_exponent, p.negative);
}

template <class Number>
MONOFOLD_HD void add_product(exact_digits<Number>& digits, exact_counts& counts,
                             const float_parts& a, const float_parts& b) {
  const exact_term term = product_of(a, b);
  if (term.kind != number_kind::finite) {
    count_item(counts, term.kind, term.negative, false);
    return;
  }
  count_finite(counts, term.is_minus_zero());
  const int position = term.exponent - Number::low_exponent;
  deposit(digits, static_cast<std::uint64_t>(term.significand), position, term.negative);
  const auto high = static_cast<std::uint64_t>(term.significand >> 64);
  if (high != 0) deposit(digits, high, position + 64, term.negative);  // else there may be no digit
}

}  // namespace detail

template <class Item>
struct value_term {
  using item = Item;
  using number = exact_sum_number<Item>;

  MONOFOLD_HD static exact_term of(const Item& x) {
    const float_parts p = parts_of(x);
    return {p.significand, p.exponent, p.negative, p.kind};
  }
  MONOFOLD_HD static void add(exact_digits<number>& digits, exact_counts& counts, const item& x) {
    detail::add_parts(digits, counts, parts_of(x));
  }
};

template <class Item>
struct magnitude_term {
  using item = Item;
  using number = exact_sum_number<Item>;
  static constexpr bool is_magnitude = true;

  MONOFOLD_HD static exact_term of(const Item& x) {
    const float_parts p = parts_of(x);
    return {p.significand, p.exponent, false, p.kind};
  }
  MONOFOLD_HD static void add(exact_digits<number>& digits, exact_counts& counts, const item& x) {
    float_parts p = parts_of(x);
    p.negative = false;
    detail::add_parts(digits, counts, p);
  }
};

template <class Item>
struct square_term {
  using item = Item;
  using number = exact_product_number<Item, Item>;
  static constexpr bool is_magnitude = true;

  MONOFOLD_HD static exact_term of(const Item& x) {
    const float_parts p = parts_of(x);
    return detail::product_of(p, p);
  }
  MONOFOLD_HD static void add(exact_digits<number>& digits, exact_counts& counts, const item& x) {
    const float_parts p = parts_of(x);
    detail::add_product(digits, counts, p, p);
  }
};

template <class Pair>
struct product_term {
  using item = Pair;
  using left = typename detail::pair_types<Pair>::left;
  using right = typename detail::pair_types<Pair>::right;
  using number = exact_product_number<left, right>;

  MONOFOLD_HD static exact_term of(const Pair& x) {
    return detail::product_of(parts_of(x.left), parts_of(x.right));
  }
  MONOFOLD_HD static void add(exact_digits<number>& digits, exact_counts& counts, const item& x) {
    detail::add_product(digits, counts, parts_of(x.left), parts_of(x.right));
  }
};

/// own += term, where the carries run at once.
template <class Number>
MONOFOLD_HD void add_term(exact_state<Number>& own, const exact_term& term) {
  count_item(own.counts, term.kind, term.negative, term.is_minus_zero());
  if (term.significand == 0) return;
  const auto size = static_cast<int128>(term.significand);  // at most 64 + 53 bits
  add_at(own.sum, term.negative ? -size : size, term.exponent - Number::low_exponent);
}

}  // namespace monofold
