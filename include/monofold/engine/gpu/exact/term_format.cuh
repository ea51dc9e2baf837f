#pragma once
/// engine/gpu/exact/term_format: the doubles that items in a thread's registers add to exact sums.

#include <cstdint>
#include <type_traits>

#include "monofold/engine/gpu/exact/thread_items.cuh"
#include "monofold/engine/gpu/load.cuh"
#include "monofold/engine/gpu/load_ragged.cuh"
#include "monofold/fold/exact/digits_layout.hpp"
#include "monofold/fold/exact/moments.hpp"
#include "monofold/fold/exact/term.hpp"
#include "monofold/platform/host_device.hpp"
#include "monofold/platform/numbers.hpp"
#include "monofold/platform/rounded.hpp"

namespace monofold::detail {

/// Where the terms of items come from and how they become doubles.
///
/// | member | meaning |
/// |---|---|
/// | `chunk`, `chunk_items` | what a lane takes of a row, and how many items that are |
/// | `range` | where chunks come from |
/// | `is_compact_ragged` | what loads a ragged row is short enough for the narrow way, too |
/// | `parts`, `split` | doubles an item; part p times 2^part_scale(p) goes to sum part_sum(p) of `layout` |
/// | `part_max_exponent(t, p)` | part p of items below 2^t is at most 2 to this |
/// | `counts_zeros` | some terms may be -0, else every term that is no NaN counts as another number |
template <class Term>
struct term_format;

/// Chunks of 16 bytes of an array.
template <class Item>
struct array_chunks {
  using item = Item;
  using items = thread_items<Item>;
  using chunk = bytes16;
  using range = aligned_range<Item>;
  static constexpr int chunk_items = items::count;
  static constexpr bool is_compact_ragged = true;

  MONOFOLD_GPU static bytes16 outside() { return minus_zeros<Item>(); }
  /// Not 0 where an item is not -0.
  MONOFOLD_GPU static std::uint32_t other_of(const bytes16& c) { return other_bits<Item>(c); }
  MONOFOLD_GPU static Item item_of(const bytes16& c, int v) { return items::item(c, v); }
  MONOFOLD_GPU static void clear_item(bytes16& c, int v) {
    set_item(c, v, items::item(minus_zeros<Item>(), v));
  }
};

/// Items, or their magnitudes, themselves.
template <class Term, bool clear_sign>
struct value_format : array_chunks<typename Term::item> {
  using Item = typename Term::item;
  using items = thread_items<Item>;
  using layout = digits_layout<typename Term::number>;
  using state = exact_state<typename Term::number>;
  static constexpr int parts = 1;
  static constexpr bool counts_zeros = !clear_sign;

  MONOFOLD_GPU static constexpr int part_sum(int) { return 0; }
  MONOFOLD_GPU static constexpr int part_scale(int) { return items::scale; }
  MONOFOLD_GPU static constexpr int part_max_exponent(int max_exponent, int) {
    return max_exponent;
  }
  MONOFOLD_GPU static void split(const bytes16& c, int v, double (&x)[parts]) {
    x[0] = items::get(clear_sign ? without_signs<Item>(c) : c, v);
  }
};

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
struct square_format : array_chunks<Item> {
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
  static constexpr bool counts_zeros = with_values;

  MONOFOLD_GPU static constexpr int part_sum(int p) { return p < values ? 0 : values; }
  MONOFOLD_GPU static constexpr int part_scale(int p) { return p < values ? items::scale : 0; }
  MONOFOLD_GPU static constexpr int part_max_exponent(int max_exponent, int p) {
    return p < values ? max_exponent
                      : products::max_exponent(2 * (max_exponent + items::scale), p - values);
  }
  MONOFOLD_GPU static void split(const bytes16& c, int v, double (&x)[parts]) {
    if constexpr (with_values) x[0] = items::get(c, v);
    const double own = value_of_item<Item>(c, v);
    products::split(own, own, x + values);
  }
};

/// Stands for the two sums of a variance.
template <class Item>
struct moments_term {
  using item = Item;
};

template <class Item>
struct term_format<value_term<Item>> : value_format<value_term<Item>, false> {};
template <class Item>
struct term_format<magnitude_term<Item>> : value_format<magnitude_term<Item>, true> {};
template <class Item>
struct term_format<square_term<Item>> : square_format<Item, false> {};
template <class Item>
struct term_format<moments_term<Item>> : square_format<Item, true> {};

}  // namespace monofold::detail
