#pragma once
/// engine/gpu/segment/exact_lane: exact sums of rows whose items lie apart, each row by one lane.

#include <cstdint>
#include <type_traits>

#include "monofold/engine/gpu/exact/finish.cuh"
#include "monofold/engine/gpu/exact/warp_wide.cuh"
#include "monofold/engine/gpu/segment/exact_team.cuh"
#include "monofold/fold/exact/moments.hpp"
#include "monofold/fold/exact/number.hpp"
#include "monofold/fold/exact/state.hpp"
#include "monofold/fold/exact/sum_of_two.hpp"
#include "monofold/level/shuffle.cuh"
#include "monofold/platform/float_format.hpp"
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

/// Makes the state of sums of `items` items that are some doubles each. At least one of the items is not -0, or the sum
/// is joined with others that are not. Not inlined, since it is rare.
template <class Cells, class Term, class F>
MONOFOLD_GPU_CALL void make_pair_state(const F& f, const typename Cells::cell& total,
                                       std::int64_t items, typename F::state& out) {
  using layout = typename term_format<Term>::layout;
  out = f.identity();
  MONOFOLD_ROLL
  for (int i = 0; i < Cells::parts * layout::num_sums; ++i) {
    const int s = i / Cells::parts;
    const float_parts own = parts_of(Cells::part_of(total, s, i % Cells::parts));
    if (own.significand == 0) continue;
    // Below the grid there are zeros.
    const int position = own.exponent - layout::low_exponent(s);
    const auto bits =
        static_cast<int128>(position < 0 ? own.significand >> -position : own.significand);
    add_to_sum(out, s, own.negative ? -bits : bits, position < 0 ? 0 : position);
  }
  counts_of(out).items = items;
}

/// A lane adds a run of items at a time. The run is added to bins that begin at the largest exponent so far, whose
/// sums go to integers in registers. Where bins do not hold the run, it is added item by item to a state.
///
/// shape      up to 2^20 runs in integers: of each a part has less than 2^99 units, so those of eight lanes, whose
///            largest exponents are 2^4 apart, stay below 2^126 and a little. More go to the state
template <class Term>
class lane_sum {
 public:
  using run = lane_run<Term>;
  using check = typename run::check;
  using wide = warp_wide<Term, false>;
  using format = typename run::format;
  using layout = typename format::layout;
  using state = typename format::state;
  using sums = short_sums<Term>;

  /// `spare`: memory for a state, where one is needed.
  MONOFOLD_GPU explicit lane_sum(state& spare) : state_(spare) {}

  /// Adds items [0, count).
  ///
  /// sync       all lanes of the warp, with the same count
  template <class F, class Items>
  MONOFOLD_GPU void add(const F& f, const Items& items, int count) {
    MONOFOLD_ROLL
    for (int at = 0; at < count; at += run::run_items) {
      bytes16 raw[run::rows];
      run::load_run(items, at, count, raw);
      seen_items seen = check::nothing_seen();
      MONOFOLD_UNROLL
      for (int r = 0; r < run::rows; ++r) check::look(seen, raw[r]);
      int max_exponent;
      const bool has_special =
          !check::keys_show_special && check::may_be_special(seen) && wide::has_special(raw);
      const bool fits = run::begin(check::key(seen), max_exponent) && !has_special;
      if (fits) move_to(f, max_exponent);
      const bool is_unsure = any_lane(fits && !run::is_sure(seen, max_exponent_));
      int128 here[run::parts] = {};
      const std::uint32_t left = is_unsure ? run::template deposit<false>(raw, max_exponent_, here)
                                           : run::template deposit<true>(raw, max_exponent_, here);
      const int end = count - at < run::run_items ? count : at + run::run_items;
      if (!fits || left != 0) {
        open_state(f);
        add_items(f, items, at, end, state_);
        continue;
      }
      MONOFOLD_UNROLL
      for (int p = 0; p < run::parts; ++p) value_[p] += here[p];
      items_ += end - at;
      ++runs_;
      if (format::counts_zeros && check::may_be_minus_zero(seen)) {
        MONOFOLD_UNROLL
        for (int r = 0; r < run::rows; ++r) minus_zeros_ += format::minus_zeros_in(raw[r]);
      }
    }
  }

  /// Whether the whole sum is in the integers, whose units follow from their exponent.
  MONOFOLD_GPU bool is_short() const {
    return !has_state_ && (!is_open_ || sums::is_regular(max_exponent_));
  }
  MONOFOLD_GPU sums short_sum() const {
    sums own{};
    MONOFOLD_UNROLL
    for (int p = 0; p < run::parts; ++p) own.value[p] = value_[p];
    own.max_exponent = max_exponent_;
    own.is_there = is_open_ ? 1 : 0;
    own.minus_zeros = static_cast<std::uint32_t>(minus_zeros_) & own.most_minus_zeros;
    return own;
  }
  /// The whole sum as a state.
  template <class F>
  MONOFOLD_GPU const state& total(const F& f) {
    open_state(f);
    put();
    counts_of(state_).items += items_;
    counts_of(state_).minus_zeros += minus_zeros_;
    items_ = 0;
    minus_zeros_ = 0;
    return state_;
  }

 private:
  /// Runs whose largest exponents are lower by at most so much are added in the same units.
  static constexpr int near = 16;

  static constexpr int most_runs = 1 << 20;

  state& state_;
  bool has_state_ = false;
  int128 value_[run::parts] = {};
  int max_exponent_ = 0;
  bool is_open_ = false;
  int runs_ = 0;  // in the integers
  int minus_zeros_ =
      0;  // of these runs, and of some before: fewer than 2^31, since states are rare
  std::int64_t items_ = 0;

  /// Makes the units fit a run of this largest exponent: they stay, or become coarser if no bit is lost by that; if
  /// one would be, the sum goes to the state.
  template <class F>
  MONOFOLD_GPU void move_to(const F& f, int max_exponent) {
    const int above = is_open_ ? max_exponent - max_exponent_ : 0;
    if (is_open_ && above <= 0 && above >= -near && runs_ < most_runs) return;
    if (is_open_ && !(above > 0 && runs_ < most_runs && coarsen(max_exponent))) {
      open_state(f);
      put();
    }
    max_exponent_ = max_exponent;
    is_open_ = true;
  }
  /// Makes the units coarser. False where bits would be lost: then nothing has changed.
  MONOFOLD_GPU bool coarsen(int max_exponent) {
    bool is_whole = true;
    int128 coarse[run::parts];
    MONOFOLD_UNROLL
    for (int p = 0; p < run::parts; ++p) {
      const int shift =
          format::part_max_exponent(max_exponent, p) - format::part_max_exponent(max_exponent_, p);
      coarse[p] = value_[p] >> (shift < 127 ? shift : 127);
      is_whole = is_whole && shift < 127 && coarse[p] << shift == value_[p];
    }
    is_whole = is_whole && sums::is_regular(max_exponent) && sums::is_regular(max_exponent_);
    MONOFOLD_UNROLL
    for (int p = 0; p < run::parts; ++p) value_[p] = is_whole ? coarse[p] : value_[p];
    return is_whole;
  }
  template <class F>
  MONOFOLD_GPU void open_state(const F& f) {
    if (has_state_) return;
    state_ = f.identity();
    has_state_ = true;
  }
  /// Adds the integers to the state, and sets them to 0.
  MONOFOLD_GPU void put() {
    MONOFOLD_UNROLL
    for (int p = 0; p < run::parts; ++p) {
      if (value_[p] == 0) continue;
      const int sum = format::part_sum(p);
      const int position = run::sums::exponent(max_exponent_, p) - layout::low_exponent(sum);
      // Below the grid there are zeros.
      const int128 value =
          position < 0 ? value_[p] >> (position > -127 ? -position : 127) : value_[p];
      add_to_sum(state_, sum, value, position < 0 ? 0 : position);
      value_[p] = 0;
    }
    runs_ = 0;
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
