#pragma once
/// engine/gpu/exact/warp_digits: exact sums of a warp's own, as digits in shared memory.

#include <cstdint>

#include "monofold/fold/exact/term.hpp"
#include "monofold/level/lanes.cuh"
#include "monofold/level/shuffle.cuh"
#include "monofold/level/thread.cuh"
#include "monofold/platform/float_format.hpp"
#include "monofold/platform/host_device.hpp"
#include "monofold/platform/numbers.hpp"

namespace monofold::detail {

/// Adds to a word that other blocks add to.
MONOFOLD_GPU void add_to_word(std::int64_t* word, std::int64_t value) {
  static_assert(sizeof(unsigned long long) == sizeof(std::int64_t));
  atomicAdd(reinterpret_cast<unsigned long long*>(word), static_cast<unsigned long long>(value));
}

/// What was added to a word, which is set back to 0 for the next launch.
MONOFOLD_GPU std::int64_t take_word(std::int64_t* word) {
  return static_cast<std::int64_t>(atomicExch(reinterpret_cast<unsigned long long*>(word), 0ull));
}

/// What a warp's digits hold besides sums.
enum class digit_count { nan, positive_infinity, negative_infinity, other };
inline constexpr int num_digit_counts = 4;

/// The sums of a warp as digits of 16 bits in words of 32, so that some 2^15 additions need no carries
/// and lanes can add by the atomic operations that shared memory has; then the counts.
///
/// sync       all lanes of the warp, unless it says otherwise
template <class Layout>
class warp_digits {
 public:
  using layout = Layout;
  static constexpr int num_digits = Layout::num_digits;
  static constexpr int num_words = num_digits + num_digit_counts;
  /// Digits of 32 bits, in which blocks meet, and the counts.
  static constexpr int num_wide_digits = num_digits / 2;
  static constexpr int num_wide_words = num_wide_digits + num_digit_counts;
  /// Each addition adds less than 2^16 in magnitude to a digit.
  static constexpr int most_additions = (1 << 15) - 1;

  /// `words`: num_words of shared memory, of this warp alone; `overflow`: num_wide_words of global memory.
  MONOFOLD_GPU warp_digits(std::int32_t* words, std::int64_t* overflow)
      : words_(words), overflow_(overflow) {}

  MONOFOLD_GPU void clear() {
    for (int i = lane_rank(); i < num_words; i += warp_lanes) words_[i] = 0;
    sync_warp();  // what lanes wrote above others add to below
  }

  /// Room for so many additions to a digit; what was added so far goes to the other blocks, where it
  /// must.
  MONOFOLD_GPU void reserve(int additions) {
    added_ += additions;
    if (added_ <= most_additions) return;
    hand_over(words_, overflow_);
    added_ = additions;
  }

  /// += value * 2^exponent to a sum, where bits below its grid are zeros; every lane has the same value.
  /// One addition.
  MONOFOLD_GPU void add_units(std::int64_t value, int exponent, int sum) {
    int position = exponent - Layout::low_exponent(sum);
    if (position < 0) {
      value = position > -63 ? value >> -position : 0;
      position = 0;
    }
    const int shift = position % 16;
    const auto low = static_cast<std::uint64_t>(value) << shift;
    const std::int64_t high = (value >> (63 - shift)) >> 1;
    // Digit d belongs to lane d mod 32, so that several values can be added without a barrier.
    const int first = Layout::first_digit(sum) + position / 16;
    const int j = (lane_rank() - first) & (warp_lanes - 1);
    if (j > 4) return;
    words_[first + j] += j == 4 ? static_cast<std::int32_t>(high)
                                : static_cast<std::int32_t>((low >> (16 * j)) & 0xffff);
  }

  /// += (-1)^negative * value * 2^position, in units of a sum, by a lane alone. One addition. Not
  /// between a barrier of the warp and `add_units`.
  MONOFOLD_GPU void deposit(std::uint64_t value, int position, bool negative, int sum) {
    const int shift = position % 16;
    const std::uint64_t low = value << shift;
    const std::uint64_t high = (value >> (63 - shift)) >> 1;
    std::int32_t* const digit = words_ + Layout::first_digit(sum) + position / 16;
    MONOFOLD_UNROLL
    for (int j = 0; j < 5; ++j) {
      const auto piece = static_cast<std::int32_t>(j == 4 ? high : (low >> (16 * j)) & 0xffff);
      if (piece != 0) atomicAdd(digit + j, negative ? -piece : piece);
    }
  }

  /// A finite double times 2^scale, by a lane alone. One addition.
  MONOFOLD_GPU void deposit(double x, int scale, int sum) {
    const float_parts p = parts_of(x);
    if (p.significand == 0) return;
    const int zeros = Layout::low_exponent(sum) - (p.exponent + scale);
    // A number of the grid has zeros below it.
    if (zeros > 0) {
      deposit(p.significand >> zeros, 0, p.negative, sum);
    } else {
      deposit(p.significand, -zeros, p.negative, sum);
    }
  }

  /// A finite term, by a lane alone. Two additions.
  MONOFOLD_GPU void deposit(const exact_term& term, int sum) {
    const int position = term.exponent - Layout::low_exponent(sum);
    const auto high = static_cast<std::uint64_t>(term.significand >> 64);
    deposit(static_cast<std::uint64_t>(term.significand), position, term.negative, sum);
    if (high != 0) deposit(high, position + 64, term.negative, sum);
  }

  /// What is no finite number, by a lane alone. One addition.
  MONOFOLD_GPU void count(number_kind kind, bool negative) {
    count(kind == number_kind::nan ? digit_count::nan
          : negative               ? digit_count::negative_infinity
                                   : digit_count::positive_infinity);
  }
  /// By a lane alone. One addition.
  MONOFOLD_GPU void count(digit_count what) {
    atomicAdd(words_ + num_digits + static_cast<int>(what), 1);
  }

  /// Word i of 32 bits that the digits of a warp make.
  MONOFOLD_GPU static std::int64_t wide_word(const std::int32_t* words, int i) {
    if (i >= num_wide_digits) return words[num_digits + i - num_wide_digits];
    return std::int64_t{words[2 * i]} + std::int64_t{words[2 * i + 1]} * 65536;
  }

 private:
  MONOFOLD_GPU static bool is_last(int wide_digit) {
    return 2 * wide_digit + 2 == Layout::end_digit(0) || 2 * wide_digit + 2 == num_digits;
  }

  /// Adds all words of a warp to those in which blocks meet, and sets them to 0.
  MONOFOLD_GPU_CALL static void hand_over(std::int32_t* words, std::int64_t* overflow) {
    sync_warp();  // additions of lanes above are read below
    for (int i = lane_rank(); i < num_wide_words; i += warp_lanes) {
      const std::int64_t value = wide_word(words, i);
      // A sum of any number of these stays below 2^63: what is above 32 bits goes to the next digit.
      // That of a number's last digit stays there.
      if (i < num_wide_digits && !is_last(i)) {
        add_to_word(overflow + i, value & 0xffffffff);
        add_to_word(overflow + i + 1, value >> 32);
      } else {
        add_to_word(overflow + i, value);
      }
    }
    sync_warp();  // words read above are cleared below
    for (int i = lane_rank(); i < num_words; i += warp_lanes) words[i] = 0;
    sync_warp();  // and added to by other lanes
  }

  std::int32_t* words_;
  std::int64_t* overflow_;
  int added_ = 0;
};

}  // namespace monofold::detail
