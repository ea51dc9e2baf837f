#pragma once
/// level/warp_leading: the leading bits of an exact number, found by a warp.

#include <cstdint>

#include "monofold/fold/exact/rounding.hpp"
#include "monofold/level/shuffle.cuh"
#include "monofold/level/thread.cuh"
#include "monofold/level/warp_carries.cuh"
#include "monofold/platform/float_format.hpp"
#include "monofold/platform/host_device.hpp"

namespace monofold::detail {

/// The index of the highest and of the lowest bit of a word that is not 0.
MONOFOLD_GPU int highest_bit(std::uint32_t word) { return bit_width_of(word) - 1; }
MONOFOLD_GPU int lowest_bit(std::uint32_t word) { return bit_width_of(word & (0 - word)) - 1; }

/// The 64 highest bits of the magnitude of a number in two's complement, as `leading_of` has them.
///
/// shape      digit: num_digits words of 32 bits in shared memory; low: the exponent of the lowest bit
/// sync       all lanes of the warp
/// tested by  tests/gpu/exact_answers_test.cu
MONOFOLD_GPU leading_bits leading_of_digits(const std::uint32_t* digit, int num_digits, int low,
                                            bool is_negative) {
  int bottom = num_digits;  // the lowest digit that is not 0
  int top = -1;             // the highest of the magnitude
  const auto magnitude = [&](int i) {
    if (i < bottom) return std::uint64_t{0};
    const std::uint32_t own = digit[i];
    // Of -a = ~a + 1 the carry ends at the lowest digit that is not 0.
    return std::uint64_t{is_negative ? (i == bottom ? 0 - own : ~own) : own};
  };
  MONOFOLD_ROLL
  for (int first = 0; first < num_digits; first += warp_lanes) {
    const int i = first + lane_rank();
    const std::uint32_t there = lanes_with(i < num_digits && digit[i] != 0);
    if (bottom == num_digits && there != 0) bottom = first + lowest_bit(there);
    const std::uint32_t left = lanes_with(i < num_digits && magnitude(i) != 0);
    if (left != 0) top = first + highest_bit(left);
  }
  if (top < 0) return {0, low, false};
  const std::uint64_t lowest = magnitude(top - 2);
  const int width = highest_bit(static_cast<std::uint32_t>(magnitude(top))) + 1;
  const std::uint64_t bits =
      magnitude(top) << (64 - width) | magnitude(top - 1) << (32 - width) | lowest >> width;
  const bool is_sticky = bottom < top - 2 || (lowest & ((std::uint64_t{1} << width) - 1)) != 0;
  return {bits, low + 32 * (top - 2) + width, is_sticky};
}

}  // namespace monofold::detail
