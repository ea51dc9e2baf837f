#pragma once
/// engine/gpu/exact/warp_leading: the leading bits of an exact number, found by a warp.

#include <cstdint>

#include "monofold/engine/gpu/exact/warp_digits.cuh"
#include "monofold/fold/exact/leading.hpp"
#include "monofold/level/shuffle.cuh"
#include "monofold/level/thread.cuh"
#include "monofold/platform/host_device.hpp"

namespace monofold::detail {

/// The leading bits of a number in two's complement, a digit of 32 bits a lane.
///
/// shape      num_digits <= 32; low: the exponent of the lowest bit
/// sync       all lanes of the warp, which all get it
MONOFOLD_GPU leading_number leading_of_lanes(std::uint32_t digit, int num_digits, int low) {
  const int i = lane_rank();
  const std::uint32_t there = lanes_with(i < num_digits && digit != 0);
  if (there == 0) return {{0, low, false}, false};
  const int bottom = lowest_bit(there);
  const bool is_negative = lanes_with(i == num_digits - 1 && digit >> 31 != 0) != 0;
  // The carry of -a = ~a + 1 ends at the lowest digit that is not 0.
  if (is_negative && i >= bottom) digit = i == bottom ? 0 - digit : ~digit;
  if (i >= num_digits) digit = 0;
  const int top = highest_bit(lanes_with(digit != 0));
  const auto digit_of = [=](int from) -> std::uint64_t {
    const std::uint32_t own = shuffle_from(digit, from > 0 ? from : 0);
    return from >= 0 ? own : 0;
  };
  const auto limb_of = [=](int from) { return digit_of(from) << 32 | digit_of(from - 1); };
  return {leading_of(limb_of(top), limb_of(top - 2), digit_of(top - 4) << 32, low + 32 * (top - 3),
                     bottom < top - 4),
          is_negative};
}

/// The leading bits of the sum of signed words, word i times 2^(low + 32 i).
///
/// shape      `word` in shared memory; spare: num_words digits there, used where the words in use are
///            many
/// sync       all lanes of the warp, which all get it
/// tested by  tests/gpu/exact_answers_test.cu
MONOFOLD_GPU leading_number leading_of_words(const std::int64_t* word, int num_words, int low,
                                             std::uint32_t* spare) {
  const word_span used = words_in_use(word, num_words);
  const int num = digits_of_span(used, num_words);
  if (num <= warp_lanes) {
    carried_words carried(word + used.first, num);
    return leading_of_lanes(carried.next(0), num, low + 32 * used.first);
  }
  run_carries(word, num_words, spare);
  sync_warp();  // digits written above are read below
  // The highest digits that are not all sign, and whether anything is below them.
  const std::uint32_t sign = spare[num_words - 1] >> 31 != 0 ? ~std::uint32_t{0} : 0;
  int top = 0;
  MONOFOLD_ROLL
  for (int first = 0; first < num_words; first += warp_lanes) {
    const int i = first + lane_rank();
    const std::uint32_t differ = lanes_with(i < num_words && spare[i] != sign);
    if (differ != 0) top = first + highest_bit(differ);
  }
  // Lane 0 gets a digit that stands for all below the others.
  const int first = top + 2 - warp_lanes < 0 ? 0 : top + 2 - warp_lanes;
  bool any_below = false;
  MONOFOLD_ROLL
  for (int i = lane_rank(); i <= first; i += warp_lanes) any_below |= spare[i] != 0;
  any_below = any_lane(any_below);
  const int own_at = first + lane_rank();
  const int last = num_words - first < warp_lanes ? num_words - first : warp_lanes;
  std::uint32_t own = lane_rank() < last ? spare[own_at] : 0;
  if (lane_rank() == 0 && first > 0) own = any_below ? 1 : 0;
  return leading_of_lanes(own, last, low + 32 * first);
}

}  // namespace monofold::detail
