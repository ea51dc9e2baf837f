#pragma once
/// engine/gpu/exact/short_sums: exact sums of few tiles as integers of 128 bits, which lanes and warps add up.
///
/// What one way of bins has taken of some tiles is a whole number of units of the last bin, far below
/// 2^128. Where the largest exponents of the bins that meet are near to each other, so is their sum: no digits, no
/// carries.

#include <cstdint>

#include "monofold/engine/gpu/exact/term_bins.cuh"
#include "monofold/engine/gpu/exact/term_format.cuh"
#include "monofold/engine/gpu/exact/warp_digits.cuh"
#include "monofold/fold/exact/anchors.hpp"
#include "monofold/level/lanes.cuh"
#include "monofold/level/shuffle.cuh"
#include "monofold/level/thread.cuh"
#include "monofold/platform/host_device.hpp"
#include "monofold/platform/numbers.hpp"

namespace monofold::detail {

/// Sums of terms as numbers of units that follow from `max_exponent`, that of the bins they were in.
template <class Term>
struct short_sums {
  using format = term_format<Term>;
  using bin_plan = term_bins<Term>;
  static constexpr int num_sums = format::layout::num_sums;
  static constexpr int bins = bin_plan::short_bins;
  static constexpr int gap = 53 - bin_plan::headroom;  // binades between bins
  /// Each sum has one part: it takes the bins of one largest exponent. Two at most: see below.
  static constexpr bool is_possible = format::parts == num_sums && bins <= 2;

  static constexpr int most_tiles = 4;  // of a warp
  // Units of a lane and bin are below 2^51 a tile, so those of a warp and its four tiles below
  // 2^(51 + 2 + 47 + 5). Eight warps make 2^108; largest exponents may then be 2^4 apart. Of 32 blocks and again of
  // 8 warps' worth of them largest exponents may be 2^3 apart: 2^(112 + 5 + 3 + 3 + 3) and a little, below 2^127.
  static constexpr int most_shift_of_warps = 4;
  static constexpr int most_shift_of_blocks = 3;
  static_assert(!is_possible || gap <= 47);

  int128 value[num_sums];
  std::int32_t max_exponent;
  std::uint8_t is_there;  // else it is nothing, whatever the exponent
  std::uint8_t is_other;  // a term was not -0

  /// The exponent of the unit of a sum: that of its last bin.
  MONOFOLD_GPU static int exponent(int max_exponent, int sum) {
    return unit_of_bin(bin_exponent(format::part_max_exponent(max_exponent, sum),
                                    bin_plan::headroom, bins - 1)) +
           format::part_scale(sum);
  }
  /// Whether the last bin has not met the smallest subnormal number: all gaps are alike.
  MONOFOLD_GPU static bool is_regular(int max_exponent) {
    bool all = true;
    MONOFOLD_UNROLL
    for (int s = 0; s < num_sums; ++s) {
      all = all && bin_exponent(format::part_max_exponent(max_exponent, s), bin_plan::headroom,
                                bins - 1) > -1022;
    }
    return all;
  }

  /// Adds up what lanes have: all get it. False where largest exponents are too far apart: then it is no sum.
  ///
  /// sync       all lanes of the warp
  MONOFOLD_GPU bool join_lanes(int most_shift) {
    constexpr std::uint32_t above = 1u << 20;
    const std::uint32_t key = is_there != 0 ? above - static_cast<std::uint32_t>(max_exponent) : 0;
    const auto lowest = static_cast<int>(above - largest_of_lanes(key));
    is_other = any_lane(is_other != 0) ? 1 : 0;
    const bool is_near = !any_lane(shift_over(lowest) > most_shift);
    MONOFOLD_UNROLL
    for (int s = 0; s < num_sums; ++s) {
      value[s] = sum_of_lanes(is_near ? shifted(lowest, s) : 0);
    }
    is_there = any_lane(is_there != 0) ? 1 : 0;
    max_exponent = is_there != 0 ? lowest : 0;
    return is_near;
  }

  /// The same of some places in shared memory, up to one a lane.
  MONOFOLD_GPU bool join_slots(const short_sums* slot, int num, int most_shift) {
    *this = short_sums{};
    if (lane_rank() < num) *this = slot[lane_rank()];
    return join_lanes(most_shift);
  }

 private:
  /// By how much the units of a sum are above those of another largest exponent.
  MONOFOLD_GPU int shift_over(int lowest) const {
    int most = 0;
    MONOFOLD_UNROLL
    for (int s = 0; s < num_sums; ++s) {
      const int shift =
          format::part_max_exponent(max_exponent, s) - format::part_max_exponent(lowest, s);
      if (is_there != 0 && shift > most) most = shift;
    }
    return most;
  }
  MONOFOLD_GPU int128 shifted(int lowest, int s) const {
    if (is_there == 0) return 0;
    const int shift =
        format::part_max_exponent(max_exponent, s) - format::part_max_exponent(lowest, s);
    return static_cast<int128>(static_cast<uint128>(value[s]) << shift);
  }
};

}  // namespace monofold::detail
