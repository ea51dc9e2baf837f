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
/// shape      over_lanes: of all lanes, in all of them. finish: the answer of `count` items; false where it is not decided
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
    const double both = rounded_sum(of_upper_half(error), of_upper_half(other.error));
    return {rounded_sum(sum, other.sum), upper_half_above(both), smaller(grid, other.grid)};
  }
  template <class F, class Answer>
  MONOFOLD_GPU bool finish(const F& f, std::int64_t count, std::int64_t, const Answer& out) const {
    if (error >= half_of_infinity) return false;
    // Sums of some lanes are less than an eighth of the error.
    const int max_exponent = static_cast<int>(error >> 20) - 1022 - 3;
    if (error == 0 || (grid != 0 && static_cast<int>(grid) - grid_bias >= max_exponent - 53)) {
      out = answer_of_double(f, sum, static_cast<int>(count));
      return true;
    }
    return finish_near_sum(f, count, sum, rounded_product(of_upper_half(error), 0x1p-53), out);
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
  template <class F, class Answer>
  MONOFOLD_GPU bool finish(const F& f, std::int64_t count, std::int64_t additions,
                           const Answer& out) const {
    if (most >= items::infinite) return false;
    const int max_exponent = items::max_exponent_of(most);
    const double own = scaled<items::scale>(sum);
    const int log2_count = bit_width_of(static_cast<std::uint64_t>(count));
    if (least >= items::low_limit(max_exponent + log2_count - 53 + items::last_bias)) {
      out = answer_of_double(f, own, static_cast<int>(count));
      return true;
    }
    return finish_rounded_sum(f, count, own, {additions, max_exponent + items::scale}, out);
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
  template <class F, class Answer>
  MONOFOLD_GPU bool finish(const F& f, std::int64_t count, std::int64_t additions,
                           const Answer& out) const {
    return squares < of_upper_half(half_of_infinity) &&
           finish_rounded(f, count, sum, squares, additions, &out);
  }
};

/// What a lane adds of its chunks, pages of some of them. An addition waits for the one before, so there are two chains.
///
/// shape      log2_items: of how many items there are less than 2^log2_items. begin_page: before its chunks are added
template <class Term>
class lane_doubles;

/// A chain begins at an anchor, so far above all items that what an addition rounds off is the difference of two
/// subtractions; such rests are added up by themselves.
template <>
class lane_doubles<value_term<float>> {
 public:
  using total = double_sum<value_term<float>>;
  using items = thread_items<float>;

  MONOFOLD_GPU explicit lane_doubles(int log2_items) : log2_items_(log2_items) {}

  template <int rows>
  MONOFOLD_GPU void begin_page(const bytes16 (&raw)[rows]) {
    std::uint32_t most = 0;
    MONOFOLD_UNROLL
    for (int r = 0; r < rows; ++r) {
      MONOFOLD_UNROLL
      for (int w = 0; w < 4; ++w) most = larger(most, raw[r].word[w] << 1);
    }
    if (most > limit_) set_anchor(static_cast<int>(most >> 24));
  }
  MONOFOLD_GPU void add(const bytes16& raw) {
    MONOFOLD_UNROLL
    for (int w = 0; w < 4; ++w) {
      const double x = items::get(raw, w);
      double& own = sum_[w % 2];
      const double next = rounded_sum(own, x);
      const double rest = rounded_sum(x, -rounded_sum(next, -own));
      own = next;
      rest_[w % 2] = rounded_sum(rest_[w % 2], rest);
    }
  }
  MONOFOLD_GPU total own() const {
    const double upper =
        rounded_sum(rounded_sum(sum_[0], -anchor_), rounded_sum(sum_[1], -anchor_));
    const double lower = rounded_sum(rest_[0], rest_[1]);
    const double sum = upper == 0 ? lower : rounded_sum(upper, lower);
    if (anchor_ == 0) return {sum, 0, ~std::uint32_t{0}};
    // The sum is rounded once, goes through 5 additions over lanes, and 7 over warps. Rests, of up to half a unit of the
    // anchor each, have gone through as many as there are items; sums below an older anchor, too.
    const int field = static_cast<int>(bits_as<std::uint64_t>(anchor_) >> 52);
    const int rests = field - 52 + 2 * log2_items_;
    const int lost = is_moved_ ? field + log2_items_ : rests;
    const double error = rounded_fma(14.0, absolute(sum), of_field(lost));
    const bool is_exact = rest_[0] == 0 && rest_[1] == 0 && !is_moved_;
    return {sum, upper_half_above(error),
            is_exact ? static_cast<std::uint32_t>(field - 1023 - 52 + total::grid_bias) : 0u};
  }

 private:
  static constexpr int log2_growth = 6;  // of items, before there must be another anchor
  MONOFOLD_GPU static double of_field(int field) {
    return double_of_words(static_cast<std::uint32_t>(field) << 20, 0);
  }

  /// For items of this exponent field, and up to 2^log2_growth times as large.
  MONOFOLD_GPU void set_anchor(int field) {
    MONOFOLD_UNROLL
    for (int c = 0; c < 2; ++c) {
      const double own = rounded_sum(sum_[c], -anchor_);
      if (own != 0) {
        rest_[c] = rounded_sum(rest_[c], own);
        is_moved_ = true;
      }
    }
    if (field == 255) rest_[0] = of_upper_half(half_of_infinity);
    const int highest = field + log2_growth < 254 ? field + log2_growth : 254;
    limit_ = static_cast<std::uint32_t>(highest) << 24 | 0xffffffu;
    anchor_ = rounded_product(of_field(highest - 127 + 1 + log2_items_ + 1 + 1023), 1.5);
    sum_[0] = sum_[1] = anchor_;
  }

  int log2_items_;
  bool is_moved_ = false;
  std::uint32_t limit_ = 0;  // twice the magnitude of the largest item for this anchor
  double anchor_ = 0;        // 0: there were only zeros
  double sum_[2] = {0, 0};
  double rest_[2] = {-0.0, -0.0};
};

template <class Item>
class lane_doubles<value_term<Item>> {
 public:
  using total = double_sum<value_term<Item>>;
  using items = thread_items<Item>;

  MONOFOLD_GPU explicit lane_doubles(int) {}
  template <int rows>
  MONOFOLD_GPU void begin_page(const bytes16 (&)[rows]) {}
  MONOFOLD_GPU void add(const bytes16& raw) {
    most_ = items::look(most_, raw);
    least_ = items::look_low(least_, raw);
    MONOFOLD_UNROLL
    for (int v = 0; v < items::count; ++v) {
      sum_[v % 2] = rounded_sum(sum_[v % 2], items::get(raw, v));
    }
  }
  MONOFOLD_GPU total own() const {
    return {rounded_sum(sum_[0], sum_[1]), items::key(most_), items::low_key(least_)};
  }

 private:
  double sum_[2] = {-0.0, -0.0};
  std::uint32_t most_ = 0;
  std::uint32_t least_ = items::no_low;
};

template <class Item>
class lane_doubles<moments_term<Item>> {
 public:
  using total = double_sum<moments_term<Item>>;
  using items = thread_items<Item>;

  MONOFOLD_GPU explicit lane_doubles(int) {}
  template <int rows>
  MONOFOLD_GPU void begin_page(const bytes16 (&)[rows]) {}
  MONOFOLD_GPU void add(const bytes16& raw) {
    if constexpr (sees_special) most_ = items::look(most_, raw);
    MONOFOLD_UNROLL
    for (int v = 0; v < items::count; ++v) {
      const double x = value_of_item<Item>(raw, v);
      sum_[v % 2] = rounded_sum(sum_[v % 2], x);
      squares_[v % 2] = rounded_fma(x, x, squares_[v % 2]);
    }
  }
  MONOFOLD_GPU total own() const {
    const bool is_finite = !sees_special || items::key(most_) < items::infinite;
    return {rounded_sum(sum_[0], sum_[1]),
            is_finite ? rounded_sum(squares_[0], squares_[1]) : of_upper_half(half_of_infinity)};
  }

 private:
  // Infinities of 16 bits become finite doubles.
  static constexpr bool sees_special = sizeof(Item) == 2;

  double sum_[2] = {0, 0};
  double squares_[2] = {0, 0};
  std::uint32_t most_ = 0;
};

}  // namespace monofold::detail
