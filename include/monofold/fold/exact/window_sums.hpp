#pragma once
/// fold/exact/window_sums: exact sums of neighbouring windows of doubles, each from the one before.

#include <cstdint>

#include "monofold/fold/exact/accumulator.hpp"
#include "monofold/fold/exact/few.hpp"
#include "monofold/fold/exact/leading.hpp"
#include "monofold/fold/exact/state.hpp"
#include "monofold/fold/exact/sum_of_two.hpp"
#include "monofold/fold/exact/term.hpp"
#include "monofold/fold/exact/window_rests.hpp"
#include "monofold/fold/exact/window_vectors.hpp"
#include "monofold/platform/bits.hpp"
#include "monofold/platform/float_format.hpp"
#include "monofold/platform/host_device.hpp"

namespace monofold::detail {

/// The leading bits of high + low, |low| at most half a unit of high.
inline leading_number leading_of_pair(double high, double low) {
  leading_number out;
  if (leading_of(sum_of_two{high, low, 0}, out)) return out;
  exact_state<exact_sum_number<double>> both = zero_state<exact_sum_number<double>>();
  add_term(both, value_term<double>::of(high));
  add_term(both, value_term<double>::of(low));
  return leading_of(both.sum);
}

/// NaN, infinities and -0 count `step` times.
inline void count_one(exact_counts& c, double x, std::int64_t step) {
  const auto bits = bits_as<std::uint64_t>(x);
  const std::uint64_t size = bits << 1 >> 1;
  constexpr std::uint64_t infinity = float_format<double>::infinity;
  c.nan += size > infinity ? step : 0;
  c.positive_infinity += bits == infinity ? step : 0;
  c.negative_infinity += size == infinity && bits != infinity ? step : 0;
  c.minus_zeros += size == 0 && bits != 0 ? step : 0;
}

/// What is not finite as 0. The largest magnitude of the others, where it is more than `largest`.
inline void copy_finite(const double* from, int count, double* to, double& largest) {
  std::uint64_t most = bits_as<std::uint64_t>(largest);
  for (int i = 0; i < count; ++i) {
    const auto bits = bits_as<std::uint64_t>(from[i]);
    const std::uint64_t size = bits << 1 >> 1;
    const std::uint64_t kept = size < float_format<double>::infinity ? ~std::uint64_t{0} : 0;
    to[i] = bits_as<double>(bits & kept);
    most = (size & kept) > most ? size & kept : most;
  }
  largest = bits_as<double>(most);
}

/// Whether a window has moved on, and whether its sums are all that is to be known.
enum class slid { no, plainly, special, to_means };

/// The exact sum of a window of doubles that moves over them.
///
/// `slide` moves it by up to window_block items at once, where two doubles hold its sums on the way: the differences
/// of what enters and what leaves are cut at one bit for all of them, so that the sums of upper parts are exact, and
/// those of lower parts too; their sum is rounded once. With AVX-512 the processor's flags say whether they were, see
/// fold/exact/window_verified. `step` always can.
///
/// A window that grows begins with any state, and nothing leaves it: `leaving` is null, or 0. Where two doubles do not
/// hold its sums, `slide` keeps what lies below them apart, and tells where that decides how a sum is rounded.
///
/// order      exact: the sums are those of the windows' items, however they were reached
/// cost       slide: some 4 ns an item without vectors, and 1 ns with them; step: some 50 ns
/// tested by  tests/api/rolling_test.cpp, tests/api/scan_test.cpp
class window_sum {
 public:
  using number = exact_sum_number<double>;

  window_sum() = default;
  /// One that grows.
  explicit window_sum(const exact_state<number>& before)
      : state_(before), is_pair_(is_zero(before.sum)), grows_(true) {}

  /// More items of the first window.
  void begin(const double* terms, std::int64_t count) {
    if (state_.counts.items == 0 && begin_with_few(terms, count)) return;
    to_limbs();
    largest_ = -1;
    add_run<value_term<double>>(state_, terms, count);
  }
  /// Whether the window has no NaN, no infinities and no -0, and is high + low, apart as those of sum_of_two.
  bool is_plain_pair(double& high, double& low) const {
    const exact_counts& c = state_.counts;
    high = pair_[0];
    low = pair_[1];
    return is_pair_ && !has_far_ &&
           (c.nan | c.positive_infinity | c.negative_infinity | c.minus_zeros) == 0;
  }

  const exact_counts& counts() const { return state_.counts; }
  leading_number leading() {
    to_limbs();
    return leading_of(state_.sum);
  }

  /// Moves on by one item, at any cost.
  void step(double leaving, double entering) {
    to_limbs();
    largest_ = -1;
    add_to_sum(value_term<double>::of(entering));
    exact_term out = value_term<double>::of(leaving);
    out.negative = !out.negative;
    add_to_sum(out);
    move_counts(leaving, entering);
  }

  /// Only counts: where `slide` found specials, windows are looked at one by one.
  void move_counts(double leaving, double entering) {
    count_one(state_.counts, entering, 1);
    count_one(state_.counts, leaving, -1);
    state_.counts.items += grows_ ? 1 : 0;
  }

  /// Moves on by `count` items, at most window_block, and leaves the sum after each as high[i] + low[i], which
  /// are apart as those of sum_of_two: high is the sum, rounded. A null `low` is not written.
  ///
  /// Where means are asked for, by a `divisor` that is not 0, and nothing else is to be known, they are `high`.
  ///
  /// errors     slid::no: two doubles do not hold them; nothing has moved. slid::special: there are NaN or
  ///            infinities, which count as 0, or sums of 0 that may be -0; counts() are the caller's to move then
  slid slide(const double* leaving, const double* entering, int count, double* high, double* low,
             std::int64_t divisor = 0) {
    const double first_largest = largest_;
    largest_ = -1;
    if (has_far_) to_limbs();
    if (!to_pair() || (has_far_ && low != nullptr)) return slid::no;
    const exact_counts& c = state_.counts;
    bool special = c.nan != 0 || c.positive_infinity != 0 || c.negative_infinity != 0;
    divisor_ = special ? 0 : divisor;
    double kept[2][window_block];
    window_parts sum;
    if (special || has_far_ || since_ < 0 || !try_slide(leaving, entering, count, sum, high, low)) {
      window_facts facts{0, true, false};
      // What leaves the first window first is of it, or enters now.
      if (first_largest < 0 && !grows_) find_facts(leaving, count, facts);
      if (first_largest > facts.largest) facts.largest = first_largest;
      find_facts(entering, count, facts);
      if (!facts.is_known) return slid::no;
      special |= !facts.is_finite;
      if (!facts.is_finite) {
        divisor_ = 0;
        facts.largest = 0;
        copy_finite(entering, count, kept[1], facts.largest);
        entering = kept[1];
        if (!grows_) {
          copy_finite(leaving, count, kept[0], facts.largest);
          leaving = kept[0];
        }
      }
      // As a rule sums stay far below what a block could add up to, which leaves bits for smaller items.
      const auto slides_by = [&](int growth) {
        return find_anchors(facts.largest, growth) &&
               try_slide(leaving, entering, count, sum, high, low);
      };
      const bool slides = !has_far_ && (slides_by(6) || slides_by(12));
      const bool can = slides || (grows_ && low == nullptr &&
                                  slide_apart(entering, count, facts.largest, sum, high));
      if (!can) {
        since_ = -1;
        return slid::no;
      }
    }
    pair_[0] = sum.high;
    pair_[1] = sum.low;
    special |= sum.any_zero && (sum.any_minus_zero || c.minus_zeros != 0);
    if (special) return slid::special;
    state_.counts.minus_zeros = sum.minus_zeros;
    state_.counts.items += grows_ ? count : 0;
    return divisor_ != 0 ? slid::to_means : slid::plainly;
  }

 private:
  /// All numbers are below 2^this.
  static int exponent_above(double size) {
    return static_cast<int>(bits_as<std::uint64_t>(size) << 1 >> 53) - 1022;
  }

  /// By the anchors there are. Items that entered since they were set need no second look.
  bool try_slide(const double* leaving, const double* entering, int count, window_parts& sum,
                 double* high, double* low) {
    if (exponent_above(pair_[0]) > most_ - 2) return false;
    const window_parts before{pair_[0], pair_[1], state_.counts.minus_zeros, false, false, false};
#if defined(MONOFOLD_QUIET_VECTORS) && MONOFOLD_STRICT_DOUBLES
    // Sums of up to 2^63 items, each up to 2^107 units of the anchor, have no overflow.
    if (most_ <= 840 && instruction_set_in_use() == instruction_set::avx512) {
      since_ = 0;  // nobody looks at items for the loops below
      const auto slides_to = [&](std::int64_t divisor) {
        sum = before;
        slide_verified({leaving, entering, count, anchors_.upper, divisor, high, low}, sum);
        return sum.fits;
      };
      if (divisor_ != 0 && before.minus_zeros == 0 && slides_to(divisor_) && !sum.any_zero) {
        return true;
      }
      divisor_ = 0;
      if (slides_to(0)) return true;
    }
#endif
    divisor_ = 0;
    sum = before;
    slide_block(!grows_ && since_ < state_.counts.items, leaving, entering, count, anchors_, sum,
                high, low);
    since_ += count;
    return sum.fits;
  }

  /// Sums of a window that grows, rounded, where two doubles do not hold them: what lies below the anchors is cut off
  /// the items, and added up apart. Where that may decide how a sum is rounded, the sum is found from all of it.
  bool slide_apart(const double* entering, int count, double largest, window_parts& sum,
                   double* high) {
    if (!find_anchors(largest, 12)) return false;
    double near[window_block], below[window_block], low[window_block];
    divisor_ = 0;
    const double before = pair_[1];
    double pair_rest = 0;
    cut_below(&before, 1, anchors_, pair_ + 1, &pair_rest);
    cut_below(entering, count, anchors_, near, below);
    if (!try_slide(nullptr, near, count, sum, high, low)) {
      pair_[1] = before;
      return false;
    }
    add_far(pair_rest);
    has_far_ = true;
    // Up to half a unit of the kept part was cut off from each item.
    const sum_doubts doubts{size_of_far(), count * (anchors_.most_lower * 0x1p-53),
                            power_of_two(most_ - 105)};
    if (!has_doubts(high, low, count, doubts)) {
      add_run<value_term<double>>(far_, below, count);
      return true;
    }
    for (int i = 0; i < count; ++i) {
      add_far(below[i]);
      if (!has_doubts(high + i, low + i, 1, doubts)) continue;
      high[i] = with_far(high[i], low[i]);
      sum.any_zero |= is_zero(high[i]);
    }
    return true;
  }
  void add_far(double x) {
    const exact_term term = value_term<double>::of(x);
    if (term.significand != 0) add_term(far_, term);
  }
  /// A double that is not smaller.
  double size_of_far() const {
    const leading_number all = leading_of(far_.sum);
    if (all.bits.significand == 0) return 0;
    return bits_as<double>(bits_as<std::uint64_t>(round_bits<double>(false, upper_of(all.bits))) +
                           1);
  }
  double with_far(double high, double low) const {
    exact_state<number> all = far_;
    for (const double part : {high, low}) {
      const exact_term term = value_term<double>::of(part);
      if (term.significand != 0) add_term(all, term);
    }
    const leading_number sum = leading_of(all.sum);
    return sum.bits.significand == 0 ? 0 : round_bits<double>(sum.is_negative, upper_of(sum.bits));
  }

  /// Upper parts are multiples of 2^upper, of which sums have at most 53 bits, and rests of 2^lower: for items up to
  /// twice as large as the largest, windows up to twice as large as the one there is, and changes of 2^growth items.
  bool find_anchors(double largest, int growth) {
    const int items = exponent_above(largest) + 1;
    const int window = exponent_above(pair_[0]) + 2;
    most_ = (items + growth > window ? items + growth : window) + 1;
    constexpr int least = -1074;
    const int upper = most_ - 52 > least ? most_ - 52 : least;
    const int lower = upper - 52 + growth > least ? upper - 52 + growth : least;
    since_ = 0;
    if (upper + 52 > 1022) return false;
    anchors_ = {anchor_at(upper), anchor_at(lower), power_of_two(items), power_of_two(upper + 52),
                power_of_two(lower + 52)};
    return true;
  }
  /// Or the smallest normal number, where that is larger.
  static double power_of_two(int exponent) {
    return bits_as<double>(exponent_bits(exponent < -1022 ? -1022 : exponent));
  }
  static std::uint64_t exponent_bits(int exponent) {
    return static_cast<std::uint64_t>(exponent + 1023) << 52;
  }
  /// What rounds to multiples of 2^exponent when it is added and taken away again.
  static double anchor_at(int exponent) {
    return bits_as<double>(exponent_bits(exponent + 52) | std::uint64_t{1} << 51);
  }

  /// Adds a finite number; others have no significand.
  void add_to_sum(const exact_term& term) {
    const exact_counts counts = state_.counts;
    if (term.significand != 0) add_term(state_, term);
    state_.counts = counts;
  }
  /// By vectors, without a state.
  bool begin_with_few([[maybe_unused]] const double* terms, [[maybe_unused]] std::int64_t count) {
#if defined(MONOFOLD_EXACT_X86) && MONOFOLD_STRICT_DOUBLES
    if (instruction_set_in_use() == instruction_set::baseline) return false;
    sum_of_few found;
    run_by_vectors(sum_of_few_work{terms, count, true, found});
    if (!found.is_known) return false;
    largest_ = found.range.magnitude();
    pair_[0] = found.sum.high;
    pair_[1] = found.sum.low;
    is_pair_ = true;
    state_.counts.items = count;
    return true;
#else
    return false;
#endif
  }
  void to_limbs() {
    if (!is_pair_) return;
    state_.sum = zero_number<number>();
    for (const double part : pair_) add_to_sum(value_term<double>::of(part));
    if (has_far_) add_number(state_.sum, far_.sum);
    far_ = zero_state<number>();
    is_pair_ = has_far_ = false;
  }
  bool to_pair() {
    if (is_pair_) return true;
    exact_state<number> rest = state_;
    double part[2];
    for (double& one : part) {
      const leading_number all = leading_of(rest.sum);
      one = 0;
      if (all.bits.significand == 0) continue;
      one = round_bits<double>(all.is_negative, upper_of(all.bits));
      const exact_term taken = value_term<double>::of(one);
      if (taken.kind != number_kind::finite) return false;
      add_term(rest, {taken.significand, taken.exponent, !taken.negative, taken.kind});
    }
    if (!is_zero(rest.sum)) {
      if (!grows_) return false;
      far_ = {rest.sum, zero_counts()};
      has_far_ = true;
    }
    pair_[0] = part[0];
    pair_[1] = part[1];
    is_pair_ = true;
    return true;
  }

  exact_state<number> state_ = zero_state<number>();  // its sum: where `is_pair_` is not
  double pair_[2] = {0, 0};
  bool is_pair_ = false;
  bool grows_ = false;
  bool has_far_ = false;
  exact_state<number> far_ = zero_state<number>();  // to be added to the pair; it has no counts
  window_anchors anchors_ = {};
  double largest_ = -1;  // magnitude of the first window's items, until it moves; -1: not known
  int most_ = 0;         // sums of windows stay below 2^this
  std::int64_t divisor_ = 0;  // of the means that `high` becomes; 0: of none
  std::int64_t since_ = -1;   // so many items entered by these anchors; -1: there are none
};

}  // namespace monofold::detail
