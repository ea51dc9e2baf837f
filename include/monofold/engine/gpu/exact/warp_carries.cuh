#pragma once
/// engine/gpu/exact/warp_carries: a warp makes one number of digits whose carries have waited.

#include <cstdint>

#include "monofold/level/lanes.cuh"
#include "monofold/level/shuffle.cuh"
#include "monofold/level/thread.cuh"
#include "monofold/platform/float_format.hpp"
#include "monofold/platform/host_device.hpp"

namespace monofold::detail {

/// The index of the highest and of the lowest bit of a word that is not 0.
MONOFOLD_GPU int highest_bit(std::uint32_t word) { return bit_width_of(word) - 1; }
MONOFOLD_GPU int lowest_bit(std::uint32_t word) { return bit_width_of(word & (0 - word)) - 1; }

/// Neighbouring words, of which the first is not 0: none where num is 0.
struct word_span {
  int first;
  int num;
};

/// From the first to the last word that is not 0.
///
/// shape      `word` in shared memory
/// sync       all lanes of the warp, which all get it
MONOFOLD_GPU word_span words_in_use(const std::int64_t* word, int num_words) {
  word_span out{0, 0};
  MONOFOLD_ROLL
  for (int first = 0; first < num_words; first += warp_lanes) {
    const int i = first + lane_rank();
    const std::uint32_t there = lanes_with(i < num_words && word[i] != 0);
    if (there == 0) continue;
    if (out.num == 0) out.first = first + lowest_bit(there);
    out.num = first + highest_bit(there) - out.first + 1;
  }
  return out;
}

/// The sum of signed words, word i worth 2^(32 i), as digits of a number in two's complement: turn by
/// turn each lane gets one.
///
/// A word is its low half plus 2^32 times its high half, a signed number: with 2^31 added to that, and
/// what was added taken off as a third number, all digits are natural. Their sum is below 3 * 2^32; what
/// stands above 32 bits, at most 2, goes to the next digit. Now a digit generates a carry of 1, passes
/// one on, or neither, and one addition of the lanes' votes runs all carries: adding `generates` to
/// `generates | passes`, bit i carries where lane i does.
///
/// shape      `word` in shared memory
/// sync       all lanes of the warp
class carried_words {
 public:
  MONOFOLD_GPU carried_words(const std::int64_t* word, int num_words)
      : word_(word), num_words_(num_words) {}

  /// Digit first + lane_rank(), for first = 0, 32, ..: 0 beyond the last.
  MONOFOLD_GPU std::uint32_t next(int first) {
    const int i = first + lane_rank();
    std::uint64_t own = 0;
    if (i < num_words_) own = (natural(i) & 0xffffffffu) + (natural(i - 1) >> 32);
    const std::uint64_t generates = lanes_with(own >> 32 != 0);
    const std::uint64_t passes = lanes_with(static_cast<std::uint32_t>(own) == 0xffffffffu);
    const std::uint64_t sum = (generates | passes) + generates + carry_;
    const std::uint64_t carries =
        sum ^ passes;  // into lanes; the two others cancel where both are set
    carry_ = carries >> warp_lanes;
    if (i >= num_words_) return 0;
    return static_cast<std::uint32_t>(own) + static_cast<std::uint32_t>(carries >> lane_rank() & 1);
  }

 private:
  MONOFOLD_GPU std::uint64_t natural(int i) const {
    if (i < 0) return 0;
    const std::uint64_t low = static_cast<std::uint64_t>(word_[i]) & 0xffffffffu;
    if (i == 0) return low;
    const std::uint64_t before = static_cast<std::uint64_t>(word_[i - 1]);
    const std::uint64_t high = static_cast<std::uint32_t>(before >> 32) ^ 0x80000000u;
    // Minus the sum of 2^31 * 2^(32 i) over i > 0.
    const std::uint64_t lifted = i == 1 ? 0x80000000u : 0x7fffffffu;
    return low + high + lifted;
  }

  const std::int64_t* word_;
  int num_words_;
  std::uint64_t carry_ = 0;
};

/// How many digits the words of a span make, the sign included: their sum is below 2^31 times the last
/// one's worth of 2^32.
MONOFOLD_GPU int digits_of_span(const word_span& used, int num_words) {
  const int left = num_words - used.first;
  return used.num + 2 < left ? used.num + 2 : left;
}

/// All digits of the sum of signed words.
///
/// shape      `word` in shared memory; out: num_words digits there
/// sync       all lanes of the warp; no barrier behind the last write
/// tested by  tests/gpu/exact_sum_test.cu, tests/gpu/exact_carries_test.cu
MONOFOLD_GPU void run_carries(const std::int64_t* word, int num_words, std::uint32_t* out) {
  const word_span used = words_in_use(word, num_words);
  const int num = digits_of_span(used, num_words);
  carried_words carried(word + used.first, num);
  std::uint32_t sign = 0;  // of the last digit
  MONOFOLD_ROLL
  for (int first = 0; first < num; first += warp_lanes) {
    const int i = first + lane_rank();
    const std::uint32_t own = carried.next(first);
    if (i < num) out[used.first + i] = own;
    sign = lanes_with(i == num - 1 && own >> 31 != 0) != 0 ? ~std::uint32_t{0} : 0;
  }
  for (int i = lane_rank(); i < used.first; i += warp_lanes) out[i] = 0;
  for (int i = used.first + num + lane_rank(); i < num_words; i += warp_lanes) out[i] = sign;
}

}  // namespace monofold::detail
