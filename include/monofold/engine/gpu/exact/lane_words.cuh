#pragma once
/// engine/gpu/exact/lane_words: exact sums of a lane's own in shared memory, for items of any exponents.

#include <cstdint>
#include <type_traits>

#include "monofold/engine/gpu/exact/load_pairs.cuh"
#include "monofold/engine/gpu/exact/term_format.cuh"
#include "monofold/engine/gpu/load.cuh"
#include "monofold/fold/exact/term.hpp"
#include "monofold/level/lanes.cuh"
#include "monofold/level/thread.cuh"
#include "monofold/platform/host_device.hpp"
#include "monofold/platform/numbers.hpp"

namespace monofold::detail {

/// An item as an integer: (-1)^s m 2^(place - 127 - fraction_bits), place >= 1; `sign` has s as its highest bit.
struct integer_item {
  std::uint32_t m;
  int place;
  std::uint32_t sign;
};

/// Item v of a chunk: a float, or a bfloat16, which is the upper half of one.
template <class Item>
MONOFOLD_GPU integer_item integer_of(const bytes16& c, int v) {
  constexpr int fraction_bits = float_format<Item>::fraction_bits;
  std::uint32_t word = c.word[v * static_cast<int>(sizeof(Item)) / 4];
  if (sizeof(Item) == 2) word = v % 2 == 0 ? word << 16 : word & 0xffff0000u;
  const int field = static_cast<int>(word >> 23) & 0xff;
  const std::uint32_t first_bit = field != 0 ? 1u << 23 : 0u;
  const std::uint32_t m = ((word & 0x7fffff) | first_bit) >> (23 - fraction_bits);
  return {m, field > 1 ? field : 1, word};
}

/// The words to which integers m 2^place are added, for m of at most `m_bits` bits and `place` up to `most_place`.
///
/// A word stands for `spacing` binary places; its other bits leave room for `most_deposits` additions. The last words
/// get nothing but carries.
template <int m_bits, int most_place>
struct place_words {
  static constexpr bool is_short = m_bits <= 8;
  using word = std::conditional_t<is_short, std::int32_t, std::int64_t>;
  static constexpr int spacing = is_short ? 8 : 32;
  static constexpr int pieces = m_bits <= 24 ? 1 : 2;
  static constexpr int count = (most_place + m_bits) / spacing + (is_short ? 3 : 1);
  static constexpr int bytes = count * warp_lanes * static_cast<int>(sizeof(word));
  /// What one addition adds to a word is below 2^(m_bits + 7); or below 2^(24 + 31), and there are two an item.
  static constexpr int most_deposits = is_short ? 1 << (22 - m_bits) : 96;

  MONOFOLD_GPU static void add(word* words, std::uint64_t m, int place, std::uint32_t sign) {
    const auto low = static_cast<std::uint32_t>(m);
    if constexpr (pieces == 1) {
      add_piece(words, low, place, sign);
    } else {
      add_piece(words, low & 0xffffff, place, sign);
      add_piece(words, static_cast<std::uint32_t>(m >> 24), place + 24, sign);
    }
  }

  /// Carries what is above `spacing` bits of each word to the next one.
  MONOFOLD_GPU static void carry(word* words) {
    word carried = 0;
    MONOFOLD_ROLL
    for (int i = 0; i < count - 1; ++i) {
      const word own = words[i * warp_lanes] + carried;
      words[i * warp_lanes] = own & ((word{1} << spacing) - 1);
      carried = own >> spacing;
    }
    words[(count - 1) * warp_lanes] += carried;
  }

 private:
  MONOFOLD_GPU static void add_piece(word* words, std::uint32_t m, int place, std::uint32_t sign) {
    const auto own = static_cast<std::int32_t>(m);
    const word value = static_cast<std::int32_t>(sign) < 0 ? -own : own;
    using bits = std::make_unsigned_t<word>;
    // By bytes: one instruction for the place, one for the address.
    constexpr int line = warp_lanes * static_cast<int>(sizeof(word));
    char* const at = reinterpret_cast<char*>(words) + (place & ~(spacing - 1)) * (line / spacing);
    *reinterpret_cast<word*>(at) +=
        static_cast<word>(static_cast<bits>(value) << (place & (spacing - 1)));
  }
};

/// Which integers a term adds: the item, its magnitude or neither; and a product or none.
template <class Term>
struct lane_terms;
template <class Item, bool with_value, bool with_product>
struct lane_terms_of {
  using item = Item;
  static constexpr bool has_value = with_value;
  static constexpr bool has_product = with_product;
};
template <class Item>
struct lane_terms<value_term<Item>> : lane_terms_of<Item, true, false> {
  MONOFOLD_GPU static std::uint32_t sign(std::uint32_t own) { return own; }
};
template <class Item>
struct lane_terms<magnitude_term<Item>> : lane_terms_of<Item, true, false> {
  MONOFOLD_GPU static std::uint32_t sign(std::uint32_t) { return 0; }
};
template <class Item>
struct lane_terms<moments_term<Item>> : lane_terms_of<Item, true, true> {
  MONOFOLD_GPU static std::uint32_t sign(std::uint32_t own) { return own; }
};
template <class Item>
struct lane_terms<square_term<Item>> : lane_terms_of<Item, false, true> {};
template <class Item>
struct lane_terms<product_term<item_pair<Item, Item>>> : lane_terms_of<Item, false, true> {};

/// Words of each lane for every binary place that a term of float or bfloat16 may have. A lane adds to its own words,
/// whatever other items and lanes are like. Word i of lane l lies at 32 i + l, so that no two lanes use the same bank.
///
/// shape      bytes: warp_bytes of shared memory, of this warp alone
/// sync       all lanes of the warp
/// cost       some 18 instructions and one word read and written for each 24 bits of an item
template <class Term>
class lane_words {
 public:
  using format = term_format<Term>;
  using terms = lane_terms<Term>;
  using item = typename terms::item;
  static constexpr int item_bits = float_format<item>::fraction_bits + 1;
  static constexpr int most_place = 254;  // of a finite item
  using values = place_words<item_bits, most_place>;
  using products = place_words<2 * item_bits, 2 * most_place>;
  static constexpr int products_at = terms::has_value ? values::bytes : 0;
  static constexpr int warp_bytes = products_at + (terms::has_product ? products::bytes : 0);

  /// How many terms a lane may add before `make_room` must be called.
  static constexpr int most_terms =
      terms::has_product ? products::most_deposits : values::most_deposits;

  MONOFOLD_GPU explicit lane_words(char* bytes) : bytes_(bytes) {}

  MONOFOLD_GPU void clear() const {
    auto* const words = own_words<std::int32_t>(0);
    MONOFOLD_ROLL
    for (int i = 0; i < warp_bytes / (4 * warp_lanes); ++i) words[i * warp_lanes] = 0;
    sync_warp();  // lanes have cleared words of others
  }

  /// Adds the terms of finite items.
  template <class Chunk, int rows>
  MONOFOLD_GPU void add(const Chunk (&raw)[rows]) const {
    MONOFOLD_UNROLL
    for (int r = 0; r < rows; ++r) {
      MONOFOLD_UNROLL
      for (int v = 0; v < format::chunk_items; ++v) add_item(raw[r], v);
    }
  }

  template <class Digits>
  MONOFOLD_GPU void make_room(Digits&) const {
    if constexpr (terms::has_value) values::carry(value_words());
    if constexpr (terms::has_product) products::carry(product_words());
  }

  /// Adds the words of all lanes to the digits of the warp.
  template <class Digits>
  MONOFOLD_GPU void flush(Digits& to) const {
    make_room(to);
    constexpr int unit = 127 + float_format<item>::fraction_bits;
    if constexpr (terms::has_value) flush<values, -unit, 0>(to, value_words());
    if constexpr (terms::has_product) {
      flush<products, -2 * unit, terms::has_value ? 1 : 0>(to, product_words());
    }
  }

 private:
  template <class Word>
  MONOFOLD_GPU Word* own_words(int at) const {
    return reinterpret_cast<Word*>(bytes_ + at) + lane_rank();
  }
  MONOFOLD_GPU auto* value_words() const { return own_words<typename values::word>(0); }
  MONOFOLD_GPU auto* product_words() const {
    return own_words<typename products::word>(products_at);
  }

  MONOFOLD_GPU void add_item(const bytes16& c, int v) const {
    const integer_item x = integer_of<item>(c, v);
    if constexpr (terms::has_value) values::add(value_words(), x.m, x.place, terms::sign(x.sign));
    if constexpr (terms::has_product) {
      products::add(product_words(), std::uint64_t{x.m} * x.m, 2 * x.place, 0);
    }
  }
  MONOFOLD_GPU void add_item(const pair_bytes& c, int v) const {
    const integer_item x = integer_of<item>(c.left, v);
    const integer_item y = integer_of<item>(c.right, v);
    products::add(product_words(), std::uint64_t{x.m} * y.m, x.place + y.place, x.sign ^ y.sign);
  }

  template <class Words, int exponent, int sum, class Digits, class Word>
  MONOFOLD_GPU static void flush(Digits& to, const Word* words) {
    using layout = typename Digits::layout;
    constexpr int last = exponent + Words::spacing * (Words::count - 1) - layout::low_exponent(sum);
    static_assert(layout::first_digit(sum) + last / 16 + 4 < layout::end_digit(sum),
                  "`add_units` writes five digits");
    to.reserve(Words::count);
    MONOFOLD_ROLL
    for (int i = 0; i < Words::count; ++i) {
      to.add_units(sum_of_lanes(static_cast<std::int64_t>(words[i * warp_lanes])),
                   exponent + Words::spacing * i, sum);
    }
  }

  char* bytes_;
};

}  // namespace monofold::detail
