#pragma once
/// engine/gpu/exact/term_bins: to how many bins a thread adds terms, and what these surely hold.

#include <type_traits>

#include "monofold/engine/gpu/exact/term_format.cuh"
#include "monofold/fold/exact/anchors.hpp"
#include "monofold/platform/host_device.hpp"
#include "monofold/platform/numbers.hpp"

namespace monofold::detail {

/// How terms are added to bins.
///
/// | member | meaning |
/// |---|---|
/// | `rows` | how many chunks a lane loads at once |
/// | `bins`, `short_bins`, `wide_bins` | how many bins, for usual data; in short sums; in the wide way |
/// | `chains` | see `tile_bins` |
/// | `slack` | so many binades above the largest item so far, bins begin |
/// | `is_always_held` | the bins hold every finite term |
/// | `sure_bins(p)` | so many bins hold all of part p unless `is_unsure` says no; 0: no number of bins does |
/// | `has_low_words` | what bins leave may have bits in its low word alone |
/// | `may_have_rests` | what bins leave of a tile may go to the digits: often it is one small item's square |
/// | `has_deep_bin` | one bin more holds what bins leave, and never lies below the smallest doubles |
/// | `copies_ahead` | adding a tile takes so long that the next one is copied meanwhile |
template <class Term>
struct term_bins;

/// The headroom for so many deposits to a bin, which must be below 2^(headroom - 1).
constexpr int headroom_for(int deposits) {
  int bits = 1;
  while ((1 << (bits - 1)) <= deposits) ++bits;
  return bits;
}

/// The exponent of the unit of the last of `bins` bins.
MONOFOLD_GPU constexpr int unit_of_last_bin(int max_exponent, int headroom, int bins) {
  return unit_of_bin(bin_exponent(max_exponent, headroom, bins > 0 ? bins - 1 : 0));
}

template <class Term, bool clear_sign>
struct value_bins {
  using Item = typename Term::item;
  using items = thread_items<Item>;
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

  MONOFOLD_HD static constexpr int sure_bins(int) {
    return is_always_held ? 0 : sizeof(Item) == 8 ? 2 : 1;
  }
  static constexpr bool may_have_rests = false;
  static constexpr bool has_deep_bin = false;
  static constexpr bool copies_ahead = false;
};

template <class Item, bool with_values>
struct square_bins {
  using items = thread_items<Item>;
  static constexpr int values = with_values ? 1 : 0;
  static constexpr int chains = 1;
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
  static constexpr bool may_have_rests = sizeof(Item) > 2;
  static constexpr bool has_deep_bin = std::is_same_v<Item, float>;

  MONOFOLD_HD static constexpr int sure_bins(int p) {
    return p < values && sizeof(Item) < 8 ? 1 : 2;
  }
};

template <class Item>
struct term_bins<value_term<Item>> : value_bins<value_term<Item>, false> {};
template <class Item>
struct term_bins<magnitude_term<Item>> : value_bins<magnitude_term<Item>, true> {};
template <class Item>
struct term_bins<square_term<Item>> : square_bins<Item, false> {};
template <class Item>
struct term_bins<moments_term<Item>> : square_bins<Item, true> {};

}  // namespace monofold::detail
