#pragma once
/// engine/gpu/segment/exact_team: exact sums of segments of up to a tile, several side by side in a warp.
///
/// A team finds the largest exponent of its segment and adds the items to bins that begin there; the sum is an integer
/// of 128 bits. Segments for which this does not work (infinities, NaN, exponents that are far apart) are loaded again
/// by a warp, which adds them by digits.

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "monofold/engine/gpu/exact/finish.cuh"
#include "monofold/engine/gpu/exact/path.cuh"
#include "monofold/engine/gpu/exact/short_rests.cuh"
#include "monofold/engine/gpu/exact/short_sums.cuh"
#include "monofold/engine/gpu/exact/thread_bins.cuh"
#include "monofold/engine/gpu/exact/warp_wide.cuh"
#include "monofold/engine/gpu/kernel.cuh"
#include "monofold/engine/gpu/load.cuh"
#include "monofold/engine/gpu/segment/short_fold.cuh"
#include "monofold/level/shuffle.cuh"
#include "monofold/platform/host_device.hpp"

namespace monofold::detail {

/// The term by which kernels add a fold of items that lie side by side; void where the plan's tree folds them.
template <class F, class View>
struct segment_term {
  using type = void;
};
template <class F, contiguous_item_view View>
requires adds_exactly_v<F, View>
struct segment_term<F, View> {
  using type = view_term_t<F, View>;
};
template <class F, class View>
using segment_term_t = typename segment_term<F, View>::type;

/// Makes the state of short sums, by one lane.
template <class Sums, class State>
MONOFOLD_GPU_CALL void make_lane_state(const Sums& own, std::int64_t items, State& out) {
  using format = typename Sums::format;
  using layout = typename format::layout;
  MONOFOLD_ROLL
  for (int s = 0; s < layout::num_sums; ++s) {
    const int limbs = (layout::end_digit(s) - layout::first_digit(s)) / 4;
    uint128 carry = 0;
    MONOFOLD_ROLL
    for (int i = 0; i < limbs; ++i) {
      MONOFOLD_UNROLL
      for (int p = 0; p < format::parts; ++p) {
        if (format::part_sum(p) == s) carry += limb_of_part(own, p, i);
      }
      sum_of(out, s)[i] = static_cast<std::uint64_t>(carry);
      carry >>= 64;
    }
  }
  counts_of(out) = counts_of_short(own, items);
}

/// The leading bits of a sum, with rests where there are some: few have them, so that is a call.
template <class Term>
MONOFOLD_GPU_CALL leading_number leading_of_rests(const sums_and_rests<Term, true>& own, int sum) {
  return leading_of_short(own, sum);
}
template <class Term>
MONOFOLD_GPU leading_number leading_of_sums(const short_sums<Term>& own, int sum) {
  return leading_of_short(own, sum);
}
template <class Term>
MONOFOLD_GPU leading_number leading_of_sums(const sums_and_rests<Term, true>& own, int sum) {
  return own.has_rest() ? leading_of_rests(own, sum)
                        : leading_of_short(static_cast<const short_sums<Term>&>(own), sum);
}

/// Gives the sink the answer or the state of short sums, by one lane. False where short sums do not decide the answer.
template <class F, class Sums, class Sink>
MONOFOLD_GPU bool finish_lane(const F& f, const Sums& own, std::int64_t items, const Sink& sink) {
  if constexpr (is_answer_sink_v<Sink> && finishes_by_leading<F>) {
    const exact_counts counts = counts_of_short(own, items);
    if constexpr (Sums::format::layout::num_sums == 1) {
      *sink.out = finish_number(f, counts, leading_of_sums(own, 0));
      return true;
    } else {
      return finish_bits(f, counts, leading_of_sums(own, 0).bits, leading_of_sums(own, 1).bits,
                         sink.out);
    }
  } else {
    typename F::state total;
    make_lane_state(own, items, total);
    sink(f, total);
    return true;
  }
}

/// A run of items that a lane keeps in registers.
template <class Term>
class lane_run {
 public:
  using format = term_format<Term>;
  using check = term_check<Term>;
  using bin_plan = term_bins<Term>;
  using sums = short_sums<Term>;
  static constexpr int parts = format::parts;
  static constexpr int chunk_items = format::chunk_items;
  static constexpr int rows = bin_plan::rows;
  static constexpr int run_items = rows * chunk_items;

  /// Loads items from `first` on; behind the last one of `count` there are zeros, which add nothing.
  template <class Items>
  MONOFOLD_GPU static void load_run(const Items& items, int first, int count,
                                    bytes16 (&raw)[rows]) {
    MONOFOLD_UNROLL
    for (int r = 0; r < rows; ++r) {
      const int at = first + r * chunk_items;
      raw[r] = at + chunk_items <= count ? load_chunk<true>(items, at, count) : format::outside();
    }
    const int left = count - first;
    if (left <= 0 || left >= run_items || left % chunk_items == 0) return;
    // The chunk in which the segment ends.
    const int last = left / chunk_items;
    bytes16 own = load_chunk<false>(items, first + last * chunk_items, count);
    MONOFOLD_UNROLL
    for (int v = 0; v < chunk_items; ++v) {
      if (v >= left % chunk_items) format::clear_item(own, v);
    }
    MONOFOLD_UNROLL
    for (int r = 0; r < rows; ++r) {
      MONOFOLD_UNROLL
      for (int w = 0; w < 4; ++w) raw[r].word[w] = r == last ? own.word[w] : raw[r].word[w];
    }
  }

  /// Whether bins can begin at the largest item, which has key `most`. `max_exponent` is then the exponent at which
  /// they begin, and 0 if they cannot.
  MONOFOLD_GPU static bool begin(std::uint32_t most, int& max_exponent) {
    bool fits = most < check::infinite;
    max_exponent = check::max_exponent_of(fits ? most : 0);
    fits = fits && is_low(max_exponent);
    if (!fits) max_exponent = 0;
    return fits;
  }
  MONOFOLD_GPU static bool is_sure(const seen_items& seen, int max_exponent) {
    if constexpr (bin_plan::is_always_held) return true;
    return bin_plan::sure_bins(0) != 0 && !check::is_unsure(seen, check::sure_limit(max_exponent));
  }

  /// Adds the parts of a run's items to `value`, in units of the last bin. The result is not 0 where the bins do not
  /// hold all bits.
  template <bool is_sure>
  MONOFOLD_GPU static std::uint32_t deposit(const bytes16 (&raw)[rows], int max_exponent,
                                            int128 (&value)[parts]) {
    std::uint32_t left = 0;
    bins own[parts][chains];
    MONOFOLD_UNROLL
    for (int p = 0; p < parts; ++p) {
      MONOFOLD_UNROLL
      for (int c = 0; c < chains; ++c) {
        own[p][c].start(format::part_max_exponent(max_exponent, p));
      }
    }
    MONOFOLD_UNROLL
    for (int r = 0; r < rows; ++r) {
      MONOFOLD_UNROLL
      for (int v = 0; v < chunk_items; ++v) {
        double x[parts];
        format::split(raw[r], v, x);
        MONOFOLD_UNROLL
        for (int p = 0; p < parts; ++p) {
          bins& to = own[p][v % chains];
          if constexpr (is_sure && (bin_plan::is_always_held || bin_plan::sure_bins(0) != 0)) {
            if (bin_plan::is_always_held || bin_plan::sure_bins(p) == 1) {
              to.template deposit_whole<1>(x[p]);
            } else {
              to.template deposit_whole<sums::bins>(x[p]);
            }
          } else {
            const double rest = to.deposit(x[p]);
            left |= bits_but_sign(rest);
          }
        }
      }
    }
    MONOFOLD_UNROLL
    for (int p = 0; p < parts; ++p) {
      MONOFOLD_UNROLL
      for (int c = 0; c < chains; ++c) value[p] += units(own[p][c], max_exponent, p);
    }
    return left;
  }

 private:
  static constexpr int chains = 2;  // so that an addition need not wait for the one before
  using bins = thread_bins<sums::bins, bin_plan::headroom>;

  template <bool is_whole, class Items>
  MONOFOLD_GPU static bytes16 load_chunk(const Items& items, int at, int count) {
    const auto here = items.template chunk<is_whole>(at, count);
    bytes16 out;
    std::memcpy(&out, static_cast<const void*>(here.values), sizeof(out));
    return out;
  }

  /// The sum in the bins of part p, in units of the last one. Bins near the smallest subnormal number are closer to
  /// each other than others.
  MONOFOLD_GPU static int128 units(const bins& own, int max_exponent, int p) {
    const int most = format::part_max_exponent(max_exponent, p);
    int128 sum = 0;
    MONOFOLD_UNROLL
    for (int k = 0; k < sums::bins; ++k) {
      if (k > 0) sum = sum * (int128{1} << (bins::unit(most, k - 1) - bins::unit(most, k)));
      sum += static_cast<std::int64_t>(own.bits(k) - bins::anchor(most, k));
    }
    return sum;
  }

  MONOFOLD_GPU static bool is_low(int max_exponent) {
    bool low = true;
    MONOFOLD_UNROLL
    for (int p = 0; p < parts; ++p) {
      low = low && format::part_max_exponent(max_exponent, p) <= highest_exponent;
    }
    return low;
  }
};

/// Adds a segment exactly by a team of lanes. A lane takes a run of items at a time.
template <class Term>
class team_sum {
 public:
  using format = term_format<Term>;
  using check = term_check<Term>;
  using sums = short_sums<Term>;
  using run = lane_run<Term>;
  static constexpr int rows = run::rows;
  static constexpr int parts = run::parts;

  /// Adds `count` items; the sum is in the first lane of the team. False in that lane where the bins do not hold it.
  ///
  /// sync       all lanes of the warp
  template <class Items>
  MONOFOLD_GPU static bool add(const Items& items, int count, const short_teams& teams, sums& out) {
    const int team_items = teams.lanes() * run::run_items;
    const int runs = (teams.longest + team_items - 1) / team_items;
    bytes16 raw[rows];
    // The items of one run stay; those of several are brought each time.
    const auto each_run = [&](bool is_loaded, const auto& use) {
      MONOFOLD_ROLL
      for (int i = 0; i < runs; ++i) {
        if (!is_loaded || runs > 1) {
          run::load_run(items, (i << teams.level | teams.member()) * run::run_items, count, raw);
        }
        use();
      }
    };
    seen_items seen = check::nothing_seen();
    bool has_special = false;
    each_run(false, [&] {
      MONOFOLD_UNROLL
      for (int r = 0; r < rows; ++r) check::look(seen, raw[r]);
      if constexpr (!check::keys_show_special) {
        has_special |= check::may_be_special(seen) && warp_wide<Term, false>::has_special(raw);
      }
    });
    const std::uint32_t most = largest_of_team(check::key(seen), teams);
    int zeros = 0;
    if (format::counts_zeros && any_lane(check::may_be_minus_zero(seen))) {
      each_run(true, [&] {
        MONOFOLD_UNROLL
        for (int r = 0; r < rows; ++r) zeros += format::minus_zeros_in(raw[r]);
      });
      MONOFOLD_ROLL
      for (int distance = 1; distance < teams.lanes(); distance *= 2) {
        zeros += shuffle_down(zeros, distance);
      }
    }
    int max_exponent;
    bool fits = run::begin(most, max_exponent) && !has_special;
    out.max_exponent = max_exponent;
    MONOFOLD_UNROLL
    for (int p = 0; p < parts; ++p) out.value[p] = 0;
    std::uint32_t left = 0;
    if (any_lane(fits && !run::is_sure(seen, max_exponent))) {
      each_run(true, [&] { left |= run::template deposit<false>(raw, max_exponent, out.value); });
    } else {
      each_run(true, [&] { run::template deposit<true>(raw, max_exponent, out.value); });
    }
    fits = fits && left == 0;
    MONOFOLD_ROLL
    for (int distance = 1; distance < teams.lanes(); distance *= 2) {
      MONOFOLD_UNROLL
      for (int p = 0; p < parts; ++p) out.value[p] += shuffle_down(out.value[p], distance);
    }
    out.is_there = count > 0 ? 1 : 0;
    out.minus_zeros = static_cast<std::uint32_t>(zeros) & out.most_minus_zeros;
    const std::uint32_t team = first_lanes(teams.lanes()) << (lane_rank() - teams.member());
    return (lanes_with(!fits) & team) == 0;
  }

 private:
  MONOFOLD_GPU static std::uint32_t largest_of_team(std::uint32_t own, const short_teams& teams) {
    MONOFOLD_ROLL
    for (int distance = 1; distance < teams.lanes(); distance *= 2) {
      own = larger(own, shuffle_from(own, lane_rank() ^ distance));
    }
    return own;
  }
};

}  // namespace monofold::detail
