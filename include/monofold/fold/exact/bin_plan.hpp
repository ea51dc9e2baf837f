#pragma once
/// fold/exact/bin_plan: how many bins the items of a type, their magnitudes or squares may take.

#include <bit>
#include <cstdint>

#include "monofold/fold/exact/anchors.hpp"
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

/// fold/exact/anchors: a lane's deposits are fewer than 2^(headroom - 1).
template <int bytes, class Item>
constexpr int sweep_headroom(int bins) {
  const int deposits = sweep_block<bytes, Item>(bins) / sweep_lanes<Item>(bins, bytes);
  return static_cast<int>(std::bit_width(static_cast<unsigned>(deposits))) + 1;
}

/// How far below `max_exponent` so many bins reach, of `parts` parts: the unit of the first part's last one.
template <int bytes, class Item>
constexpr int sweep_reach(int bins, int parts) {
  const int room = sweep_headroom<bytes, Item>(bins);
  return room - (bins / parts - 1) * (53 - room) - 52;
}

/// The exponents of what a block has: every |x| < 2^max_exponent, and a multiple of 2^last.
struct exponent_range {
  int max_exponent;
  int last;
};

/// Of items with these bits of the largest and the smallest magnitude.
template <class Item>
MONOFOLD_INLINE exponent_range exponents_of(std::uint64_t most, std::uint64_t least) {
  using format = float_format<Item>;
  constexpr int fraction_bits = sizeof(Item) == 8 ? 20 : format::fraction_bits;  // upper halves
  const auto field = static_cast<int>(most >> fraction_bits);
  const auto low = static_cast<int>(least >> fraction_bits);
  return {format::least_exponent + format::precision + (field > 0 ? field - 1 : 0),
          format::least_exponent + (low > 0 ? low - 1 : 0)};
}

}  // namespace monofold::detail

#endif
