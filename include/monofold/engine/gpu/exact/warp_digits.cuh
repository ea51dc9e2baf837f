#pragma once
/// engine/gpu/exact/warp_digits: exact sums of a warp as digits in shared memory, and the numbers that digits make.

#include <cstdint>

#include "monofold/fold/exact/number.hpp"
#include "monofold/fold/exact/term.hpp"
#include "monofold/level/lanes.cuh"
#include "monofold/level/shuffle.cuh"
#include "monofold/level/thread.cuh"
#include "monofold/platform/float_format.hpp"
#include "monofold/platform/host_device.hpp"
#include "monofold/platform/numbers.hpp"

namespace monofold::detail {

struct no_number {
  static constexpr int low_exponent = 0;
  static constexpr int num_limbs = 0;
};

/// Where the digits of 16 bits of one or two sums lie, one sum behind the other.
template <class First, class Second = no_number>
struct digits_layout {
  static constexpr int num_sums = Second::num_limbs == 0 ? 1 : 2;
  static constexpr int num_digits = 4 * (First::num_limbs + Second::num_limbs);
  static constexpr int most_limbs =
      First::num_limbs > Second::num_limbs ? First::num_limbs : Second::num_limbs;

  MONOFOLD_HD static constexpr int first_digit(int sum) {
    return sum == 0 ? 0 : 4 * First::num_limbs;
  }
  MONOFOLD_HD static constexpr int end_digit(int sum) {
    return sum == 0 ? 4 * First::num_limbs : num_digits;
  }
  MONOFOLD_HD static constexpr int low_exponent(int sum) {
    return sum == 0 ? First::low_exponent : Second::low_exponent;
  }
};

/// Adds to a word to which other blocks add, too. Most blocks have nothing to add to most words: these do not wait.
MONOFOLD_GPU void add_to_word(std::int64_t* word, std::int64_t value) {
  static_assert(sizeof(unsigned long long) == sizeof(std::int64_t));
  if (value == 0) return;
  atomicAdd(reinterpret_cast<unsigned long long*>(word), static_cast<unsigned long long>(value));
}

/// Returns what was added to a word, and sets it to 0 for the next launch.
MONOFOLD_GPU std::int64_t take_word(std::int64_t* word) {
  return static_cast<std::int64_t>(atomicExch(reinterpret_cast<unsigned long long*>(word), 0ull));
}

/// What is counted beside the digits of a warp.
enum class digit_count { nan, positive_infinity, negative_infinity, minus_zero };
inline constexpr int num_digit_counts = 4;

/// The sums of a warp as digits of 16 bits, each in a word of 32, so that 2^15 - 1 additions need no carries, and
/// lanes add by the atomic operations that shared memory has. Counts follow.
///
/// sync       all lanes of the warp, unless it says otherwise
template <class Layout>
class warp_digits {
 public:
  using layout = Layout;
  static constexpr int num_digits = Layout::num_digits;
  static constexpr int num_words = num_digits + num_digit_counts;
  /// Blocks add up digits of 32 bits, as which the digits of a warp are taken two at a time, and counts.
  static constexpr int num_wide_digits = num_digits / 2;
  static constexpr int num_wide_words = num_wide_digits + num_digit_counts;
  /// Each addition adds less than 2^16 in magnitude to a digit, so that so many stay below 2^31.
  static constexpr int most_additions = (1 << 15) - 1;

  /// `words`: num_words of shared memory, of this warp alone; `overflow`: num_wide_words of global memory.
  MONOFOLD_GPU warp_digits(std::int32_t* words, std::int64_t* overflow)
      : words_(words), overflow_(overflow) {}

  MONOFOLD_GPU void clear() {
    for (int i = lane_rank(); i < num_words; i += warp_lanes) words_[i] = 0;
    sync_warp();  // what lanes wrote above others add to below
  }

  /// Makes room for so many more additions to a digit, by adding the digits to global memory where they have none.
  MONOFOLD_GPU void reserve(int additions) {
    added_ += additions;
    if (added_ <= most_additions) return;
    flush(words_, overflow_);
    added_ = additions;
  }

  /// Adds value * 2^exponent to a sum, whose grid has all bits of it. Every lane has the same value. One addition.
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

  /// Adds (-1)^negative * value * 2^position units to a sum, by one lane. One addition. Not between a barrier of the
  /// warp and `add_units`.
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

  /// Adds a finite double times 2^scale, by one lane. One addition.
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

  /// Adds a finite term, by one lane. Two additions.
  MONOFOLD_GPU void deposit(const exact_term& term, int sum) {
    const int position = term.exponent - Layout::low_exponent(sum);
    const auto high = static_cast<std::uint64_t>(term.significand >> 64);
    deposit(static_cast<std::uint64_t>(term.significand), position, term.negative, sum);
    if (high != 0) deposit(high, position + 64, term.negative, sum);
  }

  /// Counts a number that is not finite, by one lane. One addition.
  MONOFOLD_GPU void count(number_kind kind, bool negative) {
    count(kind == number_kind::nan ? digit_count::nan
          : negative               ? digit_count::negative_infinity
                                   : digit_count::positive_infinity);
  }
  /// Counts something `times` times, by one lane. One addition where `times` is below 2^16.
  MONOFOLD_GPU void count(digit_count what, int times = 1) {
    atomicAdd(words_ + num_digits + static_cast<int>(what), times);
  }

  /// Adds all digits and counts to words of global memory, and sets them to 0.
  MONOFOLD_GPU void flush() {
    flush(words_, overflow_);
    added_ = 0;
  }

  /// The count of this warp since the last `flush`, the same in all lanes.
  MONOFOLD_GPU std::uint32_t counted(digit_count what) const {
    sync_warp();  // counted by other lanes above
    return static_cast<std::uint32_t>(words_[num_digits + static_cast<int>(what)]);
  }

  /// The sum in this warp's digits, in units of 2^exponent, the same in all lanes. False where a digit is no whole
  /// number of these units or more than 2^80 of them, or where the other sum is not 0.
  MONOFOLD_GPU bool units_of(int sum, int exponent, int128& out) const {
    sync_warp();  // additions of other lanes above
    const int unit = exponent - Layout::low_exponent(sum) + 16 * Layout::first_digit(sum);
    bool fits = true;
    int128 own = 0;
    MONOFOLD_ROLL
    for (int i = lane_rank(); i < num_digits; i += warp_lanes) {
      const std::int64_t digit = words_[i];
      if (digit == 0) continue;
      const int up = 16 * i - unit;
      const int down = up < 0 ? (up < -31 ? 31 : -up) : 0;
      fits = fits && i >= Layout::first_digit(sum) && i < Layout::end_digit(sum) && up <= 80 &&
             up > -31 && digit >> down << down == digit;
      if (fits) own += up < 0 ? int128{digit >> down} : int128{digit} * (int128{1} << up);
    }
    out = sum_of_lanes(own);
    return !any_lane(!fits);
  }

  /// Word i of those that blocks add up, made of the digits and counts of a warp.
  MONOFOLD_GPU static std::int64_t wide_word(const std::int32_t* words, int i) {
    if (i >= num_wide_digits) return words[num_digits + i - num_wide_digits];
    return std::int64_t{words[2 * i]} + std::int64_t{words[2 * i + 1]} * 65536;
  }

 private:
  MONOFOLD_GPU static bool is_last(int wide_digit) {
    return 2 * wide_digit + 2 == Layout::end_digit(0) || 2 * wide_digit + 2 == num_digits;
  }

  /// Adds all words of a warp to words of global memory, and sets them to 0.
  MONOFOLD_GPU_CALL static void flush(std::int32_t* words, std::int64_t* overflow) {
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

/// The indices of the highest and of the lowest bit of a word that is not 0.
MONOFOLD_GPU int highest_bit(std::uint32_t word) { return bit_width_of(word) - 1; }
MONOFOLD_GPU int lowest_bit(std::uint32_t word) { return bit_width_of(word & (0 - word)) - 1; }

/// The words from the first that is not 0 to the last one; none where `num` is 0.
struct word_span {
  int first;
  int num;
};

/// The span from the first to the last word that is not 0.
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

/// The number that is the sum of signed words, word i times 2^(32 i), as digits of 32 bits in two's complement. Each
/// call gives every lane a digit.
///
/// A word is its low half plus 2^32 times its high half, which is signed. With 2^31 added to each high half, and these
/// additions subtracted again as a third number, no digit is negative. The sum of the three digits in one place is
/// below 3 * 2^32; what is above 32 bits of it, at most 2, is added to the next digit. After that a digit generates a
/// carry of 1, passes one on, or does neither. All carries are found by one addition of votes: of `generates` plus
/// `generates | passes`, bit i has a carry where lane i gets one.
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

/// Adds value * 2^exponent to sum `s` in words of two digits each, by one thread.
template <class Layout>
MONOFOLD_GPU_CALL void add_number(int128 value, int exponent, int s, std::int64_t* words) {
  int position = exponent - Layout::low_exponent(s);
  if (position < 0) {
    value = position > -127 ? value >> -position : 0;  // below the grid there are zeros
    position = 0;
  }
  const int shift = position % 32;
  const int first = Layout::first_digit(s) / 2 + position / 32;
  const auto low = static_cast<uint128>(value) << shift;
  const auto high = static_cast<std::int64_t>((value >> (127 - shift)) >> 1);
  // What lies above the last word of the sum is its sign.
  MONOFOLD_ROLL
  for (int j = 0; j < 5 && first + j < Layout::end_digit(s) / 2; ++j) {
    const std::int64_t piece =
        j == 4 ? high : static_cast<std::int64_t>(static_cast<std::uint32_t>(low >> (32 * j)));
    if (piece != 0) add_to_word(words + first + j, piece);
  }
}

/// How many digits the words of a span make. A word is below 2^63 in magnitude, so the sum takes at most one digit
/// more than there are words, and its sign one more.
MONOFOLD_GPU int digits_of_span(const word_span& used, int num_words) {
  const int left = num_words - used.first;
  return used.num + 2 < left ? used.num + 2 : left;
}

/// Stores all digits of the sum of signed words.
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
