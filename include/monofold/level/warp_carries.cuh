#pragma once
/// level/warp_carries: a warp makes one number of digits whose carries have waited.

#include <cstdint>

#include "monofold/level/shuffle.cuh"
#include "monofold/level/thread.cuh"
#include "monofold/platform/host_device.hpp"

namespace monofold::detail {

/// The lanes that say yes, as bits.
MONOFOLD_GPU std::uint32_t lanes_with(bool yes) {
#if defined(__CUDA_ARCH__)
  return __ballot_sync(all_lanes, yes ? 1 : 0);
#else
  std::uint32_t lanes = (yes ? 1u : 0u) << lane_rank();
  for (int distance = 1; distance < warp_lanes; distance *= 2) {
    lanes |= shuffle_from(lanes, lane_rank() ^ distance);
  }
  return lanes;
#endif
}

/// The digits of the sum of signed words, word i worth 2^(32 i), in two's complement.
///
/// A word is its low half plus 2^32 times its high half, a signed number: with 2^31 added to that, and
/// what was added taken off as a third number, all digits are natural. Their sum is below 3 * 2^32; what
/// stands above 32 bits, at most 2, goes to the next digit. Now a digit generates a carry of 1, passes
/// one on, or neither, and one addition of the lanes' votes runs all carries: adding `generates` to
/// `generates | passes`, bit i carries where lane i does.
///
/// shape      `word` in shared memory; out: num_words digits there. More than 32 in turns
/// sync       all lanes of the warp; no barrier behind the last write
/// tested by  tests/gpu/exact_sum_test.cu, tests/gpu/exact_carries_test.cu
MONOFOLD_GPU void run_carries(const std::int64_t* word, int num_words, std::uint32_t* out) {
  const auto at = [word](int i) {
    return i < 0 ? std::uint64_t{0} : static_cast<std::uint64_t>(word[i]);
  };
  const auto natural = [at](int i) {
    if (i < 0) return std::uint64_t{0};
    const std::uint64_t low = at(i) & 0xffffffffu;
    if (i == 0) return low;
    const std::uint64_t high = static_cast<std::uint32_t>(at(i - 1) >> 32) ^ 0x80000000u;
    // Minus the sum of 2^31 * 2^(32 i) over i > 0.
    const std::uint64_t lifted = i == 1 ? 0x80000000u : 0x7fffffffu;
    return low + high + lifted;
  };
  std::uint64_t carry = 0;
  MONOFOLD_ROLL
  for (int first = 0; first < num_words; first += warp_lanes) {
    const int i = first + lane_rank();
    std::uint64_t own = 0;
    if (i < num_words) own = (natural(i) & 0xffffffffu) + (natural(i - 1) >> 32);
    const std::uint64_t generates = lanes_with(own >> 32 != 0);
    const std::uint64_t passes = lanes_with(static_cast<std::uint32_t>(own) == 0xffffffffu);
    const std::uint64_t sum = (generates | passes) + generates + carry;
    const std::uint64_t carries =
        sum ^ passes;  // into lanes; the two others cancel where both are set
    if (i < num_words) {
      out[i] =
          static_cast<std::uint32_t>(own) + static_cast<std::uint32_t>(carries >> lane_rank() & 1);
    }
    carry = carries >> warp_lanes;
  }
}

}  // namespace monofold::detail
