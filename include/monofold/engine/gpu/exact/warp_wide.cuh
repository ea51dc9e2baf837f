#pragma once
/// engine/gpu/exact/warp_wide: how a warp adds a tile of any items to an exact sum.

#include <cstdint>

#include "monofold/engine/gpu/exact/term_bins.cuh"
#include "monofold/engine/gpu/exact/term_check.cuh"
#include "monofold/engine/gpu/exact/term_format.cuh"
#include "monofold/engine/gpu/exact/thread_bins.cuh"
#include "monofold/engine/gpu/exact/warp_digits.cuh"
#include "monofold/engine/gpu/load.cuh"
#include "monofold/fold/exact/anchors.hpp"
#include "monofold/level/shuffle.cuh"
#include "monofold/level/thread.cuh"
#include "monofold/platform/host_device.hpp"

namespace monofold::detail {

/// Levels below the largest magnitude of some rows, then below what is left, then single digits.
///
/// order      exact: any
/// sync       all lanes of the warp
template <class Term>
class warp_wide {
 public:
  using format = term_format<Term>;
  using bin_plan = term_bins<Term>;
  using check = term_check<Term>;
  using chunk = typename format::chunk;
  using range_type = typename format::range;
  using digits = warp_digits<typename format::layout>;
  static constexpr int rows = bin_plan::rows;
  static constexpr int chunk_items = format::chunk_items;
  static constexpr int row_items = warp_lanes * chunk_items;
  static constexpr int tile_items = rows * row_items;
  /// No tile makes more additions to a digit: those of special items, then of single digits.
  static constexpr int most_additions_a_tile =
      rows * chunk_items * warp_lanes * (2 + format::parts) + 64;

  /// Whether a lane has items that doubles are not for.
  template <int num_rows>
  MONOFOLD_GPU static bool has_special(const chunk (&raw)[num_rows]) {
    bool any = false;
    MONOFOLD_UNROLL
    for (int r = 0; r < num_rows; ++r) {
      MONOFOLD_UNROLL
      for (int v = 0; v < chunk_items; ++v) any |= check::is_special(raw[r], v);
    }
    return any;
  }

  /// Whether some term is another number than -0.
  template <int num_rows>
  MONOFOLD_GPU static bool find_other(const chunk (&raw)[num_rows]) {
    std::uint32_t other = 0;
    MONOFOLD_UNROLL
    for (int r = 0; r < num_rows; ++r) other |= format::other_of(raw[r]);
    return any_lane(other != 0);
  }

  /// Adds a tile of the range; `any_other`, the same in all lanes, learns of terms that are not -0.
  MONOFOLD_GPU void add(digits& to, bool& any_other, const range_type& range, int tile) {
    MONOFOLD_ROLL
    for (int row = 0; row < rows; row += batch_rows) {
      const std::int64_t at = std::int64_t{tile} * tile_items + row * row_items;
      chunk raw[batch_rows];
      if (at - range.margin() >= range.first &&
          at + batch_rows * row_items + range.margin() <= range.end) {
        load_rows(raw, range, at, lane_rank());
      } else {
        load_ragged_rows(raw, range, at, lane_rank(), format::outside());
      }
      add_batch(to, any_other, raw);
    }
  }

 private:
  static constexpr int parts = format::parts;
  static constexpr int batch_rows = 16 / chunk_items < rows ? 16 / chunk_items : rows;
  static constexpr int batch = batch_rows * chunk_items;  // items a lane
  static constexpr int wide_bins = bin_plan::wide_bins;
  static constexpr int max_passes = 3;
  static constexpr int batches_to_skip = 15;
  /// Three passes hold every narrow number, so that nothing is left.
  static constexpr bool may_stay_wide = format::layout::most_limbs > 6;
  using batch_bins = thread_bins<wide_bins, 6>;
  static_assert(batch < 32, "deposits for six bits of headroom");

  MONOFOLD_GPU void add_batch(digits& to, bool& any_other, chunk (&raw)[batch_rows]) {
    if (any_lane(has_special(raw))) {
      to.reserve(2 * batch * warp_lanes);
      sync_warp();  // additions by `add_units` above, atomic ones below
      any_other |= take_special(to, raw);
      sync_warp();  // and the other way round
    }
    if (!any_other) any_other = find_other(raw);
    MONOFOLD_ROLL
    for (int p = 0; p < parts; ++p) {
      double x[batch];
      MONOFOLD_UNROLL
      for (int r = 0; r < batch_rows; ++r) {
        MONOFOLD_UNROLL
        for (int v = 0; v < chunk_items; ++v) {
          double own[parts];
          format::split(raw[r], v, own);
          double chosen = own[0];
          MONOFOLD_UNROLL
          for (int q = 1; q < parts; ++q) chosen = p == q ? own[q] : chosen;
          x[r * chunk_items + v] = chosen;
        }
      }
      add_doubles(to, x, format::part_scale(p), format::part_sum(p));
    }
  }

  /// Adds the items that doubles are not for, by integers, and puts -0 in their places; whether a lane has
  /// seen another number than -0.
  MONOFOLD_GPU bool take_special(digits& to, chunk (&raw)[batch_rows]) {
    bool other = false;
    MONOFOLD_UNROLL
    for (int r = 0; r < batch_rows; ++r) {
      MONOFOLD_UNROLL
      for (int v = 0; v < chunk_items; ++v) {
        if (!check::is_special(raw[r], v)) continue;
        other |= check::take(to, format::item_of(raw[r], v));
        format::clear_item(raw[r], v);
      }
    }
    return any_lane(other);
  }

  /// Adds doubles times 2^scale to a sum.
  MONOFOLD_GPU void add_doubles(digits& to, double (&x)[batch], int scale, int sum) {
    MONOFOLD_ROLL
    for (int pass = 0; skip_bins_ == 0; ++pass) {
      std::uint32_t most = 0;
      MONOFOLD_UNROLL
      for (int i = 0; i < batch; ++i) most = larger(most, high_word(x[i]) & 0x7fffffff);
      const int max_exponent = static_cast<int>(largest_of_lanes(most) >> 20) - 1022;
      if (may_stay_wide && max_exponent > highest_exponent) break;
      if (may_stay_wide && pass == max_passes) {
        skip_bins_ = batches_to_skip + 1;
        break;
      }
      batch_bins bins;
      bins.start(max_exponent);
      std::uint32_t left = 0;
      MONOFOLD_UNROLL
      for (int i = 0; i < batch; ++i) {
        x[i] = bins.deposit(x[i]);
        left |= (high_word(x[i]) << 1) | low_word(x[i]);
      }
      to.reserve(wide_bins);
      MONOFOLD_ROLL
      for (int k = 0; k < wide_bins; ++k) {
        to.add_units(sum_of_lanes(bins.shift_out(max_exponent, k)),
                     batch_bins::unit(max_exponent, k) + scale, sum);
      }
      if (!any_lane(left != 0)) return;
    }
    if constexpr (may_stay_wide) {
      if (skip_bins_ > 0) --skip_bins_;
      to.reserve(batch * warp_lanes);
      sync_warp();  // additions by `add_units` above, atomic ones below
      MONOFOLD_UNROLL
      for (int i = 0; i < batch; ++i) to.deposit(x[i], scale, sum);
      sync_warp();  // and the other way round
    }
  }

  int skip_bins_ = 0;  // batches for which bins are not even tried
};

}  // namespace monofold::detail
