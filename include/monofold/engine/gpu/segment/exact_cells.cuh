#pragma once
/// engine/gpu/segment/exact_cells: cells for exact sums of segments: doubles, or pairs of doubles.
///
/// Where the largest item and the last bit of the smallest item are near enough, additions of doubles round nothing.
/// Where they are not, rounding errors are added up in a second double; and where these additions round, that is
/// noticed.

#include <cstdint>
#include <type_traits>

#include "monofold/engine/gpu/exact/finish.cuh"
#include "monofold/engine/gpu/exact/term_format.cuh"
#include "monofold/engine/gpu/segment/exact_row.cuh"
#include "monofold/engine/gpu/segment/exact_team.cuh"
#include "monofold/engine/gpu/segment/slot_cells.cuh"
#include "monofold/engine/gpu/two_sum.cuh"
#include "monofold/fold/exact/products.hpp"
#include "monofold/fold/exact/sum.hpp"
#include "monofold/fold/exact/sum_of_two.hpp"
#include "monofold/fold/exact/term.hpp"
#include "monofold/fold/norm.hpp"
#include "monofold/level/lanes.cuh"
#include "monofold/plan/tiles.hpp"
#include "monofold/platform/bits.hpp"
#include "monofold/platform/float_format.hpp"
#include "monofold/platform/host_device.hpp"
#include "monofold/platform/rounded.hpp"

namespace monofold::detail {

/// Turns a term of an exact sum into one double, where it is one.
template <class Term>
struct double_of_term {
  static constexpr bool is_one = false;
};
template <class Item>
struct double_of_term<value_term<Item>> {
  static constexpr bool is_one = true;
  MONOFOLD_GPU static double of(const Item& x) {
    if constexpr (sizeof(Item) <= 4) {
      return as_double(static_cast<float>(x));
    } else {
      return x;
    }
  }
};
template <class Item>
struct double_of_term<magnitude_term<Item>> : double_of_term<value_term<Item>> {
  MONOFOLD_GPU static double of(const Item& x) {
    return absolute(double_of_term<value_term<Item>>::of(x));
  }
};

template <class Item>
struct double_of_term<square_term<Item>> {
  static constexpr bool is_one = sizeof(Item) <= 4;  // 48 bits, far from the ends of the format
  MONOFOLD_GPU static double of(const Item& x) {
    const double own = double_of_term<value_term<Item>>::of(x);
    return rounded_product(own, own);
  }
};

/// Finds out whether sums of some items are doubles, from the largest item and the last bit of the smallest one that
/// is not 0.
template <class Item>
struct range_watch {
  using items = thread_items<std::conditional_t<sizeof(Item) == 8, double, float>>;
  // Twice the magnitudes' bits, or high words of doubles; those for the smallest are less 1, so that 0 is the largest.
  std::uint32_t most = 0;
  std::uint32_t least = ~std::uint32_t{0};

  MONOFOLD_GPU void see(const Item& x) {
    const std::uint32_t twice = bits_of(x) * 2;
    most = larger(most, twice);
    least = smaller(least, twice - 1);
  }
  /// The key of the largest item of all lanes.
  ///
  /// sync       all lanes of the warp
  MONOFOLD_GPU std::uint32_t key() const { return largest_of_lanes(most) / 2; }
  /// Whether the last bit of each item of all lanes is worth at least 2^last.
  ///
  /// sync       all lanes of the warp
  MONOFOLD_GPU bool are_multiples_of(int last) const {
    const int field = last + items::last_bias;
    if (field >> exponent_bits > 0) return false;
    const std::uint32_t limit =
        field <= 1 ? 0 : (static_cast<std::uint32_t>(field) << (32 - exponent_bits)) - 1;
    return !any_lane(least < limit);
  }

 private:
  static constexpr int exponent_bits = sizeof(Item) == 8 ? 11 : 8;

  MONOFOLD_GPU static std::uint32_t bits_of(const Item& x) {
    if constexpr (sizeof(Item) == 8) {
      // What has bits in the low word alone is not 0.
      return high_word(x) | (low_word(x) != 0 ? 1 : 0);
    } else {
      return bits_as<std::uint32_t>(static_cast<float>(x));
    }
  }
};

/// The answer of a fold where the sum of `count` items is high + low. False where the leading bits of the sum do not
/// decide it.
template <class F, class Answer>
MONOFOLD_GPU bool answer_of_two(const F& f, double high, double low, int count, Answer& out) {
  const sum_of_two sum = low == 0 ? sum_of_two{high, 0, 0} : two_sum(high, low);
  if constexpr (answers_sum_v<F>) {
    out = sum.high;
    return true;
  } else {
    leading_number leading;
    if (!leading_of(sum, leading)) return false;
    // The sum of -0 alone is -0.
    const bool are_minus_zeros = bits_as<std::uint64_t>(sum.high) == std::uint64_t{1} << 63;
    out = finish_number(f, {count, 0, 0, 0, are_minus_zeros ? count : 0}, leading);
    return true;
  }
}

/// Whether the answer of a fold is found from cells that may have been rounded, too: in `finish_nearly`.
template <class Cells, class F>
inline constexpr bool may_be_near_v = false;
/// What bounds the rounding of cells that `seen` tells of, where they are not exact.
///
/// sync       all lanes of the warp
template <class Cells, class F>
MONOFOLD_GPU rounding_bound bound_of(const typename Cells::watch& seen, bool is_exact,
                                     std::int64_t additions) {
  if constexpr (may_be_near_v<Cells, F>) {
    if (!is_exact) return {additions, Cells::bound_exponent(seen)};
  }
  return {0, 0};
}
/// The answer of cells, which are exact or have been rounded; false where these do not decide it.
template <class Cells, class F, class Cell, class Answer>
MONOFOLD_GPU bool finish_cell(const F& f, const Cell& total, int count, bool is_exact,
                              [[maybe_unused]] const rounding_bound& bound, Answer& out) {
  if (is_exact) return Cells::finish(f, total, count, out);
  if constexpr (may_be_near_v<Cells, F>) {
    return Cells::finish_nearly(f, total, count, bound, out);
  } else {
    return false;
  }
}

/// Cells of exact sums that are doubles, see exact_row. The cell of no items is -0.
template <class Term>
struct double_cells {
  using item = typename Term::item;
  using cell = double;
  using watch = range_watch<item>;
  using step = no_step;
  MONOFOLD_GPU static cell absent() { return -0.0; }
  MONOFOLD_GPU static step prepared(const watch&, bool) { return {}; }
  MONOFOLD_GPU static cell take(const step&, const item& x) { return double_of_term<Term>::of(x); }
  MONOFOLD_GPU static cell add(const step&, cell a, const item& x) {
    return join(a, double_of_term<Term>::of(x));
  }
  MONOFOLD_GPU static cell join(cell a, cell b) { return rounded_sum(a, b); }
  /// Whether all sums of up to 2^log2_count of these items were doubles.
  ///
  /// sync       all lanes of the warp
  MONOFOLD_GPU static bool holds(const watch& seen, const step&,
                                 int log2_count = log2_tile_items<item>) {
    const std::uint32_t key = seen.key();
    if (key >= watch::items::infinite) return false;
    return seen.are_multiples_of(watch::items::max_exponent_of(key) + log2_count - 53);
  }
  MONOFOLD_GPU static sum_of_two pair_of(cell own) { return {own, 0, 0}; }
  template <class F, class Answer>
  MONOFOLD_GPU static bool finish(const F& f, cell total, int count, Answer& out) {
    out = answer_of_double(f, total, count);
    return true;
  }
  /// sync       all lanes of the warp
  MONOFOLD_GPU static int bound_exponent(const watch& seen) {
    const std::uint32_t key = seen.key();
    return key < watch::items::infinite ? watch::items::max_exponent_of(key) + watch::items::scale
                                        : unbounded;
  }
  template <class F, class Answer>
  MONOFOLD_GPU static bool finish_nearly(const F& f, cell total, int count,
                                         const rounding_bound& bound, Answer& out) {
    return bound.max_exponent != unbounded && finish_rounded_sum(f, count, total, bound, out);
  }

 private:
  static constexpr int unbounded = 1 << 20;
};
template <class Term, class F>
inline constexpr bool may_be_near_v<double_cells<Term>, F> = rounds_sums_v<F>;

/// Cells of exact sums in two doubles. All items are cut at one binary place. The upper parts of a tile have a sum
/// that is a double, since they are multiples of one power of two; so have the lower parts.
template <class Term>
struct bin_cells {
  using item = typename Term::item;
  using watch = range_watch<item>;
  struct cell {
    double high;
    double low;
  };
  /// Items are below 2^max_exponent. To add 1.5 2^(max_exponent + log2_items - 1) and subtract it again cuts them.
  struct step {
    double cutter;
    int max_exponent;
  };
  static constexpr int log2_items = log2_tile_items<item>;
  static constexpr int factors = std::is_same_v<Term, square_term<item>> ? 2 : 1;

  MONOFOLD_GPU static cell absent() { return {0, 0}; }
  /// If items of the segment's other rows follow (not `are_all`), they may be somewhat larger.
  MONOFOLD_GPU static step prepared(const watch& seen, bool are_all) {
    return step_of(max_exponent_of(seen.key()) + (are_all ? 0 : 2));
  }
  MONOFOLD_GPU static step step_of(int max_exponent) {
    max_exponent = max_exponent < -900 ? -900 : max_exponent > 1000 ? 1000 : max_exponent;
    const auto field = static_cast<std::uint64_t>(max_exponent + log2_items - 1 + 1023);
    return {bits_as<double>(field << 52 | std::uint64_t{1} << 51), max_exponent};
  }
  MONOFOLD_GPU static cell take(const step& how, const item& x) {
    const double own = double_of_term<Term>::of(x);
    const double high = rounded_sum(rounded_sum(own, how.cutter), -how.cutter);
    return {high, rounded_sum(own, -high)};
  }
  MONOFOLD_GPU static cell add(const step& how, const cell& a, const item& x) {
    return join(a, take(how, x));
  }
  MONOFOLD_GPU static cell join(const cell& a, const cell& b) {
    return {rounded_sum(a.high, b.high), rounded_sum(a.low, b.low)};
  }
  /// Whether nothing was lost in sums of up to 2^log2_count items: low parts are below
  /// 2^(max_exponent + log2_items - 54).
  ///
  /// sync       all lanes of the warp
  MONOFOLD_GPU static bool holds(const watch& seen, const step& how, int log2_count = log2_items) {
    const std::uint32_t key = seen.key();
    if (key >= watch::items::infinite || max_exponent_of(key) > how.max_exponent) return false;
    const int last = how.max_exponent + log2_items + log2_count - 107;
    return seen.are_multiples_of(factors == 2 ? (last + 1) >> 1 : last);
  }
  MONOFOLD_GPU static sum_of_two pair_of(const cell& own) { return two_sum(own.high, own.low); }
  /// False where the sum is 0: cutting has made 0 of -0.
  template <class F, class Answer>
  MONOFOLD_GPU static bool finish(const F& f, const cell& total, int count, Answer& out) {
    return total.high != 0 && answer_of_two(f, total.high, total.low, count, out);
  }

 private:
  MONOFOLD_GPU static int max_exponent_of(std::uint32_t key) {
    return factors * watch::items::max_exponent_of(key);
  }
};

/// Cells of exact sums that two doubles hold, as long as no rounding error is lost.
template <class Term>
struct pair_cells {
  using item = typename Term::item;
  using cell = sum_of_two;
  using watch = no_watch;
  using step = no_step;
  MONOFOLD_GPU static cell absent() { return {-0.0, 0, 0}; }
  MONOFOLD_GPU static step prepared(const watch&, bool) { return {}; }
  MONOFOLD_GPU static cell take(const step&, const item& x) {
    return {double_of_term<Term>::of(x), 0, 0};
  }
  /// Adds an item to a cell. `lost` is not 0 where a rounding error was lost, or a number is not finite.
  MONOFOLD_GPU static cell add(const step&, const cell& a, const item& x) {
    const cell high = two_sum(a.high, double_of_term<Term>::of(x));
    const cell low = two_sum(a.low, high.low);
    return {high.high, low.high, rounded_sum(a.lost, absolute(low.low))};
  }
  MONOFOLD_GPU static cell join(const cell& a, const cell& b) {
    const cell high = two_sum(a.high, b.high);
    const cell low = two_sum(a.low, b.low);
    const cell all = two_sum(low.high, high.low);
    // What is lost counts as such: it is never below 0.
    return {high.high, all.high,
            rounded_sum(rounded_sum(a.lost, b.lost),
                        rounded_sum(absolute(low.low), absolute(all.low)))};
  }
  MONOFOLD_GPU static bool holds(const watch&, const step&) { return true; }
  /// Whether nothing was lost. What is no number has been lost too.
  MONOFOLD_GPU static bool is_whole(const cell& own) { return own.lost == 0; }
  /// One of the doubles of a sum of the term.
  static constexpr int parts = 2;
  MONOFOLD_GPU static double part_of(const cell& own, int, int part) {
    return part == 0 ? own.high : own.low;
  }
  template <class F, class Answer>
  MONOFOLD_GPU static bool finish(const F& f, const cell& total, int count, Answer& out) {
    return is_whole(total) && answer_of_two(f, total.high, total.low, count, out);
  }
};

/// The cells of exact sums, as `slot_page` takes them: in any order.
template <class Cells>
struct exact_step_cells {
  using cells = Cells;
  using item = typename Cells::item;
  using cell = typename Cells::cell;
  using watch = typename Cells::watch;
  using step = typename Cells::step;
  static constexpr int num_cells = cells_of_lane<cell>;
  static constexpr int slot_level = 3;
  static constexpr bool any_order = true;
  MONOFOLD_GPU static item filler() {
    return float_from_bits<item>(float_format<item>::sign_bit);  // -0
  }
  MONOFOLD_GPU cell absent() const { return Cells::absent(); }
  MONOFOLD_GPU step prepared(const watch& seen, bool are_all) const {
    return Cells::prepared(seen, are_all);
  }
  MONOFOLD_GPU cell take(const step& how, const item& x, int) const { return Cells::take(how, x); }
  MONOFOLD_GPU cell add(const step& how, const cell& a, const item& x, int) const {
    return Cells::add(how, a, x);
  }
  MONOFOLD_GPU cell join(const cell& a, const cell& b) const { return Cells::join(a, b); }
};

/// Whether exact sums of segments are added by these cells: a term is one double, and the answer follows from the
/// leading bits of one sum; or the square of an item is one.
template <class F, class Term>
inline constexpr bool adds_by_doubles_v = [] {
  if constexpr (finishes_by_leading<F> && double_of_term<Term>::is_one) {
    return term_format<Term>::layout::num_sums == 1;
  } else {
    return false;
  }
}();
template <class F, class Item>
inline constexpr bool adds_by_doubles_v<F, moments_term<Item>> =
    answers_pairs_v<F>&& double_of_term<square_term<Item>>::is_one;

/// By which cells a fold's segments are folded: `tree`, by cells of the fold in the plan's tree; `exact`, by those for
/// exact sums.
enum class slot_way { none, tree, exact };

template <class Job>
inline constexpr slot_way slot_way_of = [] {
  using fold = typename Job::fold;
  using item = typename Job::item;
  using term = segment_term_t<fold, typename Job::view_type>;
  using sink = std::remove_cv_t<decltype(std::declval<const Job&>().sinks.of(0))>;
  if constexpr (!contiguous_item_view<typename Job::view_type>) {
    return slot_way::none;
  } else if constexpr (!std::is_void_v<term>) {
    return adds_by_doubles_v<fold, term> && is_answer_sink_v<sink> ? slot_way::exact
                                                                   : slot_way::none;
  } else {
    return has_cells_for_slots<fold, item, sink>() ? slot_way::tree : slot_way::none;
  }
}();

}  // namespace monofold::detail
