#pragma once
/// fold/exact/bin_plan: how many bins the items of a type, their magnitudes or squares may take.

#include <bit>
#include <cstdint>

#include "monofold/fold/exact/anchors.hpp"
#include "monofold/fold/exact/kept_bins.hpp"
#include "monofold/fold/exact/sweep.hpp"
#include "monofold/fold/exact/term.hpp"
#include "monofold/platform/float_format.hpp"
#include "monofold/platform/host_device.hpp"
#include "monofold/platform/numbers.hpp"

#if defined(__GNUC__) && !defined(__CUDA_ARCH__)

namespace monofold::detail {

/// Bins that are tried first, bins that are tried next, and those that hold every finite item,
/// whatever its exponent (0: no number of bins does). Squares of doubles: for both parts together.
struct bin_counts {
  int few;
  int more;
  int full;
};

template <class Item>
inline constexpr bin_counts bins_of_values = {2, 4, 0};  // 2098 bits
template <>
inline constexpr bin_counts bins_of_values<float> = {1, 3, 7};  // 278 bits
template <>
inline constexpr bin_counts bins_of_values<bfloat16> = {1, 3, 6};  // 262 bits
template <>
inline constexpr bin_counts bins_of_values<float16> = {1, 1, 1};  // 41 bits
template <class Item>
inline constexpr bin_counts bins_of_squares = {4, 8, 0};
template <>
inline constexpr bin_counts bins_of_squares<float> = {2, 4, 0};  // 555 bits
template <>
inline constexpr bin_counts bins_of_squares<bfloat16> = {2, 4, 0};  // 522 bits
template <>
inline constexpr bin_counts bins_of_squares<float16> = {2, 2, 2};  // 81 bits

/// What is swept for a term, and by which bins.
template <class Term>
struct swept_term {
  static constexpr bool is_swept = false;
};
template <class Item>
struct swept_term<value_term<Item>> {
  static constexpr bool is_swept = true;
  static constexpr sweep_kind kind = sweep_kind::values;
  static constexpr bin_counts bins = bins_of_values<Item>;
};
template <class Item>
struct swept_term<magnitude_term<Item>> {
  static constexpr bool is_swept = true;
  static constexpr sweep_kind kind = sweep_kind::magnitudes;
  static constexpr bin_counts bins = bins_of_values<Item>;
};
template <class Item>
struct swept_term<square_term<Item>> {
  static constexpr bool is_swept = true;
  static constexpr sweep_kind kind = sweep_kind::squares;
  static constexpr bin_counts bins = bins_of_squares<Item>;
};

/// Items of a block. 16 KiB, half of a first-level cache, make little of what a block costs besides;
/// where many bins are needed, fewer deposits leave them more bits.
template <int bytes, class Item>
constexpr int sweep_block(int bins) {
  if (has_large_blocks<Item>(bins)) {
    return sweep_streams * sweep_part / static_cast<int>(sizeof(Item));
  }
  return bins <= 4 ? 1024 : 16 * bytes;
}

/// fold/exact/anchors: a lane's deposits are at most 2^(headroom - 1).
template <int bytes, class Item>
constexpr int sweep_headroom(int bins) {
  // Where a line fills half of the lanes a loop may leave the others alone.
  const int lanes = sweep_lanes<Item>(bins, bytes);
  const int used = bytes == 64 && lanes > line_items<Item> ? line_items<Item> : lanes;
  const int deposits = sweep_block<bytes, Item>(bins) / used;
  return static_cast<int>(std::bit_width(static_cast<unsigned>(deposits - 1))) + 1;
}

/// How far below `max_exponent` so many bins of one part reach: the unit of the last one.
constexpr int reach_of(int headroom, int depth) {
  return headroom - (depth - 1) * (53 - headroom) - 52;
}
template <int bytes, class Item>
constexpr int sweep_reach(int bins, int parts) {
  return reach_of(sweep_headroom<bytes, Item>(bins), bins / parts);
}

/// The exponents of what a block has: every |x| < 2^max_exponent, and a multiple of 2^last.
struct exponent_range {
  int max_exponent;
  int last;
};

/// The exponents of items with these bits of the largest and the smallest magnitude.
template <class Item>
MONOFOLD_INLINE exponent_range exponents_of(std::uint64_t most, std::uint64_t least) {
  using format = float_format<Item>;
  constexpr int fraction_bits = sizeof(Item) == 8 ? 20 : format::fraction_bits;  // upper halves
  const auto field = static_cast<int>(most >> fraction_bits);
  const auto low = static_cast<int>(least >> fraction_bits);
  return {format::least_exponent + format::precision + (field > 0 ? field - 1 : 0),
          format::least_exponent + (low > 0 ? low - 1 : 0)};
}

/// The range of the terms of items. A square is a multiple of 2^(2 last), of doubles the rounded one one of
/// 2^(2 last + 52), and its rest is exact if it can be: else the range is endless.
template <class Term>
MONOFOLD_INLINE exponent_range range_of_terms(exponent_range items) {
  if constexpr (swept_term<Term>::kind != sweep_kind::squares) return items;
  if constexpr (sizeof(typename Term::item) < 8) return {2 * items.max_exponent, 2 * items.last};
  const bool is_exact = 2 * items.last >= float_format<double>::least_exponent;
  return {2 * items.max_exponent, is_exact ? 2 * items.last + 52 : -(1 << 20)};
}

/// Where bins may begin for a run: some binades above a few items of it, if they are finite and not 0. `tight`: as squares
/// do, which need all the bits that bins have: just above some more items.
template <class Term>
MONOFOLD_INLINE int guessed_exponent(const typename Term::item* items, std::int64_t count,
                                     int highest, bool tight) {
  using item = typename Term::item;
  using format = float_format<item>;
  constexpr int unknown = 3;
  const int above = tight ? 1 : 4;
  // Neighbours at the beginning, in the middle and at the end.
  const std::int64_t wanted = tight ? 8 : 1, near = wanted < count ? wanted : count;
  typename format::bits most = 0;
  for (const std::int64_t first : {std::int64_t{0}, (count - near) / 2, count - near}) {
    for (std::int64_t i = first; i < first + near; ++i) {
      const auto size =
          static_cast<typename format::bits>(float_bits(items[i]) & ~format::sign_bit);
      if (size > most && size < format::infinity) most = size;
    }
  }
  const int e =
      most == 0
          ? unknown
          : exponents_of<item>(sizeof(item) == 8 ? most >> 16 >> 16 : most, 0).max_exponent + above;
  const int of_terms = swept_term<Term>::kind == sweep_kind::squares ? 2 * e : e;
  return of_terms < highest ? of_terms : highest;
}

/// Where bins move that have so many bits to spare: mostly they reach further down, since the largest
/// item of a block says more about those to come than the smallest does.
constexpr int room_above(int slack) { return slack / 8 + (slack > 0 ? 1 : 0); }

/// A block's largest magnitude is less, or it has infinities or NaN.
template <class Item>
inline constexpr std::uint64_t infinite_size = float_format<Item>::infinity >>
                                               (sizeof(Item) == 8 ? 32 : 0);

/// Whether bins that stand for a term hold what a block with this range of items has.
template <class Term>
MONOFOLD_INLINE bool holds(const kept_bins& kept, const block_range& range) {
  using item = typename Term::item;
  if (range.most >= infinite_size<item>) return false;
  if (kept.bins == swept_term<Term>::bins.full) return true;
  const exponent_range e = range_of_terms<Term>(exponents_of<item>(range.most, range.least));
  return e.max_exponent <= kept.max_exponent + kept.scale &&
         e.last >= unit_of_bin(kept.exponent(kept.bins / kept.parts - 1)) + kept.scale;
}

}  // namespace monofold::detail

#endif
