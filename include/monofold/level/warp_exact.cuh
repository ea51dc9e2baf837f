#pragma once
/// level/warp_exact: how a warp adds tiles of items to an exact sum.

#include <cstdint>

#include "monofold/fold/exact/anchors.hpp"
#include "monofold/level/load.cuh"
#include "monofold/level/load_ragged.cuh"
#include "monofold/level/short_sums.cuh"
#include "monofold/level/shuffle.cuh"
#include "monofold/level/thread.cuh"
#include "monofold/level/thread_items.cuh"
#include "monofold/level/thread_levels.cuh"
#include "monofold/level/thread_terms.cuh"
#include "monofold/level/tile_levels.cuh"
#include "monofold/level/warp_digits.cuh"
#include "monofold/platform/host_device.hpp"

namespace monofold::detail {

/// Tiles of items by two ways, which add the same integers.
///
/// The narrow one keeps the levels' top from tile to tile, raises it where items are larger, and looks once
/// a tile whether the levels held all of it; if not, the tile counts as not added. The wide one brings
/// a tile again, takes more levels below its largest magnitude, then levels below what is left, and at
/// last single digits. Where the narrow way fails soon after it began, the wide one is kept for longer.
///
/// order      exact: any
/// sync       all lanes of the warp
template <class Term>
class warp_exact {
 public:
  using terms = thread_terms<Term>;
  using chunk = typename terms::chunk;
  using range_type = typename terms::range;
  using digits = warp_digits<typename terms::layout>;
  static constexpr int rows = terms::rows;
  static constexpr int chunk_items = terms::chunk_items;
  static constexpr int row_items = warp_lanes * chunk_items;
  static constexpr int tile_items = rows * row_items;
  /// No tile makes more additions to a digit: those of odd items, then of single digits.
  static constexpr int most_additions_a_tile =
      rows * chunk_items * warp_lanes * (2 + terms::parts) + 64;

  /// `words`: digits::num_words of shared memory of this warp; `overflow`: see `warp_digits`.
  MONOFOLD_GPU warp_exact(std::int32_t* words, std::int64_t* overflow)
      : digits_(words, overflow), any_other_(!terms::counts_zeros) {
    digits_.clear();
  }

  /// Tiles `tile`, `tile` + `step`, .. What the narrow way took last is not among the digits yet: one of
  /// the two below follows.
  MONOFOLD_GPU void add(const range_type& range, int tile, int step) {
    const auto tiles = static_cast<int>((range.end + tile_items - 1) / tile_items);
    int patience = 1;  // tiles that the wide way takes in a row
    while (tile < tiles) {
      const int taken = add_narrow(range, tile, step, tiles);
      if (tile >= tiles) return;
      flush();
      patience = taken >= fair_run ? 1 : patience;
      for (int left = patience; left > 0 && tile < tiles; --left, tile += step) {
        add_wide(range, tile);
      }
      patience = patience < most_patience ? 2 * patience : patience;
      has_digits_ = true;
    }
  }

  /// Leaves everything among the digits.
  MONOFOLD_GPU void finish() {
    flush();
    if (terms::counts_zeros && any_other_ && lane_rank() == 0) digits_.count(digit_count::other);
  }

  /// Everything as short sums, the same in all lanes; false where they are not short, and `finish` must
  /// follow.
  MONOFOLD_GPU bool finish_short(short_sums<Term>& out) {
    using sums = short_sums<Term>;
    if (has_digits_ || !sums::is_regular(top_)) return false;
    if constexpr (sums::levels < num_levels) {
      bool is_deep = false;
      MONOFOLD_UNROLL
      for (int p = 0; p < parts; ++p) {
        MONOFOLD_UNROLL
        for (int k = sums::levels; k < num_levels; ++k) is_deep |= sums_.units[p][k] != 0;
      }
      if (any_lane(is_deep)) return false;
    }
    out.top = top_;
    out.is_there = run_ > 0 ? 1 : 0;
    out.is_other = any_other_ ? 1 : 0;
    MONOFOLD_UNROLL
    for (int p = 0; p < sums::num_sums; ++p) {
      int128 own = 0;
      MONOFOLD_UNROLL
      for (int k = 0; k < sums::levels; ++k) {
        own = own * (int128{1} << sums::gap) + sums_.units[p][k];
      }
      out.value[p] = total_of_lanes(own);
    }
    return true;
  }

 private:
  static constexpr int slack = terms::slack;  // binades above the largest item so far
  static constexpr int long_run = 64;
  static constexpr int fair_run = 4;  // tiles after which going back to the narrow way pays
  static constexpr int most_patience = 64;
  static constexpr int num_levels = terms::levels;
  static constexpr int parts = terms::parts;
  static constexpr bool has_sure_levels = terms::sure_levels(0) != 0;

  /// Sums of units for each level of a lane.
  struct level_sums {
    std::int64_t units[parts][num_levels];
  };

  // ---- the narrow way

  /// Adds tiles until one does not fit, or there are no more; how many.
  MONOFOLD_GPU int add_narrow(const range_type& range, int& tile, int step, int tiles) {
    const auto first_whole = range.first + range.margin() == 0 ? 0 : 1;
    const auto end_whole = static_cast<int>((range.end - range.margin()) / tile_items);
    int taken = 0;            // tiles before those in `sums_`
    std::uint32_t limit = 0;  // keys from here on do not fit
    std::uint32_t sure_limit = 0;
    MONOFOLD_ROLL
    for (; tile < tiles; tile += step) {
      chunk raw[rows];
      const std::int64_t at = std::int64_t{tile} * tile_items;
      if (tile >= first_whole && tile < end_whole) {
        load_rows(raw, range, at, lane_rank());
      } else if constexpr (terms::is_compact_ragged) {
        load_ragged_rows(raw, range, at, lane_rank(), terms::outside());
      } else {
        break;
      }
      seen_items seen = terms::nothing_seen();
      MONOFOLD_UNROLL
      for (int r = 0; r < rows; ++r) terms::look(seen, raw[r]);
      const std::uint32_t key = terms::key(seen);
      const bool is_odd = terms::may_be_odd(seen) && has_odd(raw);
      // `total_of_lanes` has room for so many tiles.
      if (any_lane(key >= limit || is_odd || run_ == long_run)) {
        taken += run_;
        flush();
        if (any_lane(terms::keys_show_odd ? key >= terms::infinite : has_odd(raw))) break;
        const std::uint32_t most = largest_of_lanes(key);
        if (!any_other_) {
          any_other_ = terms::keys_show_other ? most != 0 : find_other(raw);
          // Nothing but -0 so far, or zeros: the wide way looks at each.
          if (!any_other_) break;
        }
        if (most >= limit) {
          top_ = terms::top_of(most) + slack;
          if (!is_low(top_)) break;
          limit = terms::limit_of(top_);
          if constexpr (has_sure_levels) sure_limit = terms::sure_limit(top_);
        }
      }
      tile_levels<Term> levels;
      bool is_sure = terms::is_always_held;
      if constexpr (has_sure_levels) is_sure = !any_lane(terms::is_unsure(seen, sure_limit));
      if (is_sure) {
        levels.deposit_surely(raw, top_);
        if (!terms::limits_show_infinite && any_lane(levels.is_infinite())) break;
      } else if (any_lane(levels.deposit(raw, top_))) {
        break;
      }
      MONOFOLD_UNROLL
      for (int p = 0; p < parts; ++p) {
        MONOFOLD_UNROLL
        for (int k = 0; k < num_levels; ++k) sums_.units[p][k] += levels.units(top_, p, k);
      }
      ++run_;
    }
    return taken + run_;
  }

  /// Whether levels for items below 2^top are finite.
  MONOFOLD_GPU static bool is_low(int top) {
    bool low = true;
    MONOFOLD_UNROLL
    for (int p = 0; p < parts; ++p) low &= terms::part_top(top, p) <= highest_top;
    return low;
  }

  /// Whether a lane has items that doubles are not for.
  template <int num_rows>
  MONOFOLD_GPU static bool has_odd(const chunk (&raw)[num_rows]) {
    bool any = false;
    MONOFOLD_UNROLL
    for (int r = 0; r < num_rows; ++r) {
      MONOFOLD_UNROLL
      for (int v = 0; v < chunk_items; ++v) any |= terms::is_odd(raw[r], v);
    }
    return any;
  }

  /// Whether some term is another number than -0.
  template <int num_rows>
  MONOFOLD_GPU static bool find_other(const chunk (&raw)[num_rows]) {
    std::uint32_t other = 0;
    MONOFOLD_UNROLL
    for (int r = 0; r < num_rows; ++r) other |= terms::other_of(raw[r]);
    return any_lane(other != 0);
  }

  /// Adds what levels have counted to the digits, and sets it to 0.
  MONOFOLD_GPU void flush() {
    if (run_ == 0) return;
    run_ = 0;
    has_digits_ = true;
    digits_.reserve(parts * num_levels);
    MONOFOLD_UNROLL
    for (int p = 0; p < parts; ++p) {
      MONOFOLD_UNROLL
      for (int k = 0; k < num_levels; ++k) {
        const int unit = tile_levels<Term>::unit(top_, p, k);
        digits_.add_units(total_of_lanes(sums_.units[p][k]), unit + terms::part_scale(p),
                          terms::part_sum(p));
        sums_.units[p][k] = 0;
      }
    }
  }

  // ---- the wide way

  static constexpr int batch_rows = 16 / chunk_items < rows ? 16 / chunk_items : rows;
  static constexpr int batch = batch_rows * chunk_items;  // items a lane
  static constexpr int wide_levels = terms::wide_levels;
  static constexpr int max_passes = 3;
  static constexpr int hopeless_batches = 15;
  /// Three passes hold every narrow number, so that nothing is left.
  static constexpr bool may_stay_wide = terms::layout::most_limbs > 6;
  using batch_levels = thread_levels<wide_levels, 6>;
  static_assert(batch < 32, "deposits for six bits of headroom");

  MONOFOLD_GPU void add_wide(const range_type& range, int tile) {
    MONOFOLD_ROLL
    for (int row = 0; row < rows; row += batch_rows) {
      const std::int64_t at = std::int64_t{tile} * tile_items + row * row_items;
      chunk raw[batch_rows];
      if (at - range.margin() >= range.first &&
          at + batch_rows * row_items + range.margin() <= range.end) {
        load_rows(raw, range, at, lane_rank());
      } else {
        load_ragged_rows(raw, range, at, lane_rank(), terms::outside());
      }
      add_batch(raw);
    }
  }

  MONOFOLD_GPU void add_batch(chunk (&raw)[batch_rows]) {
    if (any_lane(has_odd(raw))) {
      digits_.reserve(2 * batch * warp_lanes);
      sync_warp();  // additions by `add_units` above, atomic ones below
      take_odd(raw);
      sync_warp();  // and the other way round
    }
    if (!any_other_) any_other_ = find_other(raw);
    MONOFOLD_ROLL
    for (int p = 0; p < parts; ++p) {
      double x[batch];
      MONOFOLD_UNROLL
      for (int r = 0; r < batch_rows; ++r) {
        MONOFOLD_UNROLL
        for (int v = 0; v < chunk_items; ++v) {
          double own[parts];
          terms::split(raw[r], v, own);
          double chosen = own[0];
          MONOFOLD_UNROLL
          for (int q = 1; q < parts; ++q) chosen = p == q ? own[q] : chosen;
          x[r * chunk_items + v] = chosen;
        }
      }
      add_doubles(x, terms::part_scale(p), terms::part_sum(p));
    }
  }

  /// Adds the items that doubles are not for, by integers, and puts -0 in their places.
  MONOFOLD_GPU void take_odd(chunk (&raw)[batch_rows]) {
    bool other = false;
    MONOFOLD_UNROLL
    for (int r = 0; r < batch_rows; ++r) {
      MONOFOLD_UNROLL
      for (int v = 0; v < chunk_items; ++v) {
        if (!terms::is_odd(raw[r], v)) continue;
        other |= terms::take(digits_, terms::item_of(raw[r], v));
        terms::clear_item(raw[r], v);
      }
    }
    any_other_ |= any_lane(other);
  }

  /// Adds doubles times 2^scale to a sum.
  MONOFOLD_GPU void add_doubles(double (&x)[batch], int scale, int sum) {
    MONOFOLD_ROLL
    for (int pass = 0; hopeless_ == 0; ++pass) {
      std::uint32_t most = 0;
      MONOFOLD_UNROLL
      for (int i = 0; i < batch; ++i) most = larger(most, high_word(x[i]) & 0x7fffffff);
      const int top = static_cast<int>(largest_of_lanes(most) >> 20) - 1022;
      if (may_stay_wide && top > highest_top) break;
      if (may_stay_wide && pass == max_passes) {
        hopeless_ = hopeless_batches + 1;
        break;
      }
      batch_levels levels;
      levels.start(top);
      std::uint32_t left = 0;
      MONOFOLD_UNROLL
      for (int i = 0; i < batch; ++i) {
        x[i] = levels.deposit(x[i]);
        left |= (high_word(x[i]) << 1) | low_word(x[i]);
      }
      digits_.reserve(wide_levels);
      MONOFOLD_ROLL
      for (int k = 0; k < wide_levels; ++k) {
        digits_.add_units(total_of_lanes(levels.shift_out(top, k)),
                          batch_levels::unit(top, k) + scale, sum);
      }
      if (!any_lane(left != 0)) return;
    }
    if constexpr (may_stay_wide) {
      if (hopeless_ > 0) --hopeless_;
      digits_.reserve(batch * warp_lanes);
      sync_warp();  // additions by `add_units` above, atomic ones below
      MONOFOLD_UNROLL
      for (int i = 0; i < batch; ++i) digits_.deposit(x[i], scale, sum);
      sync_warp();  // and the other way round
    }
  }

  digits digits_;
  level_sums sums_{};  // of so many tiles by levels of this top
  int run_ = 0;
  int top_ = 0;
  bool has_digits_ = false;
  bool any_other_;    // the same in all lanes
  int hopeless_ = 0;  // batches for which levels are not even tried
};

}  // namespace monofold::detail
