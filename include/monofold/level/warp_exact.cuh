#pragma once
/// level/warp_exact: how a warp adds tiles of items to an exact sum.

#include <cstdint>

#include "monofold/fold/exact/anchors.hpp"
#include "monofold/level/load.cuh"
#include "monofold/level/load_ragged.cuh"
#include "monofold/level/shuffle.cuh"
#include "monofold/level/thread.cuh"
#include "monofold/level/thread_items.cuh"
#include "monofold/level/thread_levels.cuh"
#include "monofold/level/thread_terms.cuh"
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

  /// `words`: digits::num_words of shared memory of this warp; `overflow`: see `warp_digits`.
  MONOFOLD_GPU warp_exact(std::int32_t* words, std::int64_t* overflow)
      : digits_(words, overflow), any_other_(!terms::counts_zeros) {
    digits_.clear();
  }

  /// Tiles `tile`, `tile` + `step`, ..
  MONOFOLD_GPU void add(const range_type& range, int tile, int step) {
    const auto tiles = static_cast<int>((range.end + tile_items - 1) / tile_items);
    const auto whole_tiles = static_cast<int>((range.end - range.margin()) / tile_items);
    int patience = 1;  // tiles that the wide way takes in a row
    while (tile < tiles) {
      const int taken = add_narrow(range, tile, step, whole_tiles);
      patience = taken >= long_run ? 1 : patience;
      for (int left = patience; left > 0 && tile < tiles; --left, tile += step) {
        add_wide(range, tile);
      }
      patience = patience < most_patience ? 2 * patience : patience;
    }
    if (terms::counts_zeros && any_other_ && lane_rank() == 0) digits_.count(digit_count::other);
  }

 private:
  static constexpr int slack = terms::slack;  // binades above the largest item so far
  static constexpr int long_run = 64;
  static constexpr int most_patience = 64;
  static constexpr int num_levels = terms::levels;
  static constexpr int parts = terms::parts;
  using narrow_levels = thread_levels<num_levels, terms::headroom>;

  /// Sums of units for each level of a lane.
  struct level_sums {
    std::int64_t units[parts][num_levels];
  };

  // ---- the narrow way

  /// Adds tiles until one does not fit or is ragged, or there are no more; how many.
  MONOFOLD_GPU int add_narrow(const range_type& range, int& tile, int step, int whole_tiles) {
    if (tile == 0 && range.first + range.margin() != 0) return 0;
    level_sums sums{};
    int run = 0;    // tiles in `sums`
    int taken = 0;  // tiles before those
    int top = 0;
    std::uint32_t limit = 0;  // keys from here on do not fit
    MONOFOLD_ROLL
    for (; tile < whole_tiles; tile += step) {
      chunk raw[rows];
      load_rows(raw, range, std::int64_t{tile} * tile_items, lane_rank());
      seen_items seen;
      MONOFOLD_UNROLL
      for (int r = 0; r < rows; ++r) terms::look(seen, raw[r]);
      const std::uint32_t key = terms::key(seen);
      const bool is_odd = terms::may_be_odd(seen) && has_odd(raw);
      // `total_of_lanes` has room for so many tiles.
      if (any_lane(key >= limit || is_odd || run == long_run)) {
        flush(sums, top, run);
        taken += run;
        run = 0;
        if (any_lane(terms::keys_show_odd ? key >= terms::infinite : has_odd(raw))) break;
        const std::uint32_t most = largest_of_lanes(key);
        if (!any_other_) {
          any_other_ = terms::keys_show_other ? most != 0 : find_other(raw);
          // Nothing but -0 so far, or zeros: the wide way looks at each.
          if (!any_other_) break;
        }
        if (most >= limit) {
          top = terms::top_of(most) + slack;
          if (!is_low(top)) break;
          limit = terms::limit_of(top);
        }
      }
      narrow_levels levels[parts];
      if (any_lane(deposit_tile(levels, raw, top))) break;
      MONOFOLD_UNROLL
      for (int p = 0; p < parts; ++p) {
        MONOFOLD_UNROLL
        for (int k = 0; k < num_levels; ++k) {
          sums.units[p][k] += levels[p].units(terms::part_top(top, p), k);
        }
      }
      ++run;
    }
    flush(sums, top, run);
    return taken + run;
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

  /// Deposits a tile; whether something is left.
  MONOFOLD_GPU static bool deposit_tile(narrow_levels (&levels)[parts], const chunk (&raw)[rows],
                                        int top) {
    MONOFOLD_UNROLL
    for (int p = 0; p < parts; ++p) levels[p].start(terms::part_top(top, p));
    std::uint32_t left = 0;
    std::uint32_t left_low = 0;
    MONOFOLD_UNROLL
    for (int r = 0; r < rows; ++r) {
      MONOFOLD_UNROLL
      for (int v = 0; v < chunk_items; ++v) {
        double x[parts];
        terms::split(raw[r], v, x);
        MONOFOLD_UNROLL
        for (int p = 0; p < parts; ++p) {
          if constexpr (terms::is_always_held) {
            levels[p].deposit_whole(x[p]);
          } else {
            const double rest = levels[p].deposit(x[p]);
            left |= high_word(rest);
            if (terms::has_low_words) left_low |= low_word(rest);
          }
        }
      }
    }
    return ((left << 1) | left_low) != 0;  // a zero may have a sign
  }

  /// Adds what levels of this top have counted, and sets it to 0.
  MONOFOLD_GPU void flush(level_sums& sums, int top, int run) {
    if (run == 0) return;
    digits_.reserve(parts * num_levels);
    MONOFOLD_UNROLL
    for (int p = 0; p < parts; ++p) {
      MONOFOLD_UNROLL
      for (int k = 0; k < num_levels; ++k) {
        const int unit = narrow_levels::unit(terms::part_top(top, p), k);
        digits_.add_units(total_of_lanes(sums.units[p][k]), unit + terms::part_scale(p),
                          terms::part_sum(p));
        sums.units[p][k] = 0;
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
  bool any_other_;    // the same in all lanes
  int hopeless_ = 0;  // batches for which levels are not even tried
};

}  // namespace monofold::detail
