#pragma once
/// engine/gpu/exact/thread_pairs: how pairs of items in a thread's registers become the doubles that are added to a
/// dot product.

#include <cstdint>

#include "monofold/engine/gpu/exact/load_pairs.cuh"
#include "monofold/engine/gpu/exact/term_bins.cuh"
#include "monofold/engine/gpu/exact/term_check.cuh"
#include "monofold/engine/gpu/exact/term_format.cuh"
#include "monofold/engine/gpu/exact/warp_digits.cuh"
#include "monofold/fold/exact/term.hpp"
#include "monofold/platform/host_device.hpp"
#include "monofold/platform/numbers.hpp"

namespace monofold::detail {

/// The key of a pair: the sum of its factors' bits, which bounds their product.
///
/// A number's bits, as an integer over 2^fraction_bits, are log2 |x| + bias with an error of
/// 0 <= log2(1 + f) - f < 0.087; a subnormal number is smaller than its bits say, and zero too. So the
/// product is below 2^(key / 2^fraction_bits - 2 bias + 0.18), hence below 2^(whole part - 2 bias + 2).
template <class Item>
struct pair_keys {
  using format = float_format<Item>;
  static constexpr int bias = format::max_exponent - 1;
  static constexpr int shift = sizeof(Item) == 8 ? 20 : format::fraction_bits;

  /// Keys from here on are of products that may reach 2^1000, which are added as integers. Products of narrow items
  /// are never that large.
  static constexpr std::uint32_t infinite =
      sizeof(Item) == 8 ? std::uint32_t{2 * bias + 998} << shift : ~std::uint32_t{0};

  /// The whole part is the sum of the exponents or one more. From 2 bias - 900 on the last bit of a
  /// product is at least 2^(-901 - 104); where a factor is subnormal, the other is at least 2^122, and
  /// the last bit 2^(-1074 + 122 - 52).
  static constexpr std::uint32_t small =
      sizeof(Item) == 8 ? static_cast<std::uint32_t>(2 * bias - 900) << shift : 0;

  MONOFOLD_GPU static int max_exponent_of(std::uint32_t key) {
    return static_cast<int>(key >> shift) - 2 * bias + 2;
  }
  MONOFOLD_GPU static std::uint32_t limit_of(int max_exponent) {
    const auto limit = static_cast<std::uint64_t>(max_exponent - 2 + 2 * bias + 1) << shift;
    return limit < infinite ? static_cast<std::uint32_t>(limit) : infinite;
  }
};

/// Products of pairs of one type.
template <class Item>
struct term_format<product_term<item_pair<Item, Item>>> {
  using item = item_pair<Item, Item>;
  using term = product_term<item>;
  using items = thread_items<Item>;
  using products = product_parts<Item>;
  using layout = digits_layout<typename term::number>;
  using state = exact_state<typename term::number>;
  using chunk = pair_bytes;
  using range = pair_range<Item>;
  static constexpr int chunk_items = items::count;
  static constexpr int parts = products::count;
  static constexpr bool counts_zeros = true;
  static constexpr bool is_compact_ragged = false;

  MONOFOLD_GPU static constexpr int part_sum(int) { return 0; }
  MONOFOLD_GPU static constexpr int part_scale(int) { return 0; }
  MONOFOLD_GPU static constexpr int part_max_exponent(int max_exponent, int p) {
    return products::max_exponent(max_exponent, p);
  }
  MONOFOLD_GPU static pair_bytes outside() { return {}; }
  /// Products that are -0 have a factor that is 0, or are so small that they round to it. Halves that are infinite
  /// are finite doubles.
  MONOFOLD_GPU static int minus_zeros_in(const pair_bytes& c) {
    int count = 0;
    MONOFOLD_UNROLL
    for (int v = 0; v < chunk_items; ++v) {
      const double left = value_of_item<Item>(c.left, v);
      const double right = value_of_item<Item>(c.right, v);
      const double p = rounded_product(left, right);
      const bool is_minus_zero = high_word(p) == 0x80000000u && low_word(p) == 0;
      const bool is_finite = is_finite_item(c.left, v) && is_finite_item(c.right, v);
      count += is_minus_zero && is_finite && (left == 0 || right == 0) ? 1 : 0;
    }
    return count;
  }
  MONOFOLD_GPU static bool is_finite_item(const bytes16& c, int v) {
    using bits = float_format<Item>;
    return (float_bits(items::item(c, v)) & (bits::sign_bit - 1)) < bits::infinity;
  }
  MONOFOLD_GPU static void split(const pair_bytes& c, int v, double (&x)[parts]) {
    products::split(value_of_item<Item>(c.left, v), value_of_item<Item>(c.right, v), x);
  }
  MONOFOLD_GPU static item item_of(const pair_bytes& c, int v) {
    return {items::item(c.left, v), items::item(c.right, v)};
  }
  MONOFOLD_GPU static void clear_item(pair_bytes& c, int v) {
    set_item(c.left, v, items::item(outside().left, v));
    set_item(c.right, v, items::item(outside().right, v));
  }
};

template <class Item>
struct term_bins<product_term<item_pair<Item, Item>>> {
  using items = thread_items<Item>;
  static constexpr int rows = 4;
  static constexpr bool copies_ahead = false;
  static constexpr int slack = 1;
  static constexpr int bins = 2;
  static constexpr int short_bins = 2;
  static constexpr int headroom = headroom_for(rows * items::count);
  static constexpr int wide_bins = sizeof(Item) == 8 ? 4 : 3;
  static constexpr bool is_always_held = false;
  static constexpr bool has_low_words = false;
  static constexpr bool may_have_rests = sizeof(Item) > 2;
  static constexpr bool has_deep_bin = std::is_same_v<Item, float>;
  static constexpr int chains = 1;

  MONOFOLD_HD static constexpr int sure_bins(int) { return sizeof(Item) == 2 ? 0 : 2; }
};

template <class Item>
struct term_check<product_term<item_pair<Item, Item>>> {
  using item = item_pair<Item, Item>;
  using term = product_term<item>;
  using items = thread_items<Item>;
  using keys = pair_keys<Item>;
  using format = term_format<term>;
  using bins = term_bins<term>;
  static constexpr int parts = format::parts;
  static constexpr bool keys_show_special = false;
  static constexpr bool limits_show_infinite = false;
  static constexpr std::uint32_t infinite = keys::infinite;

  MONOFOLD_GPU static void look(seen_items& seen, const pair_bytes& c) {
    MONOFOLD_UNROLL
    for (int w = sizeof(Item) == 8 ? 1 : 0; w < 4; w += sizeof(Item) == 8 ? 2 : 1) {
      const std::uint32_t a = c.left.word[w] & ~items::signs;
      const std::uint32_t b = c.right.word[w] & ~items::signs;
      if constexpr (sizeof(Item) == 2) {
        seen.most = larger_halves(seen.most, a + b);  // at most 2 * 0x7fff: no carry between halves
        seen.largest = larger_halves(larger_halves(seen.largest, a), b);
        seen.factor = smaller_signed_halves(smaller_signed_halves(seen.factor, a), b);
      } else {
        seen.most = larger(seen.most, a + b);
        seen.least = smaller(seen.least, a + b);
        seen.factor = smaller(smaller(seen.factor, a), b);
      }
    }
  }
  MONOFOLD_GPU static seen_items nothing_seen() {
    seen_items out;
    if constexpr (sizeof(Item) == 2) out.factor = 0x7fff7fffu;
    return out;
  }
  MONOFOLD_GPU static bool may_be_minus_zero(const seen_items& seen) {
    if constexpr (sizeof(Item) == 2) return seen.factor >> 16 == 0 || (seen.factor & 0xffffu) == 0;
    return seen.factor == 0;
  }
  /// The last bit of a product is worth 2^(the sum of its factors' fields - 2 last_bias); that sum is the whole
  /// part of the key or one less. For doubles that goes for the rest, and p is at least
  /// 2^(that sum - 2 bias), where no factor is subnormal.
  MONOFOLD_GPU static std::uint32_t sure_limit(int max_exponent) {
    int least = 0;
    MONOFOLD_UNROLL
    for (int p = 0; p < parts; ++p) {
      const int unit = unit_of_last_bin(format::part_max_exponent(max_exponent, p), bins::headroom,
                                        bins::sure_bins(p));
      const int own =
          unit + (parts == 2 && p == 0 ? 2 * keys::bias + 52 : 2 * items::last_bias) + 1;
      least = own > least ? own : least;
    }
    return static_cast<std::uint32_t>(least) << keys::shift;
  }
  MONOFOLD_GPU static bool is_unsure(const seen_items& seen, std::uint32_t limit) {
    return seen.least < limit || (sizeof(Item) == 8 && seen.factor < std::uint32_t{1} << 20);
  }
  MONOFOLD_GPU static std::uint32_t key(const seen_items& seen) {
    return sizeof(Item) == 2 ? items::key(seen.most) : seen.most;
  }
  MONOFOLD_GPU static int max_exponent_of(std::uint32_t key) { return keys::max_exponent_of(key); }
  MONOFOLD_GPU static std::uint32_t limit_of(int max_exponent) {
    return keys::limit_of(max_exponent);
  }
  /// Products of zeros are small too. Bins leave NaN of infinite floats and doubles.
  MONOFOLD_GPU static bool may_be_special(const seen_items& seen) {
    if constexpr (sizeof(Item) == 2) return items::key(seen.largest) >= items::infinite;
    if constexpr (sizeof(Item) == 8) return seen.least < keys::small;
    return false;
  }
  MONOFOLD_GPU static bool is_special(const pair_bytes& c, int v) {
    using values = value_check<value_term<Item>, false>;
    if (values::is_special(c.left, v) || values::is_special(c.right, v)) return true;
    if constexpr (sizeof(Item) == 8) return is_small(c, v) || high_sum(c, v) >= infinite;
    return false;
  }
  template <class Digits>
  MONOFOLD_GPU static void take(Digits& digits, const item& x) {
    const exact_term own = term::of(x);
    if (own.kind == number_kind::finite) {
      digits.deposit(own, 0);
    } else {
      digits.count(own.kind, own.negative);
    }
  }

 private:
  MONOFOLD_GPU static std::uint32_t high_sum(const pair_bytes& c, int v) {
    return (c.left.word[2 * v + 1] & ~items::signs) + (c.right.word[2 * v + 1] & ~items::signs);
  }
  MONOFOLD_GPU static bool is_small(const pair_bytes& c, int v) {
    return high_sum(c, v) < keys::small &&
           ((c.left.word[2 * v + 1] & ~items::signs) | c.left.word[2 * v]) != 0 &&
           ((c.right.word[2 * v + 1] & ~items::signs) | c.right.word[2 * v]) != 0;
  }
};

}  // namespace monofold::detail
