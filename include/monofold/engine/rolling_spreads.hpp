#pragma once
/// engine/rolling_spreads: variances, deviations and norms of windows, from the sums of the window before.

#include <algorithm>
#include <cstdint>

#include "monofold/fold/exact/moments.hpp"
#include "monofold/fold/exact/number.hpp"
#include "monofold/fold/exact/state.hpp"
#include "monofold/fold/exact/term.hpp"
#include "monofold/fold/exact/window_spreads.hpp"
#include "monofold/fold/exact/window_sums.hpp"

namespace monofold::detail {

using moments_of_doubles = exact_moments_state<double>;

/// The exact sums of a window of doubles, of their squares and, for terms of more than 26 bits, of what rounding takes
/// from these. NaN and infinities are counted, and are 0 in the sums.
class window_moments {
 public:
  /// Windows that move on together: what a block takes stays near the first-level cache.
  static constexpr int block = 256;
  static_assert(block % 4 == 0, "whole vectors");

  window_moments(bool has_sum, bool has_rests) : has_sum_(has_sum), has_rests_(has_rests) {}

  /// Begins with a window; false where squares are not two doubles each.
  template <class Terms>
  bool begin(const Terms& terms, std::int64_t first, std::int64_t window) {
    sum_ = square_ = rest_ = window_sum{};
    counts_ = zero_counts();
    counts_.items = window;
    for (std::int64_t at = 0; at < window; at += block) {
      const auto count = static_cast<int>(std::min<std::int64_t>(block, window - at));
      are_counted_ = false;
      const double* const in = load(terms, first + at, count, in_, 1);
      if (in == nullptr) return false;
      for (int i = 0; are_counted_ && i < count; ++i) counts_ = add_counts(counts_, moved_[i]);
      if (has_sum_) sum_.begin(in, count);
      square_.begin(in_[1], count);
      if (has_rests_) rest_.begin(in_[2], count);
    }
    return true;
  }
  /// Moves on by the terms from `at` and from `at` + window on; false: it must begin again.
  template <class Terms>
  bool slide(const Terms& terms, std::int64_t at, std::int64_t window, int count) {
    are_counted_ = false;
    const double* const out = load(terms, at, count, out_, -1);
    if (out == nullptr) return false;
    const double* const in = load(terms, at + window, count, in_, 1);
    if (in == nullptr) return false;
    // Sums of -0 have squares as those of 0.
    const auto moves = [&](window_sum& sum, const double* from, const double* to,
                           double(&high)[block], double(&low)[block]) {
      return sum.slide(from, to, count, high, low) != slid::no;
    };
    return (!has_sum_ || moves(sum_, out, in, sums_[0], sums_[1])) &&
           moves(square_, out_[1], in_[1], squares_[0], squares_[1]) &&
           (!has_rests_ || moves(rest_, out_[2], in_[2], rests_[0], rests_[1]));
  }
  /// What finishes them, all but the numbers.
  spread_sums sums() const {
    return {{sums_[0], sums_[1]}, {squares_[0], squares_[1]}, rests_[0], 0, 0, false};
  }
  /// Whether windows of the last move hold NaN or infinities.
  bool has_specials() const { return are_counted_ || !is_finite(counts_); }
  /// For the i-th window of the last move, each in its turn.
  const exact_counts& move_counts(int i) {
    if (are_counted_) counts_ = add_counts(counts_, moved_[i]);
    return counts_;
  }
  static bool is_finite(const exact_counts& c) {
    return (c.nan | c.positive_infinity | c.negative_infinity) == 0;
  }
  /// The i-th window of the last move.
  moments_of_doubles state(int i, const exact_counts& counts) const {
    moments_of_doubles own = exact_moments_fold<double>{}.identity();
    for (const auto& part : sums_) add_term(own.values, value_term<double>::of(part[i]));
    exact_state<decltype(own.squares)> squares{own.squares, {}};
    for (const auto* const parts : {&squares_, &rests_}) {
      for (const auto& part : *parts) add_term(squares, value_term<double>::of(part[i]));
    }
    own.squares = squares.sum;
    own.values.counts = counts;
    return own;
  }

 private:
  /// Terms and their squares, in `to`; null where these are not two doubles each.
  template <class Terms>
  const double* load(const Terms& terms, std::int64_t at, int count, double (&to)[3][block],
                     int step) {
    double* const rests = has_rests_ ? to[2] : nullptr;
    const double* const from = terms.load(at, count, to[0]);
    if (square_terms(from, count, to[1], rests)) return from;
    if (!are_counted_) std::fill(moved_, moved_ + block, zero_counts());
    are_counted_ = true;
    for (int i = 0; i < count; ++i) count_one(moved_[i], from[i], step);
    double unused = 0;
    copy_finite(from, count, to[0], unused);
    return square_terms(to[0], count, to[1], rests) ? to[0] : nullptr;
  }

  bool has_sum_, has_rests_;
  bool are_counted_ = false;  // what is not finite, in `moved_`, by each move
  window_sum sum_, square_, rest_;
  exact_counts counts_ = zero_counts();
  exact_counts moved_[block];
  double in_[3][block], out_[3][block];
  // Those that nobody asks for stay 0.
  double sums_[2][block] = {}, squares_[2][block] = {}, rests_[2][block] = {};
};

/// The exact sums of a window of any doubles and of their squares, which moves on by one at a time.
template <class Terms>
class stepped_moments {
 public:
  stepped_moments(const Terms& terms, std::int64_t window) : terms_(terms), window_(window) {}

  /// The moments of the window from `first` on: each costs a step where they follow each other.
  const moments_of_doubles& of(std::int64_t first) {
    if (at_ < 0 || first < at_ || first - at_ > window_ / 16 + 1) {
      begin(first);
    } else {
      while (at_ < first) step();
    }
    return own_;
  }

 private:
  void begin(std::int64_t first) {
    const exact_moments_fold<double> fold;
    double buffer[window_block];
    own_ = fold.identity();
    for (std::int64_t i = 0; i < window_; i += window_block) {
      const std::int64_t count = std::min<std::int64_t>(window_block, window_ - i);
      fold.absorb_run(own_, terms_.load(first + i, count, buffer), count, 0);
    }
    at_ = first;
  }
  void step() {
    double buffer[1];
    const exact_counts counts = own_.values.counts;
    const double in = *terms_.load(at_ + window_, 1, buffer);
    move(in, 1);
    const double out = *terms_.load(at_, 1, buffer);
    move(out, -1);
    own_.values.counts = counts;
    count_one(own_.values.counts, in, 1);
    count_one(own_.values.counts, out, -1);
    ++at_;
  }
  void move(double x, int sign) {
    exact_term value = value_term<double>::of(x);
    if (value.significand == 0) return;
    value.negative ^= sign < 0;
    add_term(own_.values, value);
    const exact_term square = square_term<double>::of(x);
    add_at(own_.squares, sign * static_cast<int128>(square.significand),
           square.exponent - square_term<double>::number::low_exponent);
  }

  const Terms& terms_;
  std::int64_t window_;
  std::int64_t at_ = -1;
  moments_of_doubles own_;
};

/// What is asked of windows: (n Q - S^2) / divisor, S left out where there is no sum, or the root of that.
struct spread_request {
  bool has_sum;
  bool has_rests;  // of squares
  bool root;
  bool omits_nan;
  double n;
  double divisor;
};

/// Finds windows of one number: their variance is 0, which no bound on what was rounded can tell.
template <class Terms>
class equal_terms {
 public:
  explicit equal_terms(const Terms& terms) : terms_(terms) {}

  /// For windows in their order: each term is looked at once.
  bool fill(std::int64_t first, std::int64_t window) {
    if (first >= to_ || first < from_) {
      from_ = first;
      to_ = first + 1;
      differs_ = false;
    }
    const double own = at(first);
    while (!differs_ && to_ < first + window) {
      differs_ = at(to_) != own;
      if (!differs_) ++to_;
    }
    return to_ >= first + window;
  }

 private:
  double at(std::int64_t i) const {
    double buffer[1];
    return *terms_.load(i, 1, buffer);
  }

  const Terms& terms_;
  std::int64_t from_ = 0, to_ = 0;  // those are equal
  bool differs_ = false;            // from the one at `to_`
};

/// Windows [first, end) of `window` terms: sink.spreads(i, count, values) gets those from the i-th on, rounded once;
/// sink.special(i, counts) one that has no finite answer, unless sink.decide(counts, number) knows it;
/// sink.one(i, state) one by its exact sums, with all its counts. Before, sink.check(count, values, is_known) may set
/// some `is_known` to 0.
///
/// cost       some 3 ns an item; windows of which doubles do not decide, some 200 ns each
template <class Terms, class Sink>
void roll_spreads(const Terms& terms, std::int64_t first, std::int64_t end, std::int64_t window,
                  const spread_request& what, const Sink& sink) {
  constexpr std::int64_t block = window_moments::block;
  window_moments own(what.has_sum, what.has_rests);
  stepped_moments<Terms> stepped(terms, window);
  equal_terms<Terms> equal(terms);
  spread_sums all = own.sums();
  all.n = what.n;
  all.divisor = what.divisor;
  all.root = what.root;
  double values[block];
  std::int64_t is_known[block];
  const auto is_special = [&](const exact_counts& c) {
    return c.positive_infinity != 0 || c.negative_infinity != 0 || (c.nan != 0 && !what.omits_nan);
  };
  const auto put_alone = [&](std::int64_t i, const moments_of_doubles& state) {
    exact_counts counts = state.values.counts;
    if (!is_special(counts)) return sink.one(i, state);
    if (!what.has_sum) {  // of squares no infinity is negative
      counts.positive_infinity += counts.negative_infinity;
      counts.negative_infinity = 0;
    }
    sink.special(i, counts);
  };
  // A block that has moved on; those that are not known of it one by one.
  const auto put = [&](std::int64_t at, int count) {
    bool all_known = finish_spreads(all, count, values, is_known);
    const bool has_specials = own.has_specials();
    all_known &= sink.check(count, values, is_known);
    if (all_known && !has_specials) return sink.spreads(at, count, values);
    int from = 0;
    for (int i = 0; i <= count; ++i) {
      exact_counts counts{};
      if (i < count) {
        counts = own.move_counts(i);
        if (!has_specials || window_moments::is_finite(counts)) {
          if (is_known[i] != 0) continue;
          if (what.has_sum && equal.fill(at + i, window)) {
            values[i] = 0;
            continue;
          }
        } else if (is_special(counts) && sink.decide(counts, values[i])) {
          continue;
        }
      }
      if (i > from) sink.spreads(at + from, i - from, values + from);
      if (i < count) put_alone(at + i, own.state(i, counts));
      from = i + 1;
    }
  };
  std::int64_t alone = 1;
  bool has_begun = false;
  for (std::int64_t at = first; at < end;) {
    const auto count = static_cast<int>(std::min(block, end - at));
    if (has_begun && own.slide(terms, at - 1, window, count)) {
      put(at, count);
      at += count;
      alone = block;
      continue;
    }
    const std::int64_t next = std::min(end, at + alone);
    for (; at < next; ++at) put_alone(at, stepped.of(at));
    has_begun = next < end && own.begin(terms, next - 1, window);
    alone = std::min(std::max(2 * alone, block), std::max(window / 16, block));
  }
}

}  // namespace monofold::detail
