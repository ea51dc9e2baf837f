#pragma once
/// engine/rolling_sums: exact sums of windows, and means, from the window before.

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "monofold/fold/exact/few.hpp"
#include "monofold/fold/exact/leading.hpp"
#include "monofold/fold/exact/sum.hpp"
#include "monofold/fold/exact/window_sums.hpp"
#include "monofold/fold/fold.hpp"
#include "monofold/fold/nan.hpp"
#include "monofold/platform/status.hpp"
#include "monofold/platform/strict_arithmetic.hpp"
#include "monofold/shape/view.hpp"

namespace monofold::detail {

/// The terms of items as doubles, which they are exactly. In a function of its own: see strict_arithmetic.
template <class Term>
[[gnu::noinline]] void load_terms(const typename Term::item* items, std::int64_t count,
                                  double* terms) {
  const strict_arithmetic arithmetic;
  for (std::int64_t i = 0; i < count; ++i) terms[i] = double_term<Term>::of(items[i]);
}

/// Those of a view, up to window_block at a time.
template <class Term, class View>
class window_terms {
 public:
  explicit window_terms(const View& view) : view_(view) {}

  /// `count` terms from item `at` on: in `buffer`, or where the items lie.
  const double* load(std::int64_t at, std::int64_t count, double* buffer) const {
    if constexpr (contiguous_item_view<View> && std::is_same_v<Term, value_term<double>>) {
      return view_.data() + at;
    } else if constexpr (contiguous_item_view<View>) {
      load_terms<Term>(view_.data() + at, count, buffer);
    } else {
      typename Term::item items[window_block];
      for (std::int64_t i = 0; i < count; ++i) items[i] = view_[at + i];
      load_terms<Term>(items, count, buffer);
    }
    return buffer;
  }

 private:
  const View& view_;
};

/// Where sums may lie as they are handed out, or `spare` where they would lie over terms, which are read once more.
inline double* place_beside(double* place, double* spare, const double* terms, int count) {
  const auto begin = reinterpret_cast<std::uintptr_t>(place);
  const auto other = reinterpret_cast<std::uintptr_t>(terms);
  const std::uintptr_t bytes = sizeof(double) * static_cast<unsigned>(count);
  return place == nullptr || (begin < other + bytes && other < begin + bytes) ? spare : place;
}

/// Whether numbers that are not normal can be had as they are; else sums go by integers.
inline bool has_strict_doubles() {
  const strict_arithmetic arithmetic;
  return arithmetic.holds();
}

/// Windows that moved on by `slid::plainly` or `special`, as roll_sums hands them out: neighbours of a kind together.
/// `leaving` is null where nothing leaves.
template <class Sink>
void put_slid(slid how, window_sum& sum, const double* leaving, const double* entering,
              std::int64_t at, int count, const double* high, const double* low, const Sink& sink) {
  enum class way { together, by_counts, alone };
  exact_counts plain = zero_counts();
  plain.items = sum.counts().items;
  double values[window_block];
  auto kind = way::together;
  int from = 0;
  for (int i = how == slid::plainly ? count : 0; i <= count; ++i) {
    auto own = way::alone;
    const exact_counts& c = sum.counts();
    if (i < count) {
      sum.move_counts(leaving != nullptr ? leaving[i] : 0, entering[i]);
      const bool is_plain = (c.nan | c.positive_infinity | c.negative_infinity) == 0 &&
                            (c.minus_zeros == 0 || !is_zero(high[i]));
      if (is_plain || sink.decide(c, high[i], values[i])) {
        own = is_plain ? way::together : way::by_counts;
      }
    }
    if (own == kind && own != way::alone) continue;
    if (i > from && kind == way::by_counts) sink.numbers(at + from, i - from, values + from);
    if (i > from && kind == way::together) {
      sink.block(at + from, i - from, plain, high + from, low != nullptr ? low + from : nullptr);
    }
    if (i < count && own == way::alone) {
      sink.one(at + i, c, leading_of_pair(high[i], low != nullptr ? low[i] : 0));
    }
    from = own == way::alone ? i + 1 : i;
    kind = own;
  }
}

/// Sums of windows [first, end) of `window` terms, the i-th from term i on.
///
/// shape      sink.numbers(i, count, means): of windows that have no NaN, no infinities and no -0, where
///            `sink.wants_means` is. sink.block(i, count, counts, high, low): the sums from the i-th on, each
///            rounded, and what that left out (null where `sink.wants_low` is not); the windows have no NaN, no
///            infinities, and no sum of -0.
///            sink.one(i, counts, leading): of one window. sink.decide(counts, high, number): whether the counts
///            and the sum of what is finite give the answer, which then goes to sink.numbers. sink.place(i): where
///            sums and numbers from the i-th on may lie as they are handed out, or null
/// cost       as window_sum::slide, nearly always; one pass over the first window
template <class Terms, class Sink>
void roll_sums(const Terms& terms, std::int64_t first, std::int64_t end, std::int64_t window,
               const Sink& sink) {
  double leaving[window_block], entering[window_block];
  double sums[window_block], lows[window_block];
  double* const low = sink.wants_low ? lows : nullptr;
  window_sum sum;
  for (std::int64_t at = 0; at < window; at += window_block) {
    const std::int64_t count = std::min<std::int64_t>(window_block, window - at);
    sum.begin(terms.load(first + at, count, entering), count);
  }
  if (sum.is_plain_pair(sums[0], lows[0])) {
    sink.block(first, 1, sum.counts(), sums, low);
  } else {
    sink.one(first, sum.counts(), sum.leading());
  }
  for (std::int64_t at = first + 1; at < end; at += window_block) {
    const auto count = static_cast<int>(std::min<std::int64_t>(window_block, end - at));
    const double* const out = terms.load(at - 1, count, leaving);
    const double* const in = terms.load(at - 1 + window, count, entering);
    double* const there = sink.place(at);
    double* const high = there != nullptr ? there : sums;
    const slid how = sum.slide(out, in, count, high, low, sink.wants_means ? window : 0);
    if (how == slid::to_means) {
      sink.numbers(at, count, high);
      continue;
    }
    if (how != slid::no) {
      put_slid(how, sum, out, in, at, count, high, low, sink);
      continue;
    }
    for (int i = 0; i < count; ++i) {
      sum.step(out[i], in[i]);
      sink.one(at + i, sum.counts(), sum.leading());
    }
  }
}

/// The term of a fold that sums of two doubles finish.
template <class F>
struct rolled_term {
  static constexpr bool known = false;
};
template <class Term, class Real, nan_rule rule>
requires double_term<Term>::is_exact struct rolled_term<exact_total_fold<Term, Real, rule>> {
  static constexpr bool known = true;
  static constexpr bool is_rounded_sum = std::is_same_v<Real, double>;
  static constexpr bool is_rounded_mean = false;
  using type = Term;
};
template <class Term, class Real, nan_rule rule>
requires double_term<Term>::is_exact struct rolled_term<exact_mean_fold<Term, Real, rule>> {
  static constexpr bool known = true;
  static constexpr bool is_rounded_sum = false;
  static constexpr bool is_rounded_mean = std::is_same_v<Real, double>;
  using type = Term;
};
template <class Item, class Real, nan_rule rule>
requires double_term<square_term<Item>>::is_exact struct rolled_term<
    exact_norm2_fold<Item, Real, rule>> {
  static constexpr bool known = true;
  static constexpr bool is_rounded_sum = false;
  static constexpr bool is_rounded_mean = false;
  using type = square_term<Item>;
};

/// Calls put(i, mean) for sums of windows from the `first` on; false: some are not found here, and nothing was put.
template <class Put>
bool put_means(std::int64_t first, int count, const divisors& by, const double* high,
               const double* low, const Put& put) {
  double means[window_block];
  if (!divide_block(high, low, count, by, means)) return false;
  for (int i = 0; i < count; ++i) put(first + i, result<double>(means[i]));
  return true;
}

/// Finishes sums of windows by a fold; put(i, answer).
template <class F, class Put>
struct window_finisher {
  using term = rolled_term<F>;
  static constexpr bool wants_low = !term::is_rounded_sum;
  static constexpr bool wants_means = term::is_rounded_mean;

  const F& fold;
  const Put& put;

  void one(std::int64_t i, const exact_counts& counts, const leading_number& sum) const {
    put(i, result<answer_t<F>>(fold.finish_leading(counts, sum)));
  }
  static bool decide(const exact_counts&, double, double&) { return false; }
  static double* place(std::int64_t) { return nullptr; }
  void numbers(std::int64_t first, int count, const double* found) const {
    if constexpr (wants_means) {
      for (int i = 0; i < count; ++i) put(first + i, result<double>(found[i]));
    }
  }
  void block(std::int64_t first, int count, const exact_counts& counts, const double* high,
             const double* low) const {
    if constexpr (term::is_rounded_sum) {
      for (int i = 0; i < count; ++i) put(first + i, result<double>(high[i]));
      return;
    } else {
      if constexpr (term::is_rounded_mean) {
        if (put_means(first, count, {static_cast<double>(counts.items), 0}, high, low, put)) return;
      }
      for (int i = 0; i < count; ++i) one(first + i, counts, leading_of_pair(high[i], low[i]));
    }
  }
};

}  // namespace monofold::detail
