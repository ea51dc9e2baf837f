#pragma once
/// engine/gpu/segment/moment_cells: cells for the exact sums of items and of their squares, from which variances follow.
///
/// The square of an item of up to 32 bits is a double. Squares are cut at one binary place, as other items are in
/// exact_cells; the sum of the items themselves is mostly one double.

#include <cstdint>

#include "monofold/engine/gpu/exact/finish.cuh"
#include "monofold/engine/gpu/exact/term_format.cuh"
#include "monofold/engine/gpu/segment/exact_cells.cuh"
#include "monofold/engine/gpu/two_sum.cuh"
#include "monofold/fold/exact/sum_of_two.hpp"
#include "monofold/fold/exact/term.hpp"
#include "monofold/level/lanes.cuh"
#include "monofold/platform/host_device.hpp"
#include "monofold/platform/rounded.hpp"

namespace monofold::detail {

template <class Item>
struct bin_cells<moments_term<Item>> {
  using item = Item;
  using watch = range_watch<Item>;
  using values = double_cells<value_term<Item>>;
  using squares = bin_cells<square_term<Item>>;
  using step = typename squares::step;
  struct cell {
    double sum;
    double high;  // of the squares
    double low;
  };

  MONOFOLD_GPU static cell absent() { return {0, 0, 0}; }
  MONOFOLD_GPU static step prepared(const watch& seen, bool are_all) {
    return squares::prepared(seen, are_all);
  }
  MONOFOLD_GPU static cell take(const step& how, const Item& x) {
    return take(how, double_of_term<value_term<Item>>::of(x));
  }
  MONOFOLD_GPU static cell take(const step& how, double own) {
    const double high = rounded_sum(rounded_fma(own, own, how.cutter), -how.cutter);
    return {own, high, rounded_fma(own, own, -high)};
  }
  MONOFOLD_GPU static cell add(const step& how, const cell& a, const Item& x) {
    return join(a, take(how, x));
  }
  MONOFOLD_GPU static cell join(const cell& a, const cell& b) {
    return {rounded_sum(a.sum, b.sum), rounded_sum(a.high, b.high), rounded_sum(a.low, b.low)};
  }
  /// Whether the sum of the items is a double and nothing of the squares was lost.
  ///
  /// sync       all lanes of the warp
  MONOFOLD_GPU static bool holds(const watch& seen, const step& how,
                                 int log2_count = log2_tile_items<Item>) {
    return values::holds(seen, {}, log2_count) && squares::holds(seen, how, log2_count);
  }
  MONOFOLD_GPU static auto pair_of(const cell& own) {
    return
        typename pair_cells<moments_term<Item>>::cell{{own.sum, 0, 0}, {own.high, own.low, 0, 0}};
  }
  template <class F, class Answer>
  MONOFOLD_GPU static bool finish(const F& f, const cell& total, int count, Answer& out) {
    return finish_moments(f, count, {total.sum, 0, 0}, two_sum(total.high, total.low), &out);
  }
  /// A variance needs no bound of the items.
  MONOFOLD_GPU static int bound_exponent(const watch&) { return 0; }
  /// The same where additions have rounded.
  template <class F, class Answer>
  MONOFOLD_GPU static bool finish_nearly(const F& f, const cell& total, int count,
                                         const rounding_bound& bound, Answer& out) {
    return finish_rounded(f, count, total.sum, rounded_sum(total.high, total.low), bound.additions,
                          &out);
  }
};
template <class Item, class F>
inline constexpr bool may_be_near_v<bin_cells<moments_term<Item>>, F> = true;

/// Three doubles for a sum of squares: that of a million numbers around 0 has more bits than two have.
struct sum_of_three {
  double high;
  double low;
  double rest;
  double lost;  // 0 where the sum is high + low + rest
};

template <class Item>
struct pair_cells<moments_term<Item>> {
  using item = Item;
  using values = pair_cells<value_term<Item>>;
  using watch = no_watch;
  using step = no_step;
  struct cell {
    sum_of_two values;
    sum_of_three squares;
  };
  static constexpr int parts = 3;

  MONOFOLD_GPU static cell absent() { return {values::absent(), {0, 0, 0, 0}}; }
  MONOFOLD_GPU static step prepared(const watch&, bool) { return {}; }
  MONOFOLD_GPU static cell take(const step& how, const Item& x) {
    return {values::take(how, x), {double_of_term<square_term<Item>>::of(x), 0, 0, 0}};
  }
  MONOFOLD_GPU static cell add(const step& how, const cell& a, const Item& x) {
    return {values::add(how, a.values, x), joined(a.squares, take(how, x).squares)};
  }
  MONOFOLD_GPU static cell join(const cell& a, const cell& b) {
    return {values::join(a.values, b.values), joined(a.squares, b.squares)};
  }
  MONOFOLD_GPU static bool holds(const watch&, const step&) { return true; }
  MONOFOLD_GPU static bool is_whole(const cell& own) {
    return values::is_whole(own.values) && own.squares.lost == 0;
  }
  /// One of the doubles of a sum.
  MONOFOLD_GPU static double part_of(const cell& own, int sum, int part) {
    if (sum == 0) return part == 2 ? 0 : values::part_of(own.values, 0, part);
    return part == 0 ? own.squares.high : part == 1 ? own.squares.low : own.squares.rest;
  }
  /// Also where two doubles may decide without what is below them.
  template <class F, class Answer>
  MONOFOLD_GPU static bool finish(const F& f, const cell& total, int count, Answer& out) {
    if (!values::is_whole(total.values)) return false;
    const sum_of_two sum = two_sum(total.values.high, total.values.low);
    const sum_of_two upper = two_sum(total.squares.high, total.squares.low);
    const sum_of_two lower = two_sum(upper.low, total.squares.rest);
    const sum_of_two own = two_sum(upper.high, lower.high);
    const double rest = rounded_sum(absolute(lower.low), total.squares.lost);
    if (rest == 0) return finish_moments(f, count, sum, own, &out);
    return rest <= rounded_product(own.high, 0x1p-103) && finish_pairs(f, count, sum, own, &out);
  }

 private:
  MONOFOLD_GPU static sum_of_three joined(const sum_of_three& a, const sum_of_three& b) {
    const sum_of_two high = two_sum(a.high, b.high);
    const sum_of_two low = two_sum(a.low, b.low);
    const sum_of_two middle = two_sum(low.high, high.low);
    const sum_of_two first = two_sum(low.low, middle.low);
    const sum_of_two second = two_sum(a.rest, b.rest);
    const sum_of_two rest = two_sum(first.high, second.high);
    // What is lost counts as such: it is never below 0.
    const double lost =
        rounded_sum(absolute(first.low), rounded_sum(absolute(second.low), absolute(rest.low)));
    return {high.high, middle.high, rest.high, rounded_sum(rounded_sum(a.lost, b.lost), lost)};
  }
};

}  // namespace monofold::detail
