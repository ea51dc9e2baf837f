#pragma once
/// engine/gpu/segment/exact_lane: exact sums of rows whose items lie apart, a row a lane.

#include <cstdint>
#include <type_traits>

#include "monofold/engine/gpu/exact/finish.cuh"
#include "monofold/engine/gpu/exact/warp_wide.cuh"
#include "monofold/engine/gpu/segment/exact_team.cuh"
#include "monofold/fold/exact/moments.hpp"
#include "monofold/fold/exact/number.hpp"
#include "monofold/fold/exact/state.hpp"
#include "monofold/level/shuffle.cuh"
#include "monofold/platform/host_device.hpp"

namespace monofold::detail {

/// Adds value * 2^(low exponent + position) to a sum of a state.
template <class Number>
MONOFOLD_GPU void add_to_sum(exact_state<Number>& own, int, int128 value, int position) {
  add_at(own.sum, value, position);
}
template <class Item>
MONOFOLD_GPU void add_to_sum(exact_moments_state<Item>& own, int sum, int128 value, int position) {
  if (sum == 0) {
    add_at(own.values.sum, value, position);
  } else {
    add_at(own.squares, value, position);
  }
}

/// A lane adds a run of items at a time to integers in registers: by bins that begin at the largest exponent so
/// far, or, where these do not hold the run, item by item to a state of its own.
template <class Term>
class lane_sum {
 public:
  using run = lane_run<Term>;
  using check = typename run::check;
  using wide = warp_wide<Term, false>;
  using format = typename run::format;
  using layout = typename format::layout;
  using state = typename format::state;
  static constexpr bool is_possible = true;

  /// Adds items [first, end), up to a tile, which `items` counts from 0.
  ///
  /// sync       all lanes of the warp, with the same first and end
  template <class F, class Items>
  MONOFOLD_GPU static void add(const F& f, const Items& items, int first, int end, state& own) {
    lane_sum sum;
    MONOFOLD_ROLL
    for (int at = first; at < end; at += run::run_items) {
      bytes16 raw[run::rows];
      run::load_run(items, at, end, raw);
      seen_items seen = check::nothing_seen();
      MONOFOLD_UNROLL
      for (int r = 0; r < run::rows; ++r) check::look(seen, raw[r]);
      int max_exponent;
      const bool has_special =
          !check::keys_show_special && check::may_be_special(seen) && wide::has_special(raw);
      const bool fits = run::begin(check::key(seen), max_exponent) && !has_special;
      if (fits) sum.move_to(max_exponent, own);
      const bool is_unsure = any_lane(fits && !run::is_sure(seen, sum.max_exponent_));
      int128 here[run::parts] = {};
      const std::uint32_t left = is_unsure
                                     ? run::template deposit<false>(raw, sum.max_exponent_, here)
                                     : run::template deposit<true>(raw, sum.max_exponent_, here);
      const int count = end - at < run::run_items ? end - at : run::run_items;
      if (!fits || left != 0) {
        add_items(f, items, at, at + count, own);
        continue;
      }
      MONOFOLD_UNROLL
      for (int p = 0; p < run::parts; ++p) sum.value_[p] += here[p];
      counts_of(own).items += count;
      if (format::counts_zeros && check::may_be_minus_zero(seen)) {
        MONOFOLD_UNROLL
        for (int r = 0; r < run::rows; ++r) {
          counts_of(own).minus_zeros += format::minus_zeros_in(raw[r]);
        }
      }
    }
    sum.put(own);
  }

 private:
  /// Runs whose largest exponents are so much lower are added in the same units.
  static constexpr int near = 6;

  int128 value_[run::parts] = {};
  int max_exponent_ = 0;
  bool is_open_ = false;

  /// Units that take a run of this largest exponent.
  MONOFOLD_GPU void move_to(int max_exponent, state& own) {
    if (is_open_ && max_exponent <= max_exponent_ && max_exponent + near >= max_exponent_) return;
    put(own);
    MONOFOLD_UNROLL
    for (int p = 0; p < run::parts; ++p) value_[p] = 0;
    max_exponent_ = max_exponent;
    is_open_ = true;
  }
  MONOFOLD_GPU void put(state& own) const {
    MONOFOLD_UNROLL
    for (int p = 0; p < run::parts; ++p) {
      if (value_[p] == 0) continue;
      const int sum = format::part_sum(p);
      const int position = run::sums::exponent(max_exponent_, p) - layout::low_exponent(sum);
      // Below the grid there are zeros.
      const int128 value =
          position < 0 ? value_[p] >> (position > -127 ? -position : 127) : value_[p];
      add_to_sum(own, sum, value, position < 0 ? 0 : position);
    }
  }
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
