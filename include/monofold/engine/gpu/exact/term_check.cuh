#pragma once
/// engine/gpu/exact/term_check: whether bins hold the terms of a tile, found from the bits of its items.

#include <cstdint>

#include "monofold/engine/gpu/exact/term_bins.cuh"
#include "monofold/engine/gpu/exact/term_format.cuh"
#include "monofold/engine/gpu/load.cuh"
#include "monofold/fold/exact/term.hpp"
#include "monofold/platform/host_device.hpp"
#include "monofold/platform/numbers.hpp"

namespace monofold::detail {

/// What a thread has seen of some items.
struct seen_items {
  std::uint32_t most = 0;              // the largest, see `thread_items`
  std::uint32_t least = 0xffffffffu;   // the smallest, see `look_low` there
  std::uint32_t largest = 0;           // the largest factor, where infinite ones look finite
  std::uint32_t factor = 0xffffffffu;  // the smallest factor
  std::uint32_t lowest = 0;            // see `look_signs` there
};

/// How a thread finds out, from the bits of items, what bins will do with their terms.
///
/// | member | meaning |
/// |---|---|
/// | `look`, `nothing_seen` | adds items to what was seen; what was seen of no items |
/// | `key`, `max_exponent_of`, `limit_of` | as in `thread_items` |
/// | `is_special` | true where doubles do not hold the item's term; `take` adds it to digits, or counts it |
/// | `keys_show_special` | an item is special if and only if its key is at least `infinite` |
/// | `may_be_minus_zero` | false where no term is -0 |
/// | `may_be_special` | false where all special items show by their keys, or by what bins leave |
/// | `is_unsure(seen, sure_limit(t))` | true where bins that begin at 2^t may leave something in spite of `sure_bins` |
/// | `limits_show_infinite` | infinities and NaN have keys above every limit |
template <class Term>
struct term_check;

/// What checks of items of one array share.
template <class Item>
struct array_check {
  using items = thread_items<Item>;
  static constexpr std::uint32_t infinite = items::infinite;
  static constexpr bool keys_show_special = true;
  static constexpr bool limits_show_infinite = true;

  MONOFOLD_GPU static bool may_be_minus_zero(const seen_items& seen) {
    return items::shows_minus_zero(seen.least, seen.lowest);
  }
  MONOFOLD_GPU static std::uint32_t key(const seen_items& seen) { return items::key(seen.most); }
  MONOFOLD_GPU static int max_exponent_of(std::uint32_t key) { return items::max_exponent_of(key); }
  MONOFOLD_GPU static std::uint32_t limit_of(int max_exponent) {
    return items::limit_of(max_exponent);
  }
};

template <class Term, bool clear_sign>
struct value_check : array_check<typename Term::item> {
  using Item = typename Term::item;
  using items = thread_items<Item>;
  using bins = value_bins<Term, clear_sign>;

  MONOFOLD_GPU static bool may_be_special(const seen_items&) { return false; }
  MONOFOLD_GPU static void look(seen_items& seen, const bytes16& c) {
    seen.most = items::look(seen.most, c);
    if constexpr (!bins::is_always_held) seen.least = items::look_low(seen.least, c);
    if constexpr (!clear_sign) seen.lowest = items::look_signs(seen.lowest, c);
  }
  MONOFOLD_GPU static seen_items nothing_seen() { return {0, items::no_low}; }
  MONOFOLD_GPU static std::uint32_t sure_limit(int max_exponent) {
    return items::low_limit(unit_of_last_bin(max_exponent, bins::headroom, bins::sure_bins(0)) +
                            items::last_bias);
  }
  MONOFOLD_GPU static bool is_unsure(const seen_items& seen, std::uint32_t limit) {
    return items::is_below(seen.least, limit);
  }
  MONOFOLD_GPU static bool is_special(const bytes16& c, int v) {
    constexpr auto infinity = float_format<Item>::infinity;
    return (float_bits(items::item(c, v)) & (float_format<Item>::sign_bit - 1)) >= infinity;
  }
  template <class Digits>
  MONOFOLD_GPU static void take(Digits& digits, const Item& x) {
    const exact_term term = Term::of(x);
    digits.count(term.kind, term.negative);
  }
};

template <class Item, bool with_values>
struct square_check : array_check<Item> {
  using format = square_format<Item, with_values>;
  using bins = square_bins<Item, with_values>;
  using items = thread_items<Item>;
  using square = typename format::square;
  static constexpr int values = format::values;
  static constexpr int parts = format::parts;
  static constexpr bool keys_show_special = sizeof(Item) < 8;
  // High words stand for doubles: squares from 2^1000 on or below 2^-900 are for integers.
  static constexpr std::uint32_t infinite =
      sizeof(Item) == 8 ? std::uint32_t{1023 + 500} << 20 : items::infinite;
  static constexpr std::uint32_t small = std::uint32_t{1023 - 450} << 20;

  MONOFOLD_GPU static void look(seen_items& seen, const bytes16& c) {
    seen.most = items::look(seen.most, c);
    seen.least = items::look_low(seen.least, c);
    if constexpr (with_values) seen.lowest = items::look_signs(seen.lowest, c);
  }
  MONOFOLD_GPU static seen_items nothing_seen() { return {0, items::no_low}; }
  /// The last bit of an item is worth 2^(f - last_bias + scale), that of its square as much twice. For doubles
  /// that goes for the rest, and p is at least 2^(2 (f - 1023)).
  MONOFOLD_GPU static std::uint32_t sure_limit(int max_exponent) {
    int field = 1;
    MONOFOLD_UNROLL
    for (int p = 0; p < parts; ++p) {
      const int unit = unit_of_last_bin(format::part_max_exponent(max_exponent, p), bins::headroom,
                                        bins::sure_bins(p));
      int least = 0;
      if (p < values) {
        least = unit + items::last_bias;
      } else if (parts - values == 2 && p == values) {
        least = (unit + 52 + 1) / 2 + 1023;
      } else {
        least = (unit + 1) / 2 + items::last_bias - items::scale;
      }
      field = least > field ? least : field;
    }
    return items::low_limit(field);
  }
  MONOFOLD_GPU static bool is_unsure(const seen_items& seen, std::uint32_t limit) {
    return items::is_below(seen.least, limit);
  }
  MONOFOLD_GPU static bool may_be_special(const seen_items& seen) {
    return sizeof(Item) == 8 && seen.least < small;  // zeros too
  }
  MONOFOLD_GPU static bool is_special(const bytes16& c, int v) {
    if constexpr (sizeof(Item) == 8) {
      return (c.word[2 * v + 1] & ~items::signs) >= infinite || is_small(c, v);
    } else {
      return value_check<value_term<Item>, false>::is_special(c, v);
    }
  }
  template <class Digits>
  MONOFOLD_GPU static void take(Digits& digits, const Item& x) {
    const exact_term term = square::of(x);
    if (term.kind == number_kind::finite) digits.deposit(term, format::part_sum(parts - 1));
    if constexpr (with_values) {
      const exact_term own = value_term<Item>::of(x);
      if (own.kind == number_kind::finite) {
        digits.deposit(own, 0);
      } else {
        digits.count(own.kind, own.negative);
      }
    } else if (term.kind != number_kind::finite) {
      digits.count(term.kind, term.negative);
    }
  }

 private:
  MONOFOLD_GPU static bool is_small(const bytes16& c, int v) {
    const std::uint32_t high = c.word[2 * v + 1] & ~items::signs;
    return high < small && (high | c.word[2 * v]) != 0;
  }
};

template <class Item>
struct term_check<value_term<Item>> : value_check<value_term<Item>, false> {};
template <class Item>
struct term_check<magnitude_term<Item>> : value_check<magnitude_term<Item>, true> {};
template <class Item>
struct term_check<square_term<Item>> : square_check<Item, false> {};
template <class Item>
struct term_check<moments_term<Item>> : square_check<Item, true> {};

}  // namespace monofold::detail
