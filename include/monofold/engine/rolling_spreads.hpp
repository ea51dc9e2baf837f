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

/// Windows [first, end) of `window` terms: sink.spreads(i, count, values, is_known) gets those from the i-th on, rounded
/// once, all (null) or where `is_known` is not 0; sink.alone(i, count): nothing is known of them.
///
/// cost       some 5 ns an item; a pass over a window after one that is not known
template <class Terms, class Sink>
void roll_spreads(const Terms& terms, std::int64_t first, std::int64_t end, std::int64_t window,
                  const spread_request& what, const Sink& sink) {
  constexpr int block = window_moments::block;
  window_moments own(what.has_sum, what.has_rests);
  double values[block];
  std::int64_t is_known[block];
  sink.alone(first, 1);
  bool has_begun = own.begin(terms, first, window);
  for (std::int64_t at = first + 1; at < end; at += block) {
    const auto count = static_cast<int>(std::min<std::int64_t>(block, end - at));
    if (has_begun && own.slide(terms, at - 1, window, count)) {
      spread_sums all = own.sums();
      all.n = what.n;
      all.divisor = what.divisor;
      all.root = what.root;
      const bool all_known = finish_spreads(all, count, values, is_known);
      sink.spreads(at, count, values, all_known ? nullptr : is_known);
    } else {
      sink.alone(at, count);
      has_begun = at + count < end && own.begin(terms, at + count - 1, window);
    }
  }
}

}  // namespace monofold::detail
