#pragma once
/// engine/gpu/key/run_bits: which neighbours meet when all runs among a warp's keys are folded together by the plan's
/// tree.
///
/// In step k of the tree, item p of a run takes item p + 2^k where p is a multiple of 2^(k + 1). A lane has the bits of
/// its own places; they follow from the bits that say where runs begin, without a look at single runs.

#include <cstdint>

#include "monofold/level/lanes.cuh"
#include "monofold/level/shuffle.cuh"
#include "monofold/level/thread.cuh"
#include "monofold/platform/host_device.hpp"

namespace monofold::detail {

/// The bits of a lane's `each` neighbouring places.
///
/// shape      each: 8 or 16; for runs of up to as many items
template <int each>
class run_bits {
 public:
  static constexpr int levels = each == 16 ? 4 : 3;
  static_assert(1 << levels == each, "what is taken lies in the same lane or the next one");
  static constexpr std::uint32_t of_each = (1u << each) - 1;

  /// borders    the places where a run begins, or the array ends
  /// sync       all lanes of the warp
  MONOFOLD_GPU explicit run_bits(std::uint32_t borders) : borders_(borders) {
    const int lane = lane_rank();
    // The place of its lane where the run begins that goes on in this lane's first place.
    const std::uint32_t below = lanes_with(borders != 0) & (first_lanes(lane + 1) >> 1);
    covering_ = static_cast<std::uint32_t>(
        shuffle_from(highest_bit(borders), below == 0 ? lane : highest_bit(below)));
    // Whether a border comes within the next places; there are none beyond the last lane.
    const std::uint32_t other = shuffle_down(borders, 1);
    within_ = ((lane + 1 < warp_lanes ? other : of_each) << each | borders) >> 1;
  }

  /// The places that take another one in step `level`. Steps are asked for one after the other.
  MONOFOLD_GPU std::uint32_t takers(int level) {
    constexpr std::uint32_t bit_of_place[] = {0xaaaa, 0xcccc, 0xf0f0, 0xff00};
    const std::uint32_t own_bit = bit_of_place[level] & of_each;
    // This bit of the place where the run of each place begins. A carry goes through a run up to the border behind it.
    const std::uint32_t begun = borders_ & own_bit;
    const std::uint32_t others = of_each & ~borders_;
    const std::uint32_t carried = others + (begun << 1) + (covering_ >> level & 1);
    const std::uint32_t of_begin = begun | (others & ~carried);
    first_ &= ~(of_begin ^ own_bit);
    const std::uint32_t takes = first_ & ~within_ & of_each;
    within_ |= within_ >> (1 << level);
    return takes;
  }

 private:
  /// -1: none
  MONOFOLD_GPU static int highest_bit(std::uint32_t some) {
#if defined(__CUDA_ARCH__)
    return warp_lanes - 1 - __clz(static_cast<int>(some));
#else
    return some == 0 ? -1 : warp_lanes - 1 - __builtin_clz(some);
#endif
  }

  std::uint32_t borders_;
  std::uint32_t within_;           // places behind which a border comes within 2^level
  std::uint32_t first_ = of_each;  // places that are the first of a node
  std::uint32_t covering_;
};

}  // namespace monofold::detail
