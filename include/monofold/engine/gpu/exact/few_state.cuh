#pragma once
/// engine/gpu/exact/few_state: states of few items from the doubles of their bins.

#include <cstdint>

#include "monofold/engine/gpu/exact/few_bins.cuh"
#include "monofold/engine/gpu/exact/finish.cuh"
#include "monofold/engine/gpu/exact/term_format.cuh"
#include "monofold/engine/gpu/exact/warp_digits.cuh"
#include "monofold/fold/exact/anchors.hpp"
#include "monofold/level/lanes.cuh"
#include "monofold/level/shuffle.cuh"
#include "monofold/level/thread.cuh"
#include "monofold/platform/bits.hpp"
#include "monofold/platform/host_device.hpp"
#include "monofold/platform/rounded.hpp"

namespace monofold::detail {

/// The bits of q * 2^place that are worth 2^0 to 2^31, in two's complement.
MONOFOLD_GPU std::uint32_t word_at(std::int64_t q, int place) {
  const int down = place >= 0 ? 0 : place > -63 ? -place : 63;
  const int up = place <= 0 ? 0 : place < 32 ? place : 32;
  return static_cast<std::uint32_t>(std::uint64_t{static_cast<std::uint32_t>(q >> down)} << up);
}

/// x times 2^exponent, exactly. Doubles take two products, so that each power of two is a normal double.
template <class Item>
MONOFOLD_GPU double times_power(double x, int exponent) {
  const auto power_of = [](int e) {
    return bits_as<double>(std::uint64_t{static_cast<std::uint32_t>(1023 + e)} << 52);
  };
  if constexpr (sizeof(Item) < 8) return rounded_product(x, power_of(exponent));
  const int half = exponent / 2;
  return rounded_product(rounded_product(x, power_of(half)), power_of(exponent - half));
}

/// The sum of one part as one string of bits. The bins are integers, each in its unit; what a bin has above the width
/// between its unit and the next one is carried to that one. Then the lower bins are not negative, and their bits do
/// not overlap. Units are as low as `few_plan` allows for bins of sums that began below `max_exponent`.
template <class Term, int part>
class part_bits {
 public:
  MONOFOLD_GPU part_bits(const double* value, int max_exponent) {
    using format = term_format<Term>;
    constexpr int scale = format::part_scale(part);
    constexpr int lower = (part < plan::first_product ? 2 : 4) * plan::spread;
    MONOFOLD_UNROLL
    for (int k = 0; k < bins; ++k) {
      const int exponent =
          bin_exponent(format::part_max_exponent(max_exponent, part), plan::headroom, k);
      unit_[k] = unit_of_bin(exponent) - lower + scale;
      bits_[k] = static_cast<std::int64_t>(
          times_power<typename Term::item>(scaled<scale>(value[k]), -unit_[k]));
    }
    MONOFOLD_UNROLL
    for (int k = bins - 1; k > 0; --k) {
      const int width = unit_[k - 1] - unit_[k];
      bits_[k - 1] += bits_[k] >> width;
      bits_[k] &= (std::int64_t{1} << width) - 1;
    }
  }

  /// The exponent of the lowest bit.
  MONOFOLD_GPU int low_exponent() const { return unit_[bins - 1]; }

  /// The bits that are worth 2^low to 2^(low + 31).
  MONOFOLD_GPU std::uint32_t word(int low) const {
    std::uint32_t out = 0;
    MONOFOLD_UNROLL
    for (int k = 0; k < bins; ++k) out |= word_at(bits_[k], unit_[k] - low);
    return out;
  }

 private:
  using plan = few_plan<Term>;
  static constexpr int bins = plan::bins(part);

  int unit_[bins];
  std::int64_t bits_[bins];
};

/// The sum of two numbers of 32 words each, of which a lane has a word; the carry out of the last word is dropped.
///
/// sync       all lanes of the warp
MONOFOLD_GPU std::uint32_t sum_of_words(std::uint32_t a, std::uint32_t b) {
  const std::uint32_t sum = a + b;
  // No lane does both: a word that hands a carry on makes none.
  const std::uint32_t makes = lanes_with(sum < a);
  const std::uint32_t hands_on = lanes_with(sum == ~std::uint32_t{0});
  const std::uint32_t carried = ((makes << 1) + hands_on) ^ hands_on;
  return sum + (carried >> lane_rank() & 1);
}

/// Stores the sum of two parts, of which the first has the larger exponents, as `words` words; bit 0 of the first one
/// is worth 2^low.
///
/// shape      their bits are fewer than 31 words, and all lie in those words
/// sync       all lanes of the warp
template <class Term, int part>
MONOFOLD_GPU void store_two_parts(const double* value, int max_exponent, int low, int words,
                                  std::uint32_t* to) {
  const part_bits<Term, part> upper(value, max_exponent);
  const part_bits<Term, part + 1> lower(value + few_plan<Term>::bins(part), max_exponent);
  const int first = (lower.low_exponent() - low) / 32;
  const int own = first + lane_rank();
  const std::uint32_t word = sum_of_words(upper.word(low + 32 * own), lower.word(low + 32 * own));
  const std::uint32_t sign = shuffle_from(word, warp_lanes - 1);
  MONOFOLD_ROLL
  for (int i = lane_rank(); i < words; i += warp_lanes) {
    if (i < first || i >= first + warp_lanes) to[i] = i < first ? 0 : sign;
  }
  if (own < words) to[own] = word;
}

/// Stores the sums of parts `part`, part + 1, .. of terms, each in its place in a state.
template <class Term, int part = 0, class State>
MONOFOLD_GPU void store_parts(const double* value, int max_exponent, State& out) {
  using format = term_format<Term>;
  using layout = typename format::layout;
  if constexpr (part < format::parts) {
    constexpr int sum = format::part_sum(part);
    constexpr int words = (layout::end_digit(sum) - layout::first_digit(sum)) / 2;
    constexpr int low = layout::low_exponent(sum);
    auto* const to = reinterpret_cast<std::uint32_t*>(sum_of(out, sum));
    if constexpr (part + 1 < format::parts && sum == format::part_sum(part + 1)) {
      static_assert(part + 2 == format::parts);
      store_two_parts<Term, part>(value, max_exponent, low, words, to);
      return;
    }
    const part_bits<Term, part> bits(value, max_exponent);
    int i = lane_rank();
    if constexpr (words <= warp_lanes) {
      const std::uint32_t word = bits.word(low + 32 * i);
      if (i < words) to[i] = word;
    } else {
      MONOFOLD_ROLL
      for (; i < words; i += warp_lanes) to[i] = bits.word(low + 32 * i);
    }
    store_parts<Term, part + 1>(value + few_plan<Term>::bins(part), max_exponent, out);
  }
}

/// Makes the state of so many items from the sums in their bins, in shared memory.
///
/// shape      value: a double a bin, in all lanes
/// sync       all lanes of a warp; no barrier behind the last write
template <class Term, class State>
MONOFOLD_GPU void make_few_state(const double* value, int max_exponent, std::uint32_t minus_zeros,
                                 std::int64_t items, State& out) {
  using format = term_format<Term>;
  // Zeros alone have no exponent.
  const int least = format::items::max_exponent_of(0);
  store_parts<Term>(value, max_exponent < least ? least : max_exponent, out);
  const int lane = lane_rank();
  if (lane < exact_counts::num_counts) {
    const std::int64_t count = lane == 0 ? items : lane == 4 ? minus_zeros : 0;
    reinterpret_cast<std::int64_t*>(&counts_of(out))[lane] = count;
  }
}

}  // namespace monofold::detail
