#pragma once
/// engine/rolling_spreads: variances, deviations and norms of windows, from the sums of the window before.

#include <algorithm>
#include <cstdint>

#include "monofold/fold/exact/window_spreads.hpp"
#include "monofold/fold/exact/window_sums.hpp"

namespace monofold::detail {

/// The exact sums of a window of doubles, of their squares and, for terms of more than 26 bits, of what rounding takes
/// from these.
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
    for (std::int64_t at = 0; at < window; at += block) {
      const auto count = static_cast<int>(std::min<std::int64_t>(block, window - at));
      const double* const in = terms.load(first + at, count, in_[0]);
      if (!square_terms(in, count, in_[1], has_rests_ ? in_[2] : nullptr)) return false;
      if (has_sum_) sum_.begin(in, count);
      square_.begin(in_[1], count);
      if (has_rests_) rest_.begin(in_[2], count);
    }
    return true;
  }
  /// Moves on by the terms from `at` and from `at` + window on; false: it must begin again.
  template <class Terms>
  bool slide(const Terms& terms, std::int64_t at, std::int64_t window, int count) {
    const double* const out = terms.load(at, count, out_[0]);
    const double* const in = terms.load(at + window, count, in_[0]);
    const int num = has_rests_ ? 3 : 2;
    if (!square_terms(out, count, out_[1], num == 3 ? out_[2] : nullptr)) return false;
    if (!square_terms(in, count, in_[1], num == 3 ? in_[2] : nullptr)) return false;
    const auto moves = [&](window_sum& sum, const double* from, const double* to,
                           double(&high)[block], double(&low)[block]) {
      return sum.slide(from, to, count, high, low) == slid::plainly;
    };
    return (!has_sum_ || moves(sum_, out, in, sums_[0], sums_[1])) &&
           moves(square_, out_[1], in_[1], squares_[0], squares_[1]) &&
           (num == 2 || moves(rest_, out_[2], in_[2], rests_[0], rests_[1]));
  }
  /// What finishes them, all but the numbers.
  spread_sums sums() const {
    return {{sums_[0], sums_[1]}, {squares_[0], squares_[1]}, rests_[0], 0, 0, false};
  }

 private:
  bool has_sum_, has_rests_;
  window_sum sum_, square_, rest_;
  double in_[3][block], out_[3][block];
  // Those that nobody asks for stay 0.
  double sums_[2][block] = {}, squares_[2][block] = {}, rests_[2][block] = {};
};

/// What is asked of windows: (n Q - S^2) / divisor, S left out where there is no sum, or the root of that.
struct spread_request {
  bool has_sum;
  bool has_rests;  // of squares
  bool root;
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

/// Windows [first, end) of `window` terms: sink.spreads(i, count, values, is_known) gets those from the i-th on,
/// rounded once, all (null) or where `is_known` is not 0; sink.alone(i, count): nothing is known of them.
///
/// cost       some 5 ns an item; a pass over a window after windows that are alone, which are twice as many each time
template <class Terms, class Sink>
void roll_spreads(const Terms& terms, std::int64_t first, std::int64_t end, std::int64_t window,
                  const spread_request& what, const Sink& sink) {
  constexpr std::int64_t block = window_moments::block;
  window_moments own(what.has_sum, what.has_rests);
  equal_terms<Terms> equal(terms);
  double values[block];
  std::int64_t is_known[block];
  // Windows of a block, or those that are not known of it, which are folded one by one.
  const auto find = [&](std::int64_t at, int count) {
    if (!own.slide(terms, at - 1, window, count)) return block;
    spread_sums all = own.sums();
    all.n = what.n;
    all.divisor = what.divisor;
    all.root = what.root;
    std::int64_t unknown = 0;
    if (finish_spreads(all, count, values, is_known)) return unknown;
    for (int i = 0; i < count; ++i) {
      if (is_known[i] != 0) continue;
      if (what.has_sum && equal.fill(at + i, window)) {
        values[i] = 0;
        is_known[i] = 1;
      }
      unknown += is_known[i] == 0 ? 1 : 0;
    }
    return unknown;
  };
  std::int64_t alone = 1;
  bool has_begun = false;
  for (std::int64_t at = first; at < end;) {
    const auto count = static_cast<int>(std::min(block, end - at));
    const std::int64_t unknown = has_begun ? find(at, count) : block;
    if (unknown < block && (unknown <= 1 || unknown * window <= 64 * block)) {
      sink.spreads(at, count, values, unknown == 0 ? nullptr : is_known);
      at += count;
      alone = block;
    } else {
      const std::int64_t next = std::min(end, at + alone);
      sink.alone(at, next - at);
      has_begun = next < end && own.begin(terms, next - 1, window);
      at = next;
      alone = std::min(std::max(2 * alone, block), std::max(window, block));
    }
  }
}

}  // namespace monofold::detail
