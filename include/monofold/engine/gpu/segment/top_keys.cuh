#pragma once
/// engine/gpu/segment/top_keys: items of a row as keys, of which no two are equal; better items have larger keys.

#include <cstdint>
#include <type_traits>

#include "monofold/level/shuffle.cuh"
#include "monofold/level/thread.cuh"
#include "monofold/platform/host_device.hpp"
#include "monofold/platform/wide_int.hpp"

namespace monofold::detail {

/// A key has a rank in its upper bits, and below it the complement of the index, since lower indices are better. Key 0
/// is no item's, since no item has the last index.
///
/// shape      indices below 2^32 - 1
template <class Word>
struct top_keys {
  static constexpr bool is_wide = sizeof(Word) == 8;
  using rank = std::conditional_t<is_wide, std::uint64_t, std::uint32_t>;
  using key = std::conditional_t<is_wide, uint128, std::uint64_t>;
  static constexpr int rank_shift = is_wide ? 64 : 32;

  MONOFOLD_HD static key of(rank own, std::uint32_t index) {
    return first_of(own) | static_cast<std::uint32_t>(~index);
  }
  /// The least key with a rank, and the best one.
  MONOFOLD_HD static key first_of(rank own) { return static_cast<key>(own) << rank_shift; }
  MONOFOLD_HD static key last_of(rank own) { return of(own, 0); }
  MONOFOLD_HD static rank rank_of(key own) { return static_cast<rank>(own >> rank_shift); }
  MONOFOLD_HD static std::uint32_t index_of(key own) { return ~static_cast<std::uint32_t>(own); }
};

/// Puts the keys of each team of `width` neighbouring lanes (a power of two) in order, best first.
///
/// sync       all lanes of the warp
template <class Key>
MONOFOLD_GPU Key sort_lanes(Key own, int width) {
  const int member = lane_rank() & (width - 1);
  MONOFOLD_UNROLL
  for (int run = 2; run <= warp_lanes; run *= 2) {
    if (run > width) break;
    MONOFOLD_UNROLL
    for (int distance = run / 2; distance > 0; distance /= 2) {
      const Key other = shuffle_from(own, lane_rank() ^ distance);
      // Runs go down and up by turns, so that two of them are one that only falls or rises on either side.
      const bool keeps_better = ((member & distance) == 0) == ((member & run) == 0);
      own = (other > own) == keeps_better ? other : own;
    }
  }
  return own;
}

}  // namespace monofold::detail
