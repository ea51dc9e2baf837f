#pragma once
/// engine/gpu/exact/lane_values: how a warp adds up a few doubles of each lane by few shuffles.

#include <cstdint>

#include "monofold/engine/gpu/exact/term_format.cuh"
#include "monofold/level/shuffle.cuh"
#include "monofold/level/thread.cuh"
#include "monofold/platform/host_device.hpp"
#include "monofold/platform/rounded.hpp"

namespace monofold::detail {

/// One of two doubles: the first where the mask is all ones, else it is 0. No condition: of those the compiler makes
/// branches, and parts lanes that shuffle.
MONOFOLD_GPU double chosen_by(std::uint32_t mask, double first, double second) {
  return double_of_words((high_word(first) & mask) | (high_word(second) & ~mask),
                         (low_word(first) & mask) | (low_word(second) & ~mask));
}
/// All ones in lanes whose rank has some bit.
MONOFOLD_GPU std::uint32_t mask_of_lanes(int bit) {
  std::uint32_t mask = (lane_rank() & bit) != 0 ? ~std::uint32_t{0} : 0;
#if defined(__CUDA_ARCH__)
  asm("" : "+r"(mask));  // of which the compiler should know nothing
#endif
  return mask;
}

/// `count` values of each lane; of their sums each lane has one.
template <int count>
struct lane_values {
  static_assert(count >= 2 && count <= 16);
  static constexpr int groups = count == 2 ? 2 : count <= 4 ? 4 : count <= 8 ? 8 : 16;
  static constexpr int group_lanes = warp_lanes / groups;

  /// Which sum this lane has, and whether it is the first lane that has it.
  MONOFOLD_GPU static int own() { return lane_rank() / group_lanes; }
  MONOFOLD_GPU static bool is_first() { return lane_rank() % group_lanes == 0 && own() < count; }

  /// The sums over lanes, exact if additions in any order are: sum k in lanes k * group_lanes, .. First lanes exchange
  /// what the others go on with, of two values 5 shuffles of doubles, of six 9, instead of 10 and 30.
  ///
  /// sync       all lanes of the warp
  MONOFOLD_GPU static double sum(const double (&value)[count]) {
    double all[groups];
    MONOFOLD_UNROLL
    for (int k = 0; k < groups; ++k) all[k] = k < count ? value[k] : 0.0;
    return sum_apart<groups, warp_lanes / 2>(all);
  }
  /// Sums that lanes have, to all lanes.
  MONOFOLD_GPU static void bring(double own, double (&out)[count]) {
    MONOFOLD_UNROLL
    for (int k = 0; k < count; ++k) out[k] = shuffle_from(own, k * group_lanes);
  }

 private:
  template <int left, int distance>
  MONOFOLD_GPU static double sum_apart(const double (&all)[left]) {
    if constexpr (left == 1) {
      double own = all[0];
      MONOFOLD_UNROLL
      for (int d = distance; d > 0; d /= 2) {
        own = rounded_sum(own, shuffle_from(own, lane_rank() ^ d));
      }
      return own;
    } else {
      constexpr int half = left / 2;
      const std::uint32_t upper = mask_of_lanes(distance);
      double kept[half];
      MONOFOLD_UNROLL
      for (int k = 0; k < half; ++k) {
        const double given = chosen_by(upper, all[k], all[k + half]);
        kept[k] = rounded_sum(chosen_by(upper, all[k + half], all[k]),
                              shuffle_from(given, lane_rank() ^ distance));
      }
      return sum_apart<half, distance / 2>(kept);
    }
  }
};

}  // namespace monofold::detail
