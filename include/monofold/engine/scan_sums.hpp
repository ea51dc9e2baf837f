#pragma once
/// engine/scan_sums: exact sums of all beginnings of an array, and means.

#include <algorithm>
#include <cstdint>

#include "monofold/engine/rolling_sums.hpp"
#include "monofold/engine/scan_pieces.hpp"
#include "monofold/fold/exact/accumulator.hpp"
#include "monofold/fold/exact/leading.hpp"
#include "monofold/fold/exact/state.hpp"
#include "monofold/fold/exact/term.hpp"
#include "monofold/fold/exact/window_sums.hpp"
#include "monofold/platform/status.hpp"

namespace monofold::detail {

/// Sums of the items up to the i-th, for `count` of them from `first` on; `sum` is a window that grows and has all
/// items before.
template <class Terms, class Sink>
void scan_sums_from(const Terms& terms, std::int64_t first, std::int64_t count, window_sum sum,
                    const Sink& sink) {
  double entering[window_block], sums[window_block], lows[window_block];
  double* const low = sink.wants_low ? lows : nullptr;
  for (std::int64_t at = first; at < first + count; at += window_block) {
    const auto n = static_cast<int>(std::min<std::int64_t>(window_block, first + count - at));
    const double* const in = terms.load(at, n, entering);
    double* const high = place_beside(sink.place(at), sums, in, n);
    const slid how = sum.slide(nullptr, in, n, high, low);
    if (how != slid::no) {
      put_slid(how, sum, nullptr, in, at, n, high, low, sink);
      continue;
    }
    for (int i = 0; i < n; ++i) {
      sum.step(0, in[i]);
      sink.one(at + i, sum.counts(), sum.leading());
    }
  }
}

/// So few terms are added one by one, for which nothing is to be prepared.
inline constexpr std::int64_t few_scanned = 64;

/// Sums of few terms as sums of two doubles, which they are exactly; false where they are not, or what they are is no
/// number but 0. In a function of its own: see strict_arithmetic.
[[gnu::noinline]] inline bool scan_few(const double* terms, int count, double* high, double* low) {
  MONOFOLD_AS_WRITTEN
  const strict_arithmetic arithmetic;
  double sum = 0, rest = 0;
  bool holds = arithmetic.holds();
  for (int i = 0; i < count; ++i) {
    const sum_and_rest all(sum, terms[i]);
    const sum_and_rest below(rest, all.rest);
    holds &= below.rest == 0;
    const sum_and_rest both(all.sum, below.sum);
    sum = both.sum;
    rest = both.rest;
    holds &= sum - sum == 0 && sum != 0;
    high[i] = sum;
    low[i] = rest;
  }
  return holds;
}

/// Sums of the first, the first two, .. of `count` terms.
///
/// shape      as roll_sums; sink.numbers is not called; any thread calls the others
/// cost       as window_sum::slide, and with several threads an exact sum before
template <class Terms, class Sink>
void scan_sums(int num_threads, std::int64_t count, const Terms& terms, const Sink& sink) {
  using state = exact_state<window_sum::number>;
  if (count <= few_scanned) {
    double buffer[window_block], high[few_scanned], low[few_scanned];
    const int n = static_cast<int>(count);
    if (scan_few(terms.load(0, count, buffer), n, high, low)) {
      exact_counts counts = zero_counts();
      counts.items = count;
      return sink.block(0, n, counts, high, sink.wants_low ? low : nullptr);
    }
  }
  const auto fold = [&](std::int64_t first, std::int64_t n) {
    state own = zero_state<window_sum::number>();
    double buffer[window_block];
    for (std::int64_t at = first; at < first + n; at += window_block) {
      const std::int64_t some = std::min<std::int64_t>(window_block, first + n - at);
      add_run<value_term<double>>(own, terms.load(at, some, buffer), some);
    }
    return own;
  };
  const auto join = [](state left, const state& right) {
    merge(left, right);
    return left;
  };
  scan_pieces(num_threads, count, zero_state<window_sum::number>(), fold, join,
              [&](std::int64_t first, std::int64_t n, const state& before) {
                scan_sums_from(terms, first, n, window_sum(before), sink);
              });
}

/// Finishes sums of beginnings by a fold; put(i, answer).
template <class F, class Put>
struct scan_finisher {
  static constexpr bool wants_low = !rolled_term<F>::is_rounded_sum;

  const F& fold;
  const Put& put;

  void one(std::int64_t i, const exact_counts& counts, const leading_number& sum) const {
    put(i, result<answer_t<F>>(fold.finish_leading(counts, sum)));
  }
  static bool decide(const exact_counts&, double, double&) { return false; }
  static double* place(std::int64_t) { return nullptr; }
  void numbers(std::int64_t, int, const double*) const {}
  void block(std::int64_t first, int count, exact_counts counts, const double* high,
             const double* low) const {
    if constexpr (rolled_term<F>::is_rounded_mean) {
      if (put_means(first, count, {static_cast<double>(first + 1), 1}, high, low, put)) return;
    }
    for (int i = 0; i < count; ++i) {
      if constexpr (!wants_low) {
        put(first + i, result<double>(high[i]));
      } else {
        counts.items = first + i + 1;
        one(first + i, counts, leading_of_pair(high[i], low[i]));
      }
    }
  }
};

}  // namespace monofold::detail
