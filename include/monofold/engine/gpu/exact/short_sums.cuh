#pragma once
/// engine/gpu/exact/short_sums: exact sums of few tiles as integers of 128 bits, which lanes and blocks add up.
///
/// The sum that bins hold of some tiles is a whole number of units of the last bin, far below 2^128. Sums of bins
/// whose largest exponents are near to each other have a sum that fits 128 bits, too: it takes no digits and no
/// carries.

#include <cstdint>

#include "monofold/engine/gpu/exact/term_bins.cuh"
#include "monofold/engine/gpu/exact/term_format.cuh"
#include "monofold/fold/exact/anchors.hpp"
#include "monofold/level/lanes.cuh"
#include "monofold/level/shuffle.cuh"
#include "monofold/level/thread.cuh"
#include "monofold/platform/host_device.hpp"
#include "monofold/platform/numbers.hpp"

namespace monofold::detail {

/// Sums of the parts of terms, as integers. Their units follow from `max_exponent`, the largest exponent of the bins
/// that held them.
template <class Term>
struct short_sums {
  using format = term_format<Term>;
  using bin_plan = term_bins<Term>;
  static constexpr int parts = format::parts;
  static constexpr int bins = bin_plan::short_bins;
  static constexpr int gap = 53 - bin_plan::headroom;  // binades between bins
  /// Whether blocks may mail them: each sum has one part, so its bins have one largest exponent.
  static constexpr bool is_mailable = parts == format::layout::num_sums;

  static constexpr int most_tiles = 4;  // of a warp
  static constexpr int most_tile_items = bin_plan::rows * warp_lanes * format::chunk_items;
  // Units of a lane and bin are below 2^51 a tile, so those of a warp and its four tiles below
  // 2^(51 + 2 + 47 + 5). Eight warps make 2^108; largest exponents may then be 2^4 apart. Those of 32 blocks, and again
  // of 8 warps' worth of them, may be 2^3 apart: 2^(112 + 5 + 3 + 3 + 3) and a little, below 2^127.
  // Eight warps that do not post, of up to 127 tiles, make 2^113, or 2^117 where largest exponents are 2^4 apart; a
  // binade more where bins are 48 apart.
  static constexpr int most_shift_of_warps = 4;
  static constexpr int most_shift_of_blocks = 3;
  static_assert(bins <= 2 && gap <= (is_mailable ? 47 : 48));

  int128 value[parts];
  static constexpr int no_exponent = 1 << 20;  // above all others
  std::int32_t max_exponent;
  std::uint32_t is_there : 1;      // else it is nothing, whatever the exponent
  std::uint32_t more : 2;          // what there is besides, see `sums_and_rests`
  std::uint32_t minus_zeros : 29;  // terms that are -0
  static constexpr std::uint32_t most_minus_zeros = (1u << 29) - 1;

  /// The exponent of the unit of a part: that of its last bin.
  MONOFOLD_GPU static int exponent(int max_exponent, int part) {
    return unit_of_bin(bin_exponent(format::part_max_exponent(max_exponent, part),
                                    bin_plan::headroom, bins - 1)) +
           format::part_scale(part);
  }
  /// Whether all gaps between bins are alike: no bin is so low that its unit would be below the smallest subnormal
  /// number.
  MONOFOLD_GPU static bool is_regular(int max_exponent) {
    bool all = true;
    MONOFOLD_UNROLL
    for (int p = 0; p < format::parts; ++p) {
      all = all && bin_exponent(format::part_max_exponent(max_exponent, p), bin_plan::headroom,
                                bins - 1) > -1022;
    }
    return all;
  }

  /// Adds up the sums of all lanes, in units of the smallest of their largest exponents; all lanes get the sum. False
  /// where these exponents are more than `most_shift` apart: then the values are not the sum.
  ///
  /// sync       all lanes of the warp
  MONOFOLD_GPU bool join_lanes(int most_shift) {
    constexpr std::uint32_t above = 1u << 20;
    const std::uint32_t key = is_there != 0 ? above - static_cast<std::uint32_t>(max_exponent) : 0;
    const auto lowest = static_cast<int>(above - largest_of_lanes(key));
    minus_zeros = sum_of_lanes(std::uint32_t{minus_zeros}) & most_minus_zeros;
    const bool is_near = !any_lane(shift_over(lowest) > most_shift);
    MONOFOLD_UNROLL
    for (int p = 0; p < parts; ++p) {
      value[p] = sum_of_lanes(is_near ? shifted(lowest, p) : 0);
    }
    is_there = any_lane(is_there != 0) ? 1 : 0;
    max_exponent = is_there != 0 ? lowest : 0;
    return is_near;
  }

  /// Adds up `num` slots in shared memory, `apart` slots from each other, by one lane. False where some bits lie below
  /// the unit of the largest exponent: then the values are not the sum.
  MONOFOLD_GPU bool join_alone(const short_sums* slot, int apart, int num) {
    *this = short_sums{};
    int largest = -no_exponent;
    MONOFOLD_ROLL
    for (int i = 0; i < num; ++i) {
      const short_sums& other = slot[i * apart];
      if (other.is_there != 0 && other.max_exponent > largest) largest = other.max_exponent;
    }
    bool loses_bits = false;
    MONOFOLD_ROLL
    for (int i = 0; i < num; ++i) {
      const short_sums& other = slot[i * apart];
      minus_zeros = (minus_zeros + other.minus_zeros) & most_minus_zeros;
      if (other.is_there == 0) continue;
      is_there = 1;
      max_exponent = largest;
      MONOFOLD_UNROLL
      for (int p = 0; p < parts; ++p) {
        int shift = format::part_max_exponent(largest, p) -
                    format::part_max_exponent(other.max_exponent, p);
        if (shift > 127) shift = 127;
        const int128 units = other.value[p] >> shift;
        loses_bits |= units << shift != other.value[p];
        value[p] += units;
      }
    }
    return !loses_bits;
  }

  /// Adds up slots in shared memory, at most one a lane, as join_lanes does.
  template <class Slot>
  MONOFOLD_GPU bool join_slots(const Slot* slot, int num, int most_shift) {
    take(slot, num);
    return join_lanes(most_shift);
  }
  /// Adds up slots as join_far_lanes does. Not inlined, since it is long and rare.
  template <class Slot>
  MONOFOLD_GPU_CALL static short_sums far_slots_joined(const Slot* slot, int num) {
    short_sums own;
    own.take(slot, num);
    own.join_far_lanes();
    return own;
  }
  /// Adds up the slots of a block's warps, at most one a lane, however far apart their largest exponents are. False
  /// where some bits lie below the unit of the largest one: then the values are not the sum.
  ///
  /// sync       all lanes of the warp
  template <class Slot>
  MONOFOLD_GPU bool join_warps(const Slot* slot, int num, int most_shift = most_shift_of_warps) {
    if (join_slots(slot, num, most_shift)) return true;
    *this = far_slots_joined(slot, num);
    return max_exponent != no_exponent;
  }
  /// Adds up the sums of all lanes in units of the largest of their exponents, which are fine enough for most data.
  /// `max_exponent` is `no_exponent` where some bits lie below that unit.
  ///
  /// sync       all lanes of the warp, which all get it
  MONOFOLD_GPU void join_far_lanes() {
    constexpr int above = 1 << 21;
    const bool any = is_there != 0;
    const auto key = static_cast<std::uint32_t>(any ? above + max_exponent : 0);
    const int largest = static_cast<int>(largest_of_lanes(key)) - above;
    bool loses_bits = false;
    MONOFOLD_UNROLL
    for (int p = 0; p < parts; ++p) {
      int128 units = 0;
      if (any) {
        int shift =
            format::part_max_exponent(largest, p) - format::part_max_exponent(max_exponent, p);
        if (shift > 127) shift = 127;
        units = value[p] >> shift;
        loses_bits |= units << shift != value[p];
      }
      value[p] = sum_of_lanes(units);
    }
    minus_zeros = sum_of_lanes(std::uint32_t{minus_zeros}) & most_minus_zeros;
    is_there = any_lane(any) ? 1 : 0;
    max_exponent = any_lane(loses_bits) ? no_exponent : is_there != 0 ? largest : 0;
  }

 private:
  template <class Slot>
  MONOFOLD_GPU void take(const Slot* slot, int num) {
    *this = short_sums{};
    if (lane_rank() < num) *this = slot[lane_rank()];
  }
  /// By how many binades the units of this sum are above those that follow from `lowest`.
  MONOFOLD_GPU int shift_over(int lowest) const {
    int most = 0;
    MONOFOLD_UNROLL
    for (int p = 0; p < parts; ++p) {
      const int shift =
          format::part_max_exponent(max_exponent, p) - format::part_max_exponent(lowest, p);
      if (is_there != 0 && shift > most) most = shift;
    }
    return most;
  }
  MONOFOLD_GPU int128 shifted(int lowest, int p) const {
    if (is_there == 0) return 0;
    const int shift =
        format::part_max_exponent(max_exponent, p) - format::part_max_exponent(lowest, p);
    return static_cast<int128>(static_cast<uint128>(value[p]) << shift);
  }
};

}  // namespace monofold::detail
