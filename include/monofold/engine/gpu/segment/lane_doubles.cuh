#pragma once
/// engine/gpu/segment/lane_doubles: how a lane adds items by doubles, see double_sums.

#include <cstdint>

#include "monofold/engine/gpu/exact/term_format.cuh"
#include "monofold/engine/gpu/load.cuh"
#include "monofold/engine/gpu/segment/coming_pages.cuh"
#include "monofold/engine/gpu/segment/double_sums.cuh"
#include "monofold/engine/gpu/two_sum.cuh"
#include "monofold/fold/exact/sum_of_two.hpp"
#include "monofold/fold/exact/term.hpp"
#include "monofold/fold/norm.hpp"
#include "monofold/level/lanes.cuh"
#include "monofold/level/thread.cuh"
#include "monofold/platform/bits.hpp"
#include "monofold/platform/host_device.hpp"
#include "monofold/platform/rounded.hpp"

namespace monofold::detail {

/// What a lane adds of its chunks, pages of some of them. Item v of each goes to chain v % chains: an addition waits for
/// the one before, so there are two at least; where each item of a chunk has its own, a chain is a column.
///
/// shape      log2_items: a chain has less than 2^log2_items items. begin_page: before its chunks are added. own(): the sum of
///            all; own(c): that of a chain. additions: how many each of so many items of a chain goes through at most, with
///            the one in `own`. narrow: bits of the answers of all chains, where each is a column that no other
///            lane has items of; a bit for each that is not decided
template <class Term, int chains = 2>
class lane_doubles;

/// A chain begins at an anchor, so far above all items that what an addition rounds off, its rest, is the difference of
/// two subtractions; rests are added up by themselves.
template <int chains>
class lane_doubles<value_term<float>, chains> {
 public:
  using total = double_sum<value_term<float>>;
  using items = thread_items<float>;

  MONOFOLD_GPU static std::int64_t additions(std::int64_t items) { return items; }
  MONOFOLD_GPU explicit lane_doubles(int log2_items) : log2_items_(log2_items) {
    MONOFOLD_UNROLL
    for (int c = 0; c < chains; ++c) {
      sum_[c] = 0;
      rest_[c] = -0.0;
    }
  }

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
      double& own = sum_[w % chains];
      const double next = rounded_sum(own, x);
      const double rest = rounded_sum(x, -rounded_sum(next, -own));
      own = next;
      rest_[w % chains] = rounded_sum(rest_[w % chains], rest);
      rests_ |= static_cast<std::uint32_t>(bits_as<std::uint64_t>(rest) >> 32);
    }
  }
  MONOFOLD_GPU total own() const {
    double upper = rounded_sum(sum_[0], -anchor_);
    double lower = rest_[0];
    MONOFOLD_UNROLL
    for (int c = 1; c < chains; ++c) {
      upper = rounded_sum(upper, rounded_sum(sum_[c], -anchor_));
      lower = rounded_sum(lower, rest_[c]);
    }
    return total_of(upper, lower);
  }
  MONOFOLD_GPU total own(int c) const { return total_of(rounded_sum(sum_[c], -anchor_), rest_[c]); }
  template <class F>
  MONOFOLD_GPU std::uint32_t narrow(const F& f, std::int64_t count, std::int64_t,
                                    std::uint32_t (&bits)[chains]) const {
    double sum[chains];
    MONOFOLD_UNROLL
    for (int c = 0; c < chains; ++c) sum[c] = sum_of(rounded_sum(sum_[c], -anchor_), rest_[c]);
    if (is_exact()) return narrow_exact_sums(f, count, sum, bits);
    double error[chains];
    std::uint32_t left = 0;
    MONOFOLD_UNROLL
    for (int c = 0; c < chains; ++c) {
      const std::uint32_t upper = upper_half_above(error_of(sum[c]));
      if (upper >= half_of_infinity) left |= 1u << c;
      error[c] = rounded_product(of_upper_half(upper), 0x1p-53);
    }
    return left | narrow_near_sums(f, count, sum, error, bits);
  }

 private:
  static constexpr int log2_growth = 6;  // of items, before there must be another anchor
  MONOFOLD_GPU static double of_field(int field) {
    return double_of_words(static_cast<std::uint32_t>(field) << 20, 0);
  }

  /// Whether all rests were 0, so that the sums of all chains are exact. The sum of rests does not tell: it is rounded.
  MONOFOLD_GPU bool is_exact() const { return rests_ << 1 == 0 && !is_moved_; }

  /// `upper`: of up to two chains, which is a double.
  MONOFOLD_GPU static double sum_of(double upper, double lower) {
    return upper == 0 ? lower : rounded_sum(upper, lower);
  }
  MONOFOLD_GPU int anchor_field() const {
    return static_cast<int>(bits_as<std::uint64_t>(anchor_) >> 52);
  }
  /// 2^53 times what a sum may be wrong by, where there is an anchor.
  MONOFOLD_GPU double error_of(double sum) const {
    // The sum is rounded once, goes through 5 additions over lanes, and 7 over warps. Rests, of up to half a unit of the
    // anchor each, have gone through as many as there are items; sums below an older anchor, too.
    const int field = anchor_field();
    const int rests = field - 52 + 2 * log2_items_;
    const int lost = is_moved_ ? field + log2_items_ : rests;
    return rounded_fma(14.0, absolute(sum), of_field(lost));
  }
  MONOFOLD_GPU total total_of(double upper, double lower) const {
    const double sum = sum_of(upper, lower);
    if (anchor_ == 0) return {sum, 0, ~std::uint32_t{0}};
    return {sum, upper_half_above(error_of(sum)),
            is_exact() ? static_cast<std::uint32_t>(anchor_field() - 1023 - 52 +
                                                    double_sum<value_term<float>>::grid_bias)
                       : 0u};
  }

  /// For items of this exponent field, and up to 2^log2_growth times as large.
  MONOFOLD_GPU void set_anchor(int field) {
    MONOFOLD_UNROLL
    for (int c = 0; c < chains; ++c) {
      const double own = rounded_sum(sum_[c], -anchor_);
      if (own != 0) {
        rest_[c] = rounded_sum(rest_[c], own);
        is_moved_ = true;
      }
    }
    if (field == 255) set_special();
    const int highest = field + log2_growth < 254 ? field + log2_growth : 254;
    limit_ = static_cast<std::uint32_t>(highest) << 24 | 0xffffffu;
    anchor_ = rounded_product(of_field(highest - 127 + 1 + log2_items_ + 1 + 1023), 1.5);
    MONOFOLD_UNROLL
    for (double& own : sum_) own = anchor_;
  }
  MONOFOLD_GPU void set_special() {
    MONOFOLD_UNROLL
    for (double& rest : rest_) rest = of_upper_half(half_of_infinity);
  }

  int log2_items_;
  bool is_moved_ = false;
  std::uint32_t limit_ = 0;  // twice the magnitude of the largest item for this anchor
  double anchor_ = 0;        // 0: there were only zeros
  std::uint32_t rests_ = 0;  // the upper halves of all rests together
  double sum_[chains];
  double rest_[chains];
};

template <class Item, int chains>
class lane_doubles<value_term<Item>, chains> {
 public:
  using total = double_sum<value_term<Item>>;
  using items = thread_items<Item>;

  MONOFOLD_GPU static std::int64_t additions(std::int64_t items) { return items + 1; }
  MONOFOLD_GPU explicit lane_doubles(int) {
    MONOFOLD_UNROLL
    for (double& own : sum_) own = -0.0;
  }
  template <int rows>
  MONOFOLD_GPU void begin_page(const bytes16 (&)[rows]) {}
  MONOFOLD_GPU void add(const bytes16& raw) {
    most_ = items::look(most_, raw);
    least_ = items::look_low(least_, raw);
    MONOFOLD_UNROLL
    for (int v = 0; v < items::count; ++v) {
      sum_[v % chains] = rounded_sum(sum_[v % chains], items::get(raw, v));
    }
  }
  MONOFOLD_GPU total own() const {
    double sum = sum_[0];
    MONOFOLD_UNROLL
    for (int c = 1; c < chains; ++c) sum = rounded_sum(sum, sum_[c]);
    return {sum, items::key(most_), items::low_key(least_)};
  }
  /// What is known of the items of all chains is true of each.
  MONOFOLD_GPU total own(int c) const {
    return {sum_[c], items::key(most_), items::low_key(least_)};
  }
  template <class F>
  MONOFOLD_GPU std::uint32_t narrow(const F& f, std::int64_t count, std::int64_t additions,
                                    std::uint32_t (&bits)[chains]) const {
    return own(0).narrow_all(f, count, additions, sum_, bits);
  }

 private:
  double sum_[chains];
  std::uint32_t most_ = 0;
  std::uint32_t least_ = items::no_low;
};

/// Squares of 32-bit floats are added by pages, and these to two doubles, so that few additions come to each. Else one
/// answer in thousands would not be decided for columns of thousands of items.
template <class Item, int chains>
class lane_doubles<moments_term<Item>, chains> {
 public:
  using total = double_sum<moments_term<Item>>;
  using items = thread_items<Item>;

  MONOFOLD_GPU static std::int64_t additions(std::int64_t items) {
    constexpr int of_page = page_rows * items_of_chunk / chains;
    return by_pages ? of_page + 3 : items + 1;
  }
  MONOFOLD_GPU explicit lane_doubles(int) {
    MONOFOLD_UNROLL
    for (int c = 0; c < chains; ++c) {
      sum_[c] = squares_[c] = 0;
      all_[c] = {0, 0, 0};
      all_squares_[c] = {0, 0, 0};
    }
  }
  template <int rows>
  MONOFOLD_GPU void begin_page(const bytes16 (&)[rows]) {
    static_assert(rows <= page_rows);
    if constexpr (by_pages) {
      const bool is_first = !has_page_;
      has_page_ = true;
      if (is_first) return;
      has_pages_ = true;
      MONOFOLD_UNROLL
      for (int c = 0; c < chains; ++c) {
        put(sum_[c], all_[c]);
        put(squares_[c], all_squares_[c]);
      }
    }
  }
  MONOFOLD_GPU void add(const bytes16& raw) {
    if constexpr (sees_special) {
      most_ = items::look(most_, raw);
      least_ = items::look_low(least_, raw);
    }
    MONOFOLD_UNROLL
    for (int v = 0; v < items::count; ++v) {
      const double x = value_of_item<Item>(raw, v);
      sum_[v % chains] = rounded_sum(sum_[v % chains], x);
      squares_[v % chains] = rounded_fma(x, x, squares_[v % chains]);
    }
  }
  MONOFOLD_GPU total own() const {
    total all = own(0);
    MONOFOLD_UNROLL
    for (int c = 1; c < chains; ++c) all = all.joined(own(c));
    return all;
  }
  MONOFOLD_GPU total own(int c) const {
    if (is_special()) return {0, of_upper_half(half_of_infinity)};
    if (!by_pages || !has_pages_) return {sum_[c], squares_[c]};
    return {of_both(sum_[c], all_[c]), of_both(squares_[c], all_squares_[c])};
  }
  template <class F>
  MONOFOLD_GPU std::uint32_t narrow(const F& f, std::int64_t count, std::int64_t additions,
                                    std::uint32_t (&bits)[chains]) const {
    double sum[chains];
    double squares[chains];
    std::uint32_t left = is_special() ? (std::uint32_t{1} << chains) - 1 : 0;
    MONOFOLD_UNROLL
    for (int c = 0; c < chains; ++c) {
      sum[c] = sum_[c];
      squares[c] = squares_[c];
    }
    if (by_pages && has_pages_) {
      MONOFOLD_UNROLL
      for (int c = 0; c < chains; ++c) {
        sum[c] = of_both(sum[c], all_[c]);
        squares[c] = of_both(squares[c], all_squares_[c]);
      }
    }
    MONOFOLD_UNROLL
    for (int c = 0; c < chains; ++c) {
      if (!(squares[c] < of_upper_half(half_of_infinity))) left |= 1u << c;
    }
    return left | narrow_rounded(f, count, sum, squares, additions, is_exact(count), bits);
  }

 private:
  // Infinities of 16 bits become finite doubles.
  static constexpr bool sees_special = sizeof(Item) == 2;
  static constexpr bool by_pages = sizeof(Item) == 4;
  static constexpr int items_of_chunk = items::count;

  MONOFOLD_GPU bool is_special() const {
    return sees_special && items::key(most_) >= items::infinite;
  }
  /// Whether the sums of all chains are exact, and so are the deviations n Q - S^2. With |x| < 2^t, all of them
  /// multiples of 2^l, n <= 2^b: n Q and S^2 are multiples of 2^(2 l) below 2^(2 (t + b)), so doubles if
  /// 2 (t + b - l) <= 53.
  MONOFOLD_GPU bool is_exact(std::int64_t count) const {
    if constexpr (!sees_special) return false;
    const int log2_count = bit_width_of(static_cast<std::uint64_t>(count - 1));
    const int lowest = items::max_exponent_of(items::key(most_)) + log2_count - 26;
    return items::low_key(least_) >= items::low_limit(lowest + items::last_bias);
  }

  MONOFOLD_GPU static void put(double& page, sum_of_two& all) {
    const sum_of_two both = two_sum(all.high, page);
    all = {both.high, rounded_sum(all.low, both.low), 0};
    page = 0;
  }
  MONOFOLD_GPU static double of_both(double page, sum_of_two all) {
    put(page, all);
    return rounded_sum(all.high, all.low);
  }

  double sum_[chains];
  double squares_[chains];
  sum_of_two all_[chains];
  sum_of_two all_squares_[chains];
  bool has_page_ = false;
  bool has_pages_ = false;
  std::uint32_t most_ = 0;
  std::uint32_t least_ = items::no_low;
};

}  // namespace monofold::detail
