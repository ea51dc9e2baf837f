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
/// The narrow one keeps the levels' top from tile to tile and looks once a tile whether all of it fitted;
/// if not, the tile counts as not added. The wide one brings a tile again, finds its largest magnitude,
/// takes more levels below it, then levels below what is left, and at last single digits. Where the
/// narrow way fails soon after it began, the wide one is kept for longer and longer.
///
/// order      exact: any
/// sync       all lanes of the warp
template <class Term>
class warp_exact {
 public:
  using terms = thread_terms<Term>;
  using item = typename Term::item;
  using items = typename terms::items;
  using digits = warp_digits<typename Term::number>;
  static constexpr int rows = terms::rows;
  static constexpr int chunk_items = items::count;
  static constexpr int row_items = warp_lanes * chunk_items;
  static constexpr int tile_items = rows * row_items;

  /// `words` of shared memory are this warp's, cleared; tiles `tile`, `tile` + `step`, .. below `tiles`.
  MONOFOLD_GPU warp_exact(std::int32_t* words, std::int64_t* overflow)
      : digits_(words, overflow), any_other_(!terms::counts_zeros) {
    digits_.clear();
  }

  MONOFOLD_GPU void add(const aligned_range<item>& range, std::int64_t tile, std::int64_t step) {
    const std::int64_t tiles = (range.end + tile_items - 1) / tile_items;
    const std::int64_t whole_tiles = range.end / tile_items;
    int patience = 1;  // tiles that the wide way takes in a row
    while (tile < tiles) {
      std::uint32_t key = 0;
      for (int left = patience; left > 0 && tile < tiles; --left, tile += step) {
        key = larger(key, add_wide(range, tile));
      }
      // A block of tiles that are all -0 is looked at with care: another zero would show only there.
      if (!any_other_) continue;
      const int taken = add_narrow(range, tile, step, whole_tiles, items::top_of(key) + slack);
      patience = taken >= long_run ? 1 : patience < most_patience ? 2 * patience : patience;
    }
    if (terms::counts_zeros && any_other_ && lane_rank() == 0) digits_.count(digit_count::other);
  }

 private:
  static constexpr int slack = 4;  // binades above the largest item so far
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
  MONOFOLD_GPU int add_narrow(const aligned_range<item>& range, std::int64_t& tile,
                              std::int64_t step, std::int64_t whole_tiles, int top) {
    int taken = 0;
    bool fits = terms::part_top(top, 0) <= highest_top;
    while (fits && tile < whole_tiles) {
      level_sums sums{};
      // As many tiles as `total_of_lanes` has room for.
      int run = 0;
      MONOFOLD_ROLL
      for (; run < long_run && tile < whole_tiles; ++run, tile += step) {
        bytes16 raw[rows];
        load_aligned_rows(raw, reinterpret_cast<const char*>(range.base + tile * tile_items),
                          lane_rank());
        narrow_levels levels[parts];
        fits = !any_lane(deposit_tile(levels, raw, top));
        if (!fits) break;
        MONOFOLD_UNROLL
        for (int p = 0; p < parts; ++p) {
          MONOFOLD_UNROLL
          for (int k = 0; k < num_levels; ++k) {
            sums.units[p][k] += levels[p].units(terms::part_top(top, p), k);
          }
        }
      }
      if (run > 0) add_sums(sums, top);
      taken = taken + run < long_run ? taken + run : long_run;
    }
    return taken;
  }

  /// Deposits a tile; whether it did not fit.
  MONOFOLD_GPU static bool deposit_tile(narrow_levels (&levels)[parts], const bytes16 (&raw)[rows],
                                        int top) {
    MONOFOLD_UNROLL
    for (int p = 0; p < parts; ++p) levels[p].start(terms::part_top(top, p));
    seen_items seen;
    std::uint32_t left = 0;
    std::uint32_t left_low = 0;
    MONOFOLD_UNROLL
    for (int r = 0; r < rows; ++r) {
      const bytes16 chunk = terms::given(raw[r]);
      terms::look(seen, chunk);
      MONOFOLD_UNROLL
      for (int v = 0; v < chunk_items; ++v) {
        double x[parts];
        terms::split(chunk, v, x);
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
    // A zero left over may have a sign.
    return ((left << 1) | left_low | seen.small) != 0 ||
           items::key(seen.most) >= items::limit_of(top);
  }

  MONOFOLD_GPU void add_sums(const level_sums& sums, int top) {
    digits_.reserve(parts * num_levels);
    MONOFOLD_UNROLL
    for (int p = 0; p < parts; ++p) {
      MONOFOLD_UNROLL
      for (int k = 0; k < num_levels; ++k) {
        const int unit = narrow_levels::unit(terms::part_top(top, p), k);
        digits_.add_units(total_of_lanes(sums.units[p][k]), unit + terms::scale);
      }
    }
  }

  // ---- the wide way

  static constexpr int batch_rows = terms::batch_rows;
  static constexpr int batch_items = batch_rows * chunk_items;
  static constexpr int batch = batch_items * parts;  // doubles a lane
  static constexpr int wide_levels = terms::wide_levels;
  static constexpr int max_passes = 3;
  static constexpr int hopeless_batches = 15;
  using batch_levels = thread_levels<wide_levels, 6>;
  static_assert(batch < 32, "deposits for six bits of headroom");

  /// Adds a tile; the largest key of its items.
  MONOFOLD_GPU std::uint32_t add_wide(const aligned_range<item>& range, std::int64_t tile) {
    std::uint32_t key = 0;
    MONOFOLD_ROLL
    for (int row = 0; row < rows; row += batch_rows) {
      const std::int64_t at = tile * tile_items + row * row_items;
      bytes16 raw[batch_rows];
      if (at >= range.first && at + batch_rows * row_items <= range.end) {
        load_aligned_rows(raw, reinterpret_cast<const char*>(range.base + at), lane_rank());
      } else {
        load_ragged_rows(raw, range, at, lane_rank(), minus_zeros<item>());
      }
      key = larger(key, add_batch(raw));
    }
    return largest_of_lanes(key);
  }

  /// Adds some rows; the lane's largest key.
  MONOFOLD_GPU std::uint32_t add_batch(bytes16 (&raw)[batch_rows]) {
    seen_items seen;
    MONOFOLD_UNROLL
    for (int r = 0; r < batch_rows; ++r) terms::look(seen, terms::given(raw[r]));
    const auto odd = [](const seen_items& s) {
      return s.small != 0 || items::key(s.most) >= items::infinite;
    };
    if (any_lane(odd(seen))) {
      digits_.reserve(2 * batch_items * warp_lanes);
      sync_warp();  // additions by `add_units` above, atomic ones below
      take_odd(raw);
      seen = seen_items{};
      MONOFOLD_UNROLL
      for (int r = 0; r < batch_rows; ++r) terms::look(seen, terms::given(raw[r]));
      sync_warp();  // and the other way round
    }
    if (terms::counts_zeros && !any_other_) {
      std::uint32_t other = 0;
      MONOFOLD_UNROLL
      for (int r = 0; r < batch_rows; ++r) other |= other_bits<item>(raw[r]);
      any_other_ = any_lane(other != 0);
    }
    double x[batch];
    MONOFOLD_UNROLL
    for (int r = 0; r < batch_rows; ++r) {
      MONOFOLD_UNROLL
      for (int v = 0; v < chunk_items; ++v) {
        double own[parts];
        terms::split(terms::given(raw[r]), v, own);
        MONOFOLD_UNROLL
        for (int p = 0; p < parts; ++p) x[(r * chunk_items + v) * parts + p] = own[p];
      }
    }
    add_doubles(x);
    return items::key(seen.most);
  }

  /// Adds the items that doubles are not for, by integers, and puts -0 in their places.
  MONOFOLD_GPU void take_odd(bytes16 (&raw)[batch_rows]) {
    bool infinite = false;
    MONOFOLD_UNROLL
    for (int r = 0; r < batch_rows; ++r) {
      MONOFOLD_UNROLL
      for (int v = 0; v < chunk_items; ++v) {
        if (!terms::is_odd(raw[r], v)) continue;
        const exact_term term = Term::of(items::item(raw[r], v));
        infinite |= term.kind == number_kind::infinite;
        digits_.deposit(term);
        set_item(raw[r], v, items::item(minus_zeros<item>(), v));
      }
    }
    any_other_ |= any_lane(infinite);
  }

  /// Adds doubles times 2^scale.
  MONOFOLD_GPU void add_doubles(double (&x)[batch]) {
    MONOFOLD_ROLL
    for (int pass = 0; hopeless_ == 0; ++pass) {
      std::uint32_t most = 0;
      MONOFOLD_UNROLL
      for (int i = 0; i < batch; ++i) most = larger(most, high_word(x[i]) & 0x7fffffff);
      const int top = static_cast<int>(largest_of_lanes(most) >> 20) - 1022;
      if (top > highest_top) break;
      if (pass == max_passes) {
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
      MONOFOLD_UNROLL
      for (int k = 0; k < wide_levels; ++k) {
        digits_.add_units(total_of_lanes(levels.units(top, k)),
                          batch_levels::unit(top, k) + terms::scale);
      }
      if (!any_lane(left != 0)) return;
    }
    if (hopeless_ > 0) --hopeless_;
    digits_.reserve(batch * warp_lanes);
    sync_warp();  // additions by `add_units` above, atomic ones below
    MONOFOLD_UNROLL
    for (int i = 0; i < batch; ++i) digits_.deposit(x[i], terms::scale);
    sync_warp();  // and the other way round
  }

  digits digits_;
  bool any_other_;    // the same in all lanes
  int hopeless_ = 0;  // batches for which levels are not even tried
};

}  // namespace monofold::detail
