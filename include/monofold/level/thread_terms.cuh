#pragma once
/// level/thread_terms: the doubles that items in a thread's registers add to an exact sum.

#include <cstdint>

#include "monofold/fold/exact/term.hpp"
#include "monofold/level/load.cuh"
#include "monofold/level/load_ragged.cuh"
#include "monofold/level/thread_items.cuh"
#include "monofold/platform/host_device.hpp"
#include "monofold/platform/numbers.hpp"

namespace monofold::detail {

/// What a thread has seen of some items.
struct seen_items {
  std::uint32_t most = 0;   // see `thread_items`
  std::uint32_t small = 0;  // not 0: one whose product doubles do not hold
};

/// How the terms of items become doubles.
///
/// shape      parts: doubles an item; item v of a chunk adds their sum * 2^scale. levels: as many hold
///            usual data; rows: chunks that a lane has in flight. part_top(t, i): part i of items
///            below 2^t is at most 2^part_top. Items are odd that doubles are not for: no finite
///            numbers, and with has_small some small ones. counts_zeros: some terms may be -0, else
///            every term that is no NaN counts as another number
template <class Term>
struct thread_terms;

/// Items, or their magnitudes, themselves.
template <class Item, bool clear_sign>
struct thread_values {
  using items = thread_items<Item>;
  static constexpr int parts = 1;
  static constexpr int scale = items::scale;
  static constexpr int batch_rows = 16 / items::count;
  static constexpr int rows = 8;
  /// Headroom for 16, 32 or 64 items a lane. One level then holds every float16, and 36 binades of
  /// bfloat16; two 67 of float32 and 41 of float64.
  static constexpr int levels = sizeof(Item) == 2 ? 1 : 2;
  static constexpr int headroom = sizeof(Item) == 2 ? 8 : sizeof(Item) == 4 ? 7 : 6;
  static constexpr int wide_levels = sizeof(Item) == 8 ? 4 : 3;
  static constexpr bool is_always_held = std::is_same_v<Item, float16>;
  static constexpr bool has_low_words = sizeof(Item) == 8;  // of what levels leave
  static constexpr bool counts_zeros = !clear_sign;
  static constexpr bool has_small = false;

  MONOFOLD_GPU static bytes16 given(const bytes16& c) {
    return clear_sign ? without_signs<Item>(c) : c;
  }
  MONOFOLD_GPU static void look(seen_items& seen, const bytes16& c) {
    seen.most = items::look(seen.most, c);
  }
  MONOFOLD_GPU static void split(const bytes16& c, int v, double (&x)[parts]) {
    x[0] = items::get(c, v);
  }
  MONOFOLD_GPU static int part_top(int top, int) { return top; }
  MONOFOLD_GPU static bool is_odd(const bytes16& c, int v) {
    constexpr auto infinity = float_format<Item>::infinity;
    return (float_bits(items::item(c, v)) & (float_format<Item>::sign_bit - 1)) >= infinity;
  }
};

template <class Item>
struct thread_terms<value_term<Item>> : thread_values<Item, false> {};
template <class Item>
struct thread_terms<magnitude_term<Item>> : thread_values<Item, true> {};

}  // namespace monofold::detail
