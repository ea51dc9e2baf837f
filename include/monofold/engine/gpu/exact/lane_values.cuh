#pragma once
/// engine/gpu/exact/lane_values: how a warp adds up a few doubles of each lane by few shuffles.

#include <cstdint>

#include "monofold/engine/gpu/exact/term_format.cuh"
#include "monofold/level/shuffle.cuh"
#include "monofold/level/thread.cuh"
#include "monofold/platform/host_device.hpp"
#include "monofold/platform/rounded.hpp"

namespace monofold::detail {

/// The first double where `mask` is all ones, the second where it is 0. There is no condition in it: the compiler
/// makes branches of conditions, and lanes that shuffle must stay together.
MONOFOLD_GPU double chosen_by(std::uint32_t mask, double first, double second) {
  return double_of_words((high_word(first) & mask) | (high_word(second) & ~mask),
                         (low_word(first) & mask) | (low_word(second) & ~mask));
}
/// All ones in lanes whose rank has this bit set, 0 in the others.
MONOFOLD_GPU std::uint32_t mask_of_lanes(int bit) {
  std::uint32_t mask = (lane_rank() & bit) != 0 ? ~std::uint32_t{0} : 0;
#if defined(__CUDA_ARCH__)
  asm("" : "+r"(mask));  // of which the compiler should know nothing
#endif
  return mask;
}

/// Adds up `count` values of all lanes. Each lane gets one of the `count` sums.
template <int count>
struct lane_values {
  static_assert(count >= 2 && count <= 16);
  static constexpr int groups = count == 2 ? 2 : count <= 4 ? 4 : count <= 8 ? 8 : 16;
  static constexpr int group_lanes = warp_lanes / groups;

  /// Which sum this lane has, and whether it is the first lane that has it.
  MONOFOLD_GPU static int own() { return lane_rank() / group_lanes; }
  MONOFOLD_GPU static bool is_first() { return lane_rank() % group_lanes == 0 && own() < count; }

  /// The sums over all lanes: sum k in the lanes from k * group_lanes on. They are exact where additions in every
  /// order are. In the first steps a lane gives another one the values that it does not go on with; so two values take
  /// 5 shuffles of doubles and six take 9, instead of 10 and 30.
  ///
  /// sync       all lanes of the warp
  MONOFOLD_GPU static double sum(const double (&value)[count]) {
    double all[groups];
    MONOFOLD_UNROLL
    for (int k = 0; k < groups; ++k) all[k] = k < count ? value[k] : 0.0;
    return sum_apart<groups, warp_lanes / 2>(all);
  }
  /// Gives all lanes all sums, of which each lane has one.
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
