#pragma once
/// engine/gpu/segment/exact_lane: exact sums of rows whose items lie apart, a row a lane.

#include <cstdint>
#include <type_traits>

#include "monofold/engine/gpu/segment/exact_team.cuh"
#include "monofold/fold/exact/number.hpp"
#include "monofold/fold/exact/state.hpp"
#include "monofold/level/shuffle.cuh"
#include "monofold/platform/host_device.hpp"

namespace monofold::detail {

/// A lane adds a run of items at a time to a state of its own: by bins that begin at the run's largest exponent,
/// or, where these do not hold it, item by item.
template <class Term>
class lane_sum {
 public:
  using run = lane_run<Term>;
  using sums = typename run::sums;
  using state = typename term_format<Term>::state;
  static constexpr bool is_possible = run::is_possible && sums::num_sums == 1;

  /// Adds items [first, end), at least one, which `items` counts from 0.
  ///
  /// sync       all lanes of the warp, with the same first and end
  template <class F, class Items>
  MONOFOLD_GPU static void add(const F& f, const Items& items, int first, int end, state& own) {
    MONOFOLD_ROLL
    for (int at = first; at < end; at += run::run_items) {
      bytes16 raw[run::rows];
      run::load_run(items, at, end, raw);
      seen_items seen = run::check::nothing_seen();
      MONOFOLD_UNROLL
      for (int r = 0; r < run::rows; ++r) run::check::look(seen, raw[r]);
      const std::uint32_t most = run::check::key(seen);
      sums sum;
      const bool fits = run::begin(most, sum);
      const bool is_unsure = any_lane(fits && !run::is_sure(seen, sum));
      const std::uint32_t left = is_unsure ? run::template deposit<false>(raw, sum)
                                           : run::template deposit<true>(raw, sum);
      const int here = end - at < run::run_items ? end - at : run::run_items;
      if (!fits || left != 0) {
        add_items(f, items, at, at + here, own);
        continue;
      }
      own.counts.items += here;
      if (run::format::counts_zeros && run::check::may_be_minus_zero(seen)) {
        MONOFOLD_UNROLL
        for (int r = 0; r < run::rows; ++r) {
          own.counts.minus_zeros += run::format::minus_zeros_in(raw[r]);
        }
      }
      const int position =
          sums::exponent(sum.max_exponent, 0) - run::format::layout::low_exponent(0);
      // Below the grid there are zeros.
      const int128 value =
          position < 0 ? sum.value[0] >> (position > -127 ? -position : 127) : sum.value[0];
      if (value != 0) add_at(own.sum, value, position < 0 ? 0 : position);
    }
  }

 private:
  template <class F, class Items>
  MONOFOLD_GPU_CALL static void add_items(const F& f, const Items& items, int first, int end,
                                          state& own) {
    constexpr int each = run::chunk_items;
    MONOFOLD_ROLL
    for (int at = first; at < end; at += each) {
      const auto chunk = items.chunk(at, end);
      MONOFOLD_ROLL
      for (int v = 0; v < each && at + v < end; ++v) f.absorb(own, chunk[v], 0);
    }
  }
};

}  // namespace monofold::detail
