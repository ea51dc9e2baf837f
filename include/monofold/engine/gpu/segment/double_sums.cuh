#pragma once
/// engine/gpu/segment/double_sums: sums of rows by plain additions of doubles, where these decide an exact answer.
///
/// A sum of floats that doubles have added is off by no more than their additions may have rounded. An answer that is
/// narrower than a double is known for all that, unless the middle between two answers is as near as this bound. Rows
/// of which it is, and rows with infinities and NaN, are left to bins.

#include <cstdint>

#include "monofold/engine/gpu/exact/finish.cuh"
#include "monofold/engine/gpu/exact/term_format.cuh"
#include "monofold/engine/gpu/load.cuh"
#include "monofold/engine/gpu/segment/exact_row.cuh"
#include "monofold/fold/exact/term.hpp"
#include "monofold/level/lanes.cuh"
#include "monofold/level/shuffle.cuh"
#include "monofold/level/thread.cuh"
#include "monofold/platform/float_format.hpp"
#include "monofold/platform/host_device.hpp"
#include "monofold/platform/rounded.hpp"

namespace monofold::detail {

inline constexpr std::uint32_t half_of_infinity = 0x7ff00000u;
MONOFOLD_GPU double of_upper_half(std::uint32_t half) { return double_of_words(half, 0); }

/// Items that change no sum, not the sign of one that is 0 either.
template <class Item>
MONOFOLD_GPU bytes16 chunk_of_nothing() {
  return repeated(float_from_bits<Item>(float_format<Item>::sign_bit));
}
/// The sum of a double of each lane, in all lanes.
///
/// sync       all lanes of the warp
MONOFOLD_GPU double sum_over_lanes(double own) {
  MONOFOLD_UNROLL
  for (int distance = 1; distance < warp_lanes; distance *= 2) {
    own = rounded_sum(own, shuffle_from(own, lane_rank() ^ distance));
  }
  return own;
}

/// The upper half of a double that is not below 0, rounded up: as integers these compare as numbers do. NaN: of infinity.
MONOFOLD_GPU std::uint32_t upper_half_above(double x) {
  if (!(x < of_upper_half(half_of_infinity))) return half_of_infinity;
  return static_cast<std::uint32_t>(bits_as<std::uint64_t>(x) >> 32) + (x != 0 ? 1 : 0);
}

/// What doubles know of the items of a row, of one lane's or of all.
///
/// shape      over_lanes: of all lanes, in all of them. finish: the answer of `count` items; false where it is not decided.
///            narrow: its bits by few instructions, which decide nearly all. narrow_all: those of several sums of which
///            all else is the same; a bit for each that is not decided
/// sync       over_lanes: all lanes of the warp
template <class Term>
struct double_sum;

/// Lanes add 32-bit floats nearly without errors: sums that are not decided take some microseconds each, and those of
/// random numbers, which are all multiples of 2^-24, often lie in the middle between two floats.
template <>
struct double_sum<value_term<float>> {
  double sum;
  std::uint32_t
      error;  // the upper half of more than 2^53 times what the sum is wrong by; that of infinity where items are
  // infinite or NaN; 0: all are zeros
  std::uint32_t
      grid;  // all lanes' sums are exact multiples of 2^(grid - grid_bias); 0: they may have been rounded
  static constexpr int grid_bias = 2048;

  MONOFOLD_GPU double_sum over_lanes() const {
    const double most = of_upper_half(largest_of_lanes(error));
    return {sum_over_lanes(sum), upper_half_above(rounded_product(most, double{warp_lanes})),
            smallest_of_lanes(grid)};
  }
  MONOFOLD_GPU double_sum joined(const double_sum& other) const {
    return {rounded_sum(sum, other.sum), larger(error, other.error), smaller(grid, other.grid)};
  }
  /// The sum of 2^level that are joined.
  MONOFOLD_GPU double_sum of_joined(int level) const {
    if (error == 0 || error >= half_of_infinity) return *this;
    const std::uint32_t all = error + (static_cast<std::uint32_t>(level) << 20);
    return {sum, smaller(all, half_of_infinity), grid};
  }
  template <class F, class Answer>
  MONOFOLD_GPU bool finish(const F& f, std::int64_t count, std::int64_t, const Answer& out) const {
    if (error >= half_of_infinity) return false;
    if (is_exact()) {
      out = answer_of_double(f, sum, static_cast<int>(count));
      return true;
    }
    return finish_near_sum(f, count, sum, rounded_product(of_upper_half(error), 0x1p-53), out);
  }
  template <class F>
  MONOFOLD_GPU bool narrow(const F& f, std::int64_t count, std::int64_t,
                           std::uint32_t& bits) const {
    const double sums[] = {sum};
    const double errors[] = {rounded_product(of_upper_half(error), 0x1p-53)};
    std::uint32_t own[1] = {};
    const bool is_left = (is_exact() ? narrow_exact_sums(f, count, sums, own)
                                     : narrow_near_sums(f, count, sums, errors, own)) != 0;
    bits = own[0];
    return error < half_of_infinity && !is_left;
  }

 private:
  MONOFOLD_GPU bool is_exact() const {
    // Sums of some lanes are less than an eighth of the error.
    const int max_exponent = static_cast<int>(error >> 20) - 1022 - 3;
    return error == 0 || (grid != 0 && static_cast<int>(grid) - grid_bias >= max_exponent - 53);
  }
};

/// Answers of 16 bits are so narrow that nearly all sums are decided. `additions`: how many each item went
/// through at most.
template <class Item>
struct double_sum<value_term<Item>> {
  using items = thread_items<Item>;

  double sum;           // times 2^-scale
  std::uint32_t most;   // the key of the largest item, see thread_items
  std::uint32_t least;  // what low_limit is compared with

  MONOFOLD_GPU double_sum over_lanes() const {
    return {sum_over_lanes(sum), largest_of_lanes(most), smallest_of_lanes(least)};
  }
  MONOFOLD_GPU double_sum joined(const double_sum& other) const {
    return {rounded_sum(sum, other.sum), larger(most, other.most), smaller(least, other.least)};
  }
  MONOFOLD_GPU double_sum of_joined(int) const { return *this; }
  template <class F, class Answer>
  MONOFOLD_GPU bool finish(const F& f, std::int64_t count, std::int64_t additions,
                           const Answer& out) const {
    if (most >= items::infinite) return false;
    const double own = scaled<items::scale>(sum);
    if (is_exact(count)) {
      out = answer_of_double(f, own, static_cast<int>(count));
      return true;
    }
    return finish_rounded_sum(f, count, own, {additions, max_exponent() + items::scale}, out);
  }
  template <class F>
  MONOFOLD_GPU bool narrow(const F& f, std::int64_t count, std::int64_t additions,
                           std::uint32_t& bits) const {
    const double sums[] = {sum};
    std::uint32_t own[1] = {};
    const bool is_left = narrow_all(f, count, additions, sums, own) != 0;
    bits = own[0];
    return !is_left;
  }

  template <class F, int sums>
  MONOFOLD_GPU std::uint32_t narrow_all(const F& f, std::int64_t count, std::int64_t additions,
                                        const double (&sum)[sums],
                                        std::uint32_t (&bits)[sums]) const {
    double own[sums];
    double errors[sums];
    MONOFOLD_UNROLL
    for (int i = 0; i < sums; ++i) own[i] = scaled<items::scale>(sum[i]);
    if (most >= items::infinite) return (std::uint32_t{1} << sums) - 1;
    if (is_exact(count)) return narrow_exact_sums(f, count, own, bits);
    // Finite 16-bit floats keep this between 2^-140 and 2^300.
    const double error = rounded_product(
        static_cast<double>(additions * count),
        double_of_words(static_cast<std::uint32_t>(max_exponent() + items::scale - 53 + 1023) << 20,
                        0));
    MONOFOLD_UNROLL
    for (double& one : errors) one = error;
    return narrow_near_sums(f, count, own, errors, bits);
  }

 private:
  MONOFOLD_GPU int max_exponent() const { return items::max_exponent_of(most); }
  MONOFOLD_GPU bool is_exact(std::int64_t count) const {
    const int log2_count = bit_width_of(static_cast<std::uint64_t>(count));
    return least >= items::low_limit(max_exponent() + log2_count - 53 + items::last_bias);
  }
};

template <class Item>
struct double_sum<moments_term<Item>> {
  double sum;
  double squares;  // infinite where an item is

  MONOFOLD_GPU double_sum over_lanes() const {
    return {sum_over_lanes(sum), sum_over_lanes(squares)};
  }
  MONOFOLD_GPU double_sum joined(const double_sum& other) const {
    return {rounded_sum(sum, other.sum), rounded_sum(squares, other.squares)};
  }
  MONOFOLD_GPU double_sum of_joined(int) const { return *this; }
  template <class F, class Answer>
  MONOFOLD_GPU bool finish(const F& f, std::int64_t count, std::int64_t additions,
                           const Answer& out) const {
    return squares < of_upper_half(half_of_infinity) &&
           finish_rounded(f, count, sum, squares, additions, &out);
  }
  template <class F>
  MONOFOLD_GPU bool narrow(const F& f, std::int64_t count, std::int64_t additions,
                           std::uint32_t& bits) const {
    const double sums[] = {sum};
    const double all_squares[] = {squares};
    std::uint32_t own[1] = {};
    const bool is_left = narrow_rounded(f, count, sums, all_squares, additions, false, own) != 0;
    bits = own[0];
    return squares < of_upper_half(half_of_infinity) && !is_left;
  }
};

}  // namespace monofold::detail
