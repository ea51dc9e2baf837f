#pragma once
/// engine/gpu/segment/exact_row: the exact sum of a row that a team of lanes has in registers, as a double.
///
/// Where the largest item of a row and the last bit of its smallest item are near enough, every sum of its items is a
/// double, so additions in any order round nothing. Other rows are added to bins.

#include <bit>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "monofold/engine/gpu/exact/short_sums.cuh"
#include "monofold/engine/gpu/exact/term_check.cuh"
#include "monofold/engine/gpu/exact/term_format.cuh"
#include "monofold/engine/gpu/load.cuh"
#include "monofold/fold/exact/sum.hpp"
#include "monofold/fold/exact/term.hpp"
#include "monofold/level/shuffle.cuh"
#include "monofold/level/thread.cuh"
#include "monofold/plan/tiles.hpp"
#include "monofold/platform/bits.hpp"
#include "monofold/platform/float_format.hpp"
#include "monofold/platform/host_device.hpp"
#include "monofold/platform/numbers.hpp"
#include "monofold/platform/rounded.hpp"
#include "monofold/platform/status.hpp"

namespace monofold::detail {

/// Whether sums of a term may be doubles: the significands of its items are far shorter than a double's.
template <class Term>
inline constexpr bool sums_as_double_v = false;
template <class Item>
inline constexpr bool sums_as_double_v<value_term<Item>> = sizeof(Item) <= 4;
template <class Item>
inline constexpr bool sums_as_double_v<magnitude_term<Item>> = sizeof(Item) <= 4;

/// Whether the answer of a fold is the sum as a double.
template <class F>
inline constexpr bool answers_sum_v = false;
template <class Term, nan_rule rule>
inline constexpr bool answers_sum_v<exact_total_fold<Term, double, rule>> = true;

/// Whether the answer of a fold follows from the sum by one operation, if the sum is a double.
template <class F>
inline constexpr bool answers_double_v = answers_sum_v<F>;
template <class Term, nan_rule rule>
inline constexpr bool answers_double_v<exact_mean_fold<Term, double, rule>> = true;

/// The answer of a fold where the sum of `count` items is the double `sum`.
template <class Term, nan_rule rule>
MONOFOLD_GPU double answer_of_double(const exact_total_fold<Term, double, rule>&, double sum,
                                     std::int64_t) {
  return sum;
}
template <class Term, nan_rule rule>
MONOFOLD_GPU double answer_of_double(const exact_mean_fold<Term, double, rule>&, double sum,
                                     std::int64_t count) {
  return rounded_quotient(sum, static_cast<double>(count));
}

/// Stores such an answer. A `result` is stored by one store of 16 bytes where its alignment allows that: with stores
/// of 8 and 4 bytes, means of rows of 8 items took 1.2 times as long.
template <class Answer>
MONOFOLD_GPU void store_double(Answer* out, double value) {
  if constexpr (std::is_same_v<Answer, result<double>>) {
    static_assert(sizeof(result<double>) == sizeof(bytes16));
    if (bytes_past_16(out) == 0) {
      const result<double> own = value;
      bytes16 bytes{};  // behind the status nothing
      std::memcpy(&bytes, static_cast<const void*>(&own), sizeof(double) + sizeof(status));
      *reinterpret_cast<bytes16*>(out) = bytes;
      return;
    }
  }
  *out = value;
}

/// What additions of doubles may have rounded off the sum of `count` items below 2^max_exponent: no more than
/// additions * count * 2^(max_exponent - 53), where each item went through so many additions at most.
struct rounding_bound {
  std::int64_t additions;
  int max_exponent;
};

/// Whether answers of a fold of sums may be narrower than a double, so that rounded sums decide them. Such a fold has
/// may_round(f), whether its answers are, finish_rounded_sum, finish_near_sum, narrow_near_sums and
/// narrow_exact_sums; one of squares finish_rounded and narrow_rounded.
template <class F>
inline constexpr bool rounds_sums_v = false;

/// The answer of a fold from the sum of so many items, which additions of doubles have rounded; false where it may lie on
/// either side of the middle between two answers.
template <class F, class Answer>
MONOFOLD_GPU bool finish_rounded_sum(const F&, std::int64_t, double, const rounding_bound&,
                                     Answer&) {
  return false;
}

template <class Item>
inline constexpr int log2_tile_items = std::bit_width(static_cast<unsigned>(tile_items_v<Item>)) -
                                       1;

/// The exact sum of up to a tile of items, by a team of 2^level neighbouring lanes.
///
/// sync       all lanes of the warp
template <class Term>
class exact_row {
 public:
  using format = term_format<Term>;
  using check = term_check<Term>;
  using items = typename format::items;
  using sums = short_sums<Term>;

  // What fold_rows_kernel adds: see moment_row, too.
  using cell = double;
  struct step {
    int max_exponent;  // which bounds all items, see term_format
    bool is_exact;     // no sum will have been rounded
    bool are_zeros;    // all items are +0
  };
  /// As `join_cells` asks for them.
  struct totals {
    static constexpr bool any_order = false;
    MONOFOLD_GPU cell join(cell a, cell b) const { return rounded_sum(a, b); }
  };

  /// How many additions an item goes through at most: those of a lane by two chains, and those where lanes meet.
  static constexpr int most_additions = tile_items_v<typename Term::item> / warp_lanes / 2 + 6;

  /// Whether doubles may decide the answers of all rows in these chunks, found from all chunks of the warp at once: the
  /// sums are doubles, or, where the step is not exact, have been rounded.
  template <class F, int groups, int depth>
  MONOFOLD_GPU static bool are_summable(const bytes16 (&raw)[groups][depth], step& how) {
    return are_finite(raw, how) && (rounds_sums_v<F> || how.is_exact);
  }
  /// Whether all items are finite.
  template <int groups, int depth>
  MONOFOLD_GPU static bool are_finite(const bytes16 (&raw)[groups][depth], step& how) {
    seen_items seen = check::nothing_seen();
    MONOFOLD_UNROLL
    for (int g = 0; g < groups; ++g) {
      MONOFOLD_UNROLL
      for (int k = 0; k < depth; ++k) check::look(seen, raw[g][k]);
    }
    const std::uint32_t most = largest_of_lanes(check::key(seen));
    if (most >= check::infinite) return false;
    how.max_exponent = check::max_exponent_of(most);
    const int last = how.max_exponent + log2_items - 53;
    how.is_exact =
        !any_lane(items::is_below(seen.least, items::low_limit(last + items::last_bias)));
    how.are_zeros = most == 0 && !any_lane(has_minus_zero(raw));
    return true;
  }

  /// The sum of a lane's items of such a row, the first `items` of each chunk.
  template <int items = format::chunk_items, int depth>
  MONOFOLD_GPU static cell sum_of_lane(const step&, const bytes16 (&raw)[depth]) {
    double sum[2] = {-0.0, -0.0};
    MONOFOLD_UNROLL
    for (int k = 0; k < depth; ++k) {
      MONOFOLD_UNROLL
      for (int v = 0; v < items; ++v) {
        double x[1];
        format::split(raw[k], v, x);
        sum[v % 2] = rounded_sum(sum[v % 2], x[0]);
      }
    }
    return rounded_sum(sum[0], sum[1]);
  }
  /// Stores the answer of a row of such a sum. False where that is zero, whose sign must still be found, or where a
  /// rounded sum does not decide the answer.
  template <class F, class Out>
  MONOFOLD_GPU static bool store(const F& f, cell total, std::int64_t length, const step& how,
                                 const Out& out) {
    if (total == 0 && !how.are_zeros) return false;
    if constexpr (rounds_sums_v<F>) {
      if (!how.is_exact) {
        const rounding_bound bound{most_additions, how.max_exponent + items::scale};
        return finish_rounded_sum(f, length, value_of(total), bound, *out);
      }
    }
    store_double(out, answer_of_double(f, value_of(total), length));
    return true;
  }

  /// Adds a row by doubles; all lanes of its team get the sum. False where an addition may have rounded, so that it
  /// may be no sum. `raw` has `held` chunks of the lane.
  template <int depth>
  MONOFOLD_GPU static bool add(const bytes16 (&raw)[depth], int held, int level, double& total,
                               sums& out) {
    seen_items seen = check::nothing_seen();
    int zeros = 0;  // that are -0
    double sum[2] = {0, 0};
    MONOFOLD_UNROLL
    for (int k = 0; k < depth; ++k) {
      if (k >= held) break;
      seen.most = items::look(seen.most, raw[k]);
      seen.least = items::look_low(seen.least, raw[k]);
      if constexpr (format::counts_zeros) zeros += format::minus_zeros_in(raw[k]);
      MONOFOLD_UNROLL
      for (int v = 0; v < format::chunk_items; ++v) {
        double x[1];
        format::split(raw[k], v, x);
        sum[v % 2] = rounded_sum(sum[v % 2], x[0]);
      }
    }
    std::uint32_t most = held > 0 ? check::key(seen) : 0;
    total = rounded_sum(sum[0], sum[1]);
    MONOFOLD_ROLL
    for (int distance = 1; distance >> level == 0; distance *= 2) {
      most = larger(most, shuffle_from(most, lane_rank() ^ distance));
      if constexpr (format::counts_zeros) zeros += shuffle_from(zeros, lane_rank() ^ distance);
      total = rounded_sum(total, shuffle_from(total, lane_rank() ^ distance));
    }
    const bool is_finite = most < check::infinite;
    out.max_exponent = check::max_exponent_of(is_finite ? most : 0);
    const int unit = sums::exponent(out.max_exponent, 0) - format::part_scale(0);
    const int room = out.max_exponent + log2_items - 53;
    const int last = unit > room ? unit : room;
    bool is_exact = is_finite && (most == 0 || sums::is_regular(out.max_exponent));
    if (is_exact && held > 0) {
      is_exact = !items::is_below(seen.least, items::low_limit(last + items::last_bias));
    }
    out.is_there = 1;
    out.minus_zeros = static_cast<std::uint32_t>(zeros) & out.most_minus_zeros;
    const std::uint32_t no = __ballot_sync(all_lanes, is_exact ? 0 : 1);
    const std::uint32_t team = (level == 5 ? all_lanes : (1u << (1 << level)) - 1)
                               << (lane_rank() >> level << level);
    return (no & team) == 0;
  }

 public:
  /// Turns the sum, a double, into a short sum.
  MONOFOLD_GPU static void set_value(double total, sums& out) {
    out.value[0] = in_units(total, sums::exponent(out.max_exponent, 0) - format::part_scale(0));
  }
  MONOFOLD_GPU static double value_of(double total) {
    return rounded_product(total,
                           bits_as<double>(std::uint64_t{format::part_scale(0) + 1023} << 52));
  }
  /// The sum as a double, with the sign of a zero.
  MONOFOLD_GPU static double value_of(double total, const sums& own, std::int64_t items) {
    if (total == 0) return own.minus_zeros != items ? 0.0 : -0.0;
    return value_of(total);
  }

 private:
  static constexpr int log2_items = log2_tile_items<typename Term::item>;

  template <int groups, int depth>
  MONOFOLD_GPU static bool has_minus_zero(const bytes16 (&raw)[groups][depth]) {
    seen_items seen = check::nothing_seen();
    MONOFOLD_UNROLL
    for (int g = 0; g < groups; ++g) {
      MONOFOLD_UNROLL
      for (int k = 0; k < depth; ++k) check::look(seen, raw[g][k]);
    }
    return check::may_be_minus_zero(seen);
  }

  /// x, which must be a whole number of 2^unit, as an integer of that unit.
  MONOFOLD_GPU static int128 in_units(double x, int unit) {
    if (x == 0) return 0;
    const float_parts p = parts_of(x);
    const int shift = p.exponent - unit;
    // A number of the grid has zeros below it.
    const auto magnitude = static_cast<int128>(
        shift >= 0 ? static_cast<uint128>(p.significand) << shift
                   : static_cast<uint128>(shift > -64 ? p.significand >> -shift : 0));
    return p.negative ? -magnitude : magnitude;
  }
};

}  // namespace monofold::detail
