#pragma once
/// engine/gpu/exact/thread_terms: the doubles that items in a thread's registers add to exact sums.

#include <cstdint>
#include <type_traits>

#include "monofold/engine/gpu/exact/thread_items.cuh"
#include "monofold/engine/gpu/load.cuh"
#include "monofold/engine/gpu/load_ragged.cuh"
#include "monofold/fold/exact/anchors.hpp"
#include "monofold/fold/exact/digits_layout.hpp"
#include "monofold/fold/exact/moments.hpp"
#include "monofold/fold/exact/term.hpp"
#include "monofold/platform/host_device.hpp"
#include "monofold/platform/numbers.hpp"
#include "monofold/platform/rounded.hpp"

namespace monofold::detail {

/// What a thread has seen of some items.
struct seen_items {
  std::uint32_t most = 0;              // the largest, see `thread_items`
  std::uint32_t least = 0xffffffffu;   // the smallest, see `look_low` there
  std::uint32_t largest = 0;           // the largest factor, where infinite ones look finite
  std::uint32_t factor = 0xffffffffu;  // the smallest factor, where subnormal ones matter
};

/// How the terms of items become doubles.
///
/// shape      chunk: what a lane takes of a row, `chunk_items` items; range: where they come from. parts:
///            doubles an item; part p times 2^part_scale(p) goes to sum part_sum(p) of `layout`. bins:
///            as many hold usual data; rows: chunks that a lane has in flight. key, max_exponent_of, limit_of: as
///            in `thread_items`; part_max_exponent(t, p): part p of items below 2^t is at most 2^part_max_exponent. An item
///            is special whose term doubles do not hold. counts_zeros: some terms may be -0, else every term that
///            is no NaN counts as another number. keys_show_special: an item is special where the key is at least
///            `infinite`; keys_show_other: a term is not -0 where the key is not 0. may_be_special: false
///            where nothing is special that neither limits nor bins show. is_compact_ragged: what loads a
///            ragged row is short enough for the narrow way, too. sure_bins(p): as many surely hold part p,
///            with nothing left to look at, where not is_unsure(seen, sure_limit(max_exponent)); 0: never.
///            limits_show_infinite: no limit lets an infinity or NaN pass; chains: see
///            `tile_bins`; copies_ahead: so much is done with a tile that the next one should come meanwhile
template <class Term>
struct thread_terms;

/// The headroom for so many deposits a bin: they stay below 2^(headroom - 1).
constexpr int headroom_for(int deposits) {
  int bits = 1;
  while ((1 << (bits - 1)) <= deposits) ++bits;
  return bits;
}

/// The exponent of the unit of the last of some bins.
MONOFOLD_GPU constexpr int unit_of_last_bin(int max_exponent, int headroom, int bins) {
  return unit_of_level(level_exponent(max_exponent, headroom, bins > 0 ? bins - 1 : 0));
}

/// Chunks of 16 bytes of an array.
template <class Item>
struct array_chunks {
  using item = Item;
  using items = thread_items<Item>;
  using chunk = bytes16;
  using range = aligned_range<Item>;
  static constexpr int chunk_items = items::count;
  static constexpr std::uint32_t infinite = items::infinite;
  static constexpr bool keys_show_special = true;
  static constexpr bool keys_show_other = true;
  static constexpr bool is_compact_ragged = true;
  static constexpr bool limits_show_infinite = true;
  static constexpr int chains = 1;
  static constexpr bool copies_ahead = false;

  MONOFOLD_GPU static bytes16 outside() { return minus_zeros<Item>(); }
  MONOFOLD_GPU static std::uint32_t key(const seen_items& seen) { return items::key(seen.most); }
  MONOFOLD_GPU static int max_exponent_of(std::uint32_t key) { return items::max_exponent_of(key); }
  MONOFOLD_GPU static std::uint32_t limit_of(int max_exponent) {
    return items::limit_of(max_exponent);
  }
  /// Not 0 where an item is not -0.
  MONOFOLD_GPU static std::uint32_t other_of(const bytes16& c) { return other_bits<Item>(c); }
  MONOFOLD_GPU static Item item_of(const bytes16& c, int v) { return items::item(c, v); }
  MONOFOLD_GPU static void clear_item(bytes16& c, int v) {
    set_item(c, v, items::item(minus_zeros<Item>(), v));
  }
};

/// Items, or their magnitudes, themselves.
template <class Term, bool clear_sign>
struct thread_values : array_chunks<typename Term::item> {
  using Item = typename Term::item;
  using items = thread_items<Item>;
  using layout = digits_layout<typename Term::number>;
  using state = exact_state<typename Term::number>;
  static constexpr int parts = 1;
  static constexpr int rows = 8;
  static constexpr int slack = 4;
  /// One bin holds every float16, three 126 binades of bfloat16 and 113 of float32, two 41 of float64.
  static constexpr int bins = std::is_same_v<Item, float16> ? 1 : sizeof(Item) == 8 ? 2 : 3;
  static constexpr int short_bins = sizeof(Item) == 2 ? 1 : 2;
  static constexpr int chains = std::is_same_v<Item, float16> ? 4 : sizeof(Item) == 2 ? 2 : 1;
  static constexpr int headroom = headroom_for(rows * items::count);
  static constexpr int wide_bins = sizeof(Item) == 8 ? 4 : 3;
  static constexpr bool is_always_held = std::is_same_v<Item, float16>;
  static constexpr bool has_low_words = sizeof(Item) == 8;  // of what bins leave
  static constexpr bool counts_zeros = !clear_sign;

  MONOFOLD_GPU static constexpr int part_sum(int) { return 0; }
  MONOFOLD_GPU static constexpr int part_scale(int) { return items::scale; }
  MONOFOLD_GPU static constexpr int part_max_exponent(int max_exponent, int) {
    return max_exponent;
  }
  MONOFOLD_GPU static bool may_be_special(const seen_items&) { return false; }
  MONOFOLD_HD static constexpr int sure_bins(int) {
    return is_always_held ? 0 : sizeof(Item) == 8 ? 2 : 1;
  }
  MONOFOLD_GPU static void look(seen_items& seen, const bytes16& c) {
    seen.most = items::look(seen.most, c);
    if constexpr (!is_always_held) seen.least = items::look_low(seen.least, c);
  }
  MONOFOLD_GPU static seen_items nothing_seen() { return {0, items::no_low}; }
  MONOFOLD_GPU static std::uint32_t sure_limit(int max_exponent) {
    return items::low_limit(unit_of_last_bin(max_exponent, headroom, sure_bins(0)) +
                            items::last_bias);
  }
  MONOFOLD_GPU static bool is_unsure(const seen_items& seen, std::uint32_t limit) {
    return items::is_below(seen.least, limit);
  }
  MONOFOLD_GPU static void split(const bytes16& c, int v, double (&x)[parts]) {
    x[0] = items::get(clear_sign ? without_signs<Item>(c) : c, v);
  }
  MONOFOLD_GPU static bool is_special(const bytes16& c, int v) {
    constexpr auto infinity = float_format<Item>::infinity;
    return (float_bits(items::item(c, v)) & (float_format<Item>::sign_bit - 1)) >= infinity;
  }
  /// Counts a special item; whether it is another number than -0.
  template <class Digits>
  MONOFOLD_GPU static bool take(Digits& digits, const Item& x) {
    const exact_term term = Term::of(x);
    digits.count(term.kind, term.negative);
    return term.kind == number_kind::infinite;
  }
};

template <class Item>
struct thread_terms<value_term<Item>> : thread_values<value_term<Item>, false> {};
template <class Item>
struct thread_terms<magnitude_term<Item>> : thread_values<magnitude_term<Item>, true> {};

/// Products as doubles: exact ones of narrow items; of doubles p = a b rounded and e = a b - p, which is
/// exact where p is finite and the last bit of a b, at least 2^-105 |p|, is a number. Above 2^-1005 no rest of
/// them that is not 0 has a high word that is.
template <class Item>
struct product_parts {
  static constexpr int count = sizeof(Item) == 8 ? 2 : 1;

  MONOFOLD_GPU static void split(double a, double b, double* out) {
    out[0] = rounded_product(a, b);
    if constexpr (count == 2) out[1] = rounded_fma(a, b, -out[0]);
  }
  /// Part p of products of at most 2^max_exponent.
  MONOFOLD_GPU static constexpr int max_exponent(int max_exponent, int p) {
    return p == 0 ? max_exponent : max_exponent - 53;
  }
};

/// Squares of items, and the items where `with_values`.
template <class Item, bool with_values>
struct thread_squares : array_chunks<Item> {
  using items = thread_items<Item>;
  using products = product_parts<Item>;
  using square = square_term<Item>;
  using layout = std::conditional_t<with_values,
                                    digits_layout<exact_sum_number<Item>, typename square::number>,
                                    digits_layout<typename square::number>>;
  using state = std::conditional_t<with_values, exact_moments_state<Item>,
                                   exact_state<typename square::number>>;
  static constexpr int values = with_values ? 1 : 0;
  static constexpr int parts = values + products::count;
  static constexpr int rows = with_values && std::is_same_v<Item, float> ? 8 : 4;
  static constexpr bool copies_ahead =
      !std::is_same_v<Item, float>;  // whose tiles take all registers
  static constexpr int slack = 1;    // binades of an item are two of its square
  static constexpr int bins = 2;
  static constexpr int short_bins = 2;
  static constexpr int headroom = headroom_for(rows * items::count);
  static constexpr int wide_bins = sizeof(Item) == 8 ? 4 : 3;
  static constexpr bool is_always_held = false;
  static constexpr bool has_low_words = false;
  static constexpr bool counts_zeros = with_values;
  static constexpr bool keys_show_special = sizeof(Item) < 8;
  // Of high words of doubles: squares from 2^1000 on or below 2^-900 are for integers.
  static constexpr std::uint32_t infinite =
      sizeof(Item) == 8 ? std::uint32_t{1023 + 500} << 20 : items::infinite;
  static constexpr std::uint32_t small = std::uint32_t{1023 - 450} << 20;

  MONOFOLD_GPU static constexpr int part_sum(int p) { return p < values ? 0 : values; }
  MONOFOLD_GPU static constexpr int part_scale(int p) { return p < values ? items::scale : 0; }
  MONOFOLD_GPU static constexpr int part_max_exponent(int max_exponent, int p) {
    return p < values ? max_exponent
                      : products::max_exponent(2 * (max_exponent + items::scale), p - values);
  }
  MONOFOLD_GPU static void look(seen_items& seen, const bytes16& c) {
    seen.most = items::look(seen.most, c);
    seen.least = items::look_low(seen.least, c);
  }
  MONOFOLD_GPU static seen_items nothing_seen() { return {0, items::no_low}; }
  MONOFOLD_HD static constexpr int sure_bins(int p) {
    return p < values && sizeof(Item) < 8 ? 1 : 2;
  }
  /// The last bit of an item is worth 2^(f - last_bias + scale), that of its square as much twice. Of doubles
  /// that goes for the rest, and p is at least 2^(2 (f - 1023)).
  MONOFOLD_GPU static std::uint32_t sure_limit(int max_exponent) {
    int field = 1;
    MONOFOLD_UNROLL
    for (int p = 0; p < parts; ++p) {
      const int unit = unit_of_last_bin(part_max_exponent(max_exponent, p), headroom, sure_bins(p));
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
  MONOFOLD_GPU static void split(const bytes16& c, int v, double (&x)[parts]) {
    if constexpr (with_values) x[0] = items::get(c, v);
    const double own = value_of_item<Item>(c, v);
    products::split(own, own, x + values);
  }
  MONOFOLD_GPU static bool is_special(const bytes16& c, int v) {
    if constexpr (sizeof(Item) == 8) {
      return (c.word[2 * v + 1] & ~items::signs) >= infinite || is_small(c, v);
    } else {
      return thread_values<value_term<Item>, false>::is_special(c, v);
    }
  }
  template <class Digits>
  MONOFOLD_GPU static bool take(Digits& digits, const Item& x) {
    const exact_term term = square::of(x);
    if (term.kind == number_kind::finite) digits.deposit(term, part_sum(parts - 1));
    if constexpr (with_values) {
      const exact_term own = value_term<Item>::of(x);
      if (own.kind == number_kind::finite) {
        digits.deposit(own, 0);
      } else {
        digits.count(own.kind, own.negative);
      }
      return own.kind != number_kind::nan;  // -0 is not special
    } else {
      if (term.kind != number_kind::finite) digits.count(term.kind, term.negative);
      return term.kind != number_kind::nan;
    }
  }

 private:
  MONOFOLD_GPU static bool is_small(const bytes16& c, int v) {
    const std::uint32_t high = c.word[2 * v + 1] & ~items::signs;
    return high < small && (high | c.word[2 * v]) != 0;
  }
};

template <class Item>
struct thread_terms<square_term<Item>> : thread_squares<Item, false> {};

/// Stands for the two sums of a variance.
template <class Item>
struct moments_term {
  using item = Item;
};
template <class Item>
struct thread_terms<moments_term<Item>> : thread_squares<Item, true> {};

}  // namespace monofold::detail
