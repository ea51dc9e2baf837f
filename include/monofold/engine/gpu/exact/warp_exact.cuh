#pragma once
/// engine/gpu/exact/warp_exact: how a warp adds tiles of items to an exact sum.

#include <cstdint>
#include <type_traits>

#include "monofold/engine/gpu/exact/short_rests.cuh"
#include "monofold/engine/gpu/exact/short_sums.cuh"
#include "monofold/engine/gpu/exact/term_bins.cuh"
#include "monofold/engine/gpu/exact/term_check.cuh"
#include "monofold/engine/gpu/exact/term_format.cuh"
#include "monofold/engine/gpu/exact/thread_bins.cuh"
#include "monofold/engine/gpu/exact/warp_digits.cuh"
#include "monofold/engine/gpu/exact/warp_rests.cuh"
#include "monofold/engine/gpu/exact/warp_wide.cuh"
#include "monofold/engine/gpu/load.cuh"
#include "monofold/engine/gpu/thread_copy.cuh"
#include "monofold/fold/exact/anchors.hpp"
#include "monofold/level/shuffle.cuh"
#include "monofold/level/thread.cuh"
#include "monofold/platform/host_device.hpp"

namespace monofold::detail {

/// A warp adds tiles of items in one of two ways, which give the same sum.
///
/// The narrow way adds to bins. Their largest exponent stays the same from tile to tile, and is raised where items are
/// larger. One vote a tile finds all that is rare. Where the smallest item does not tell that the bins hold the tile,
/// a second vote asks whether they left something. What one bin more holds (`has_deep_bin`), or at most one number in
/// each lane (`may_have_rests`), goes to the digits. If more is left, the tile counts as not added, and the wide way
/// (`warp_wide`) loads it again and adds it. Where the narrow way fails soon after it was resumed, the wide way is
/// taken for more tiles.
///
/// `companion`, where it `is_any`, gets each tile that may change it, perhaps twice.
///
/// shape      may_have_room, Range: see `warp_wide`
/// order      exact: any
/// sync       all lanes of the warp
template <class Term, bool may_have_room = false, class Range = typename term_format<Term>::range>
class warp_exact {
 public:
  using format = term_format<Term>;
  using bin_plan = term_bins<Term>;
  using check = term_check<Term>;
  using wide = warp_wide<Term, may_have_room, Range>;
  using rest = warp_rests<Term, may_have_room, Range>;
  using chunk = typename wide::chunk;
  using range_type = typename wide::range_type;
  using digits = typename wide::digits;
  static constexpr int rows = wide::rows;
  static constexpr int tile_items = wide::tile_items;
  static constexpr int most_additions_a_tile = wide::most_additions_a_tile;
  /// Shared memory of a warp for the tile that is copied ahead.
  static constexpr int ahead_bytes = bin_plan::copies_ahead ? copied_rows<rows>::warp_bytes : 0;
  /// Shared memory of a warp for the units in its lanes' bins; 0: they are in registers.
  ///
  /// source     on an H200, statistics of float32 take 1.13 times as long from 256 MiB on where registers with these
  ///            units are spilled: loads from local memory wait behind the items of all warps. Squares of 16-bit
  ///            floats wait for their additions anyway
  static constexpr int units_bytes =
      may_have_room && format::parts == 2 && !bin_plan::copies_ahead
          ? format::parts * bin_plan::bins * warp_lanes * static_cast<int>(sizeof(std::uint64_t))
          : 0;

  /// How many tiles a range has. Tile 0 begins at a boundary, up to 15 bytes before the first item.
  MONOFOLD_HD static std::int64_t tiles_in(const range_type& range) {
    return (range.end + tile_items - 1) / tile_items;
  }

  /// `words`: digits::num_words of shared memory of this warp; `ahead`: ahead_bytes of it, `units`: units_bytes;
  /// `overflow`: see `warp_digits`.
  MONOFOLD_GPU warp_exact(std::int32_t* words, bytes16* ahead, std::int64_t* overflow,
                          std::uint64_t* units = nullptr)
      : digits_(words, overflow), ahead_(ahead), sums_(units) {
    digits_.clear();
  }

  /// Adds tiles `tile`, `tile` + `step`, .., which the companion gets too. Their sum is complete after `finish` or a
  /// true `finish_short`: until then a part of it may be in bins.
  template <class Companion>
  MONOFOLD_GPU void add(const range_type& range, int tile, int step, Companion& companion) {
    const auto tiles = static_cast<int>(tiles_in(range));
    int wide_tiles_in_a_row = 1;  // tiles that the wide way takes in a row
    while (tile < tiles) {
      bool is_counted = false;  // the -0 of the tile that did not fit
      const int taken = add_narrow(range, tile, step, tiles, companion, is_counted);
      if (tile >= tiles) return;
      flush();
      if (taken >= least_narrow_run) {
        wide_tiles_in_a_row = 1;
      } else if (wide_tiles_in_a_row < most_wide_tiles_in_a_row) {
        wide_tiles_in_a_row *= 2;
      }
      for (int left = wide_tiles_in_a_row; left > 0 && tile < tiles; --left, tile += step) {
        if constexpr (Companion::is_any) {
          if (left < wide_tiles_in_a_row) show(range, tile, companion);
        }
        wide_.add(digits_, range, tile, wide_tiles_in_a_row > 1, is_counted);
        is_counted = false;
      }
      in_digits_ = everything;
    }
  }

  /// Adds all that is elsewhere to the digits.
  MONOFOLD_GPU void finish() {
    flush();
    wide_.finish(digits_);
  }

  /// Gives the whole sum as short sums, the same in all lanes. False where it does not fit them: then `finish` must
  /// follow.
  MONOFOLD_GPU bool finish_short(short_sums<Term>& out) {
    return in_digits_ == nothing && find_short(out);
  }
  /// The same with rests, if `blocks_join`. Rests that are no whole number of the units of rests are added, with all
  /// digits and counts, to words of global memory.
  MONOFOLD_GPU bool finish_short(sums_and_rests<Term>& out, bool blocks_join) {
    if (in_digits_ == everything || (in_digits_ == rests && !blocks_join)) return false;
    if (!find_short(out)) return false;
    if constexpr (has_short_rests_v<Term>) {
      out.more = 0;
      if (in_digits_ == rests) {
        const auto found = may_have_room ? rest::find(digits_, max_exponent_)
                                         : rest::find_by_call(digits_, max_exponent_);
        out.more = found.more;
        out.rest = found.rest;
        if (out.has_words()) out.minus_zeros = 0;
      }
    }
    return true;
  }

 private:
  static constexpr int slack = bin_plan::slack;  // binades above the largest item so far
  static constexpr int long_run =
      127;  // tiles whose units of a lane, up to 2^50 each, `sum_of_lanes` adds up
  static_assert(bin_plan::rows * format::chunk_items <= 1 << (bin_plan::headroom - 2));
  static constexpr int least_narrow_run = 4;  // tiles after which going back to the narrow way pays
  static constexpr int most_wide_tiles_in_a_row = 64;
  static constexpr bool may_have_rests = bin_plan::may_have_rests;
  static constexpr int most_rest_lanes = 8;  // of a tile of which they may go to the digits alone
  // The digits have nothing that the narrow way has taken, no more than rests of it, or everything.
  static constexpr int nothing = 0;
  static constexpr int rests = 1;
  static constexpr int everything = 2;
  static constexpr int num_bins = bin_plan::bins;
  static constexpr int parts = format::parts;
  static constexpr bool has_sure_bins = bin_plan::sure_bins(0) != 0;

  /// The sums of bits of bins since the last flush: `run_` times the zero of the bin, plus the units of its deposits.
  using bin_sums = std::conditional_t<units_bytes != 0, shared_units<parts, num_bins>,
                                      lane_units<parts, num_bins>>;

  /// Gives what is in bins as short sums.
  MONOFOLD_GPU bool find_short(short_sums<Term>& out) const {
    using sums = short_sums<Term>;
    if (!sums::is_regular(max_exponent_)) return false;
    if constexpr (sums::bins < num_bins) {
      bool is_deep = false;
      MONOFOLD_UNROLL
      for (int p = 0; p < parts; ++p) {
        MONOFOLD_UNROLL
        for (int k = sums::bins; k < num_bins; ++k) is_deep |= units(p, k) != 0;
      }
      if (any_lane(is_deep)) return false;
    }
    out.max_exponent = max_exponent_;
    out.is_there = run_ > 0 ? 1 : 0;
    out.minus_zeros = digits_.counted(digit_count::minus_zero) & sums::most_minus_zeros;
    MONOFOLD_UNROLL
    for (int p = 0; p < parts; ++p) {
      int128 own = 0;
      MONOFOLD_UNROLL
      for (int k = 0; k < sums::bins; ++k) {
        own = own * (int128{1} << sums::gap) + units(p, k);
      }
      out.value[p] = sum_of_lanes(own);
    }
    return true;
  }

  // ---- the narrow way

  /// Adds tiles to bins until one does not fit, or there are no more; returns how many.
  template <class Companion>
  MONOFOLD_GPU int add_narrow(const range_type& range, int& tile, int step, int tiles,
                              Companion& companion, bool& is_counted) {
    const auto first_whole = range.first + range.margin() == 0 ? 0 : 1;
    const auto end_whole = static_cast<int>((range.end - range.margin()) / tile_items);
    int taken = 0;            // tiles before those in `sums_`
    std::uint32_t limit = 0;  // keys from here on do not fit
    std::uint32_t sure_limit = 0;
    typename tile_bins<Term>::beginning beginning{};
    int coming = -1;  // the tile that is being copied ahead
    MONOFOLD_ROLL
    for (; tile < tiles; tile += step) {
      chunk raw[rows];
      const std::int64_t at = std::int64_t{tile} * tile_items;
      bool is_shown = false;  // the companion has this tile
      if (bin_plan::copies_ahead && tile == coming) {
        if constexpr (bin_plan::copies_ahead) copied_rows<rows>(ahead_, lane_rank()).take(raw);
      } else if (tile >= first_whole && tile < end_whole) {
        load_rows(raw, range, at, lane_rank());
      } else if constexpr (format::is_compact_ragged) {
        if constexpr (Companion::is_any) show(range, tile, companion);
        is_shown = true;
        load_ragged_rows(raw, range, at, lane_rank(), format::outside());
      } else {
        break;
      }
      seen_items seen = check::nothing_seen();
      MONOFOLD_UNROLL
      for (int r = 0; r < rows; ++r) check::look(seen, raw[r]);
      const std::uint32_t key = check::key(seen);
      bool is_new = (key >= limit) | (run_ == long_run);
      bool is_sure = true;
      if constexpr (has_sure_bins) is_sure = !check::is_unsure(seen, sure_limit);
      bool may_be_extreme = false;
      if constexpr (Companion::is_any) {
        if constexpr (Companion::is_coarse) {
          may_be_extreme = companion.may_change(raw);
        } else if (!is_shown) {
          companion.add(raw, tile);
        }
      }
      bool may_be_minus_zero = false;
      if constexpr (format::counts_zeros) may_be_minus_zero = check::may_be_minus_zero(seen);
      // One vote for all that is rare.
      if (any_lane(is_new | check::may_be_special(seen) | !is_sure | may_be_extreme |
                   may_be_minus_zero)) {
        is_new |= check::may_be_special(seen) && wide::has_special(raw);
        if constexpr (Companion::is_any) {
          if (Companion::is_coarse && any_lane(may_be_extreme) && !is_shown)
            companion.add(raw, tile);
        }
        if (any_lane(is_new)) {
          taken += run_;
          flush();
          if (any_lane(check::keys_show_special ? key >= check::infinite : wide::has_special(raw)))
            break;
          const std::uint32_t most = largest_of_lanes(key);
          if (most >= limit) {
            max_exponent_ = check::max_exponent_of(most) + slack;
            if (!is_low(max_exponent_)) break;
            limit = check::limit_of(max_exponent_);
            beginning = tile_bins<Term>::beginning_of(max_exponent_);
            if constexpr (has_sure_bins) sure_limit = check::sure_limit(max_exponent_);
          }
        }
        if constexpr (has_sure_bins) is_sure = !any_lane(check::is_unsure(seen, sure_limit));
        if constexpr (format::counts_zeros) {
          if (any_lane(may_be_minus_zero)) wide::count_minus_zeros(digits_, raw);
        }
      }
      if constexpr (bin_plan::copies_ahead) {
        // The vote above depends on every load of what was taken.
        if (tile + step < end_whole) {
          coming = tile + step;
          copied_rows<rows>(ahead_, lane_rank())
              .start(range.base + std::int64_t{coming} * tile_items);
        }
      }
      tile_bins<Term> bins;
      if (is_sure && (bin_plan::is_always_held || has_sure_bins)) {
        bins.deposit_surely(raw, beginning);
        if (!check::limits_show_infinite && any_lane(bins.is_infinite())) {
          is_counted = true;
          break;
        }
      } else {
        std::int64_t deep = 0;
        bool is_left;
        if constexpr (bin_plan::has_deep_bin) {
          is_left = bins.deposit_deeply(raw, beginning, deep);
        } else {
          is_left = bins.deposit(raw, beginning);
        }
        if (leaves_much(is_left, deep, range, tile, beginning)) {
          is_counted = true;
          break;
        }
      }
      MONOFOLD_UNROLL
      for (int p = 0; p < parts; ++p) {
        MONOFOLD_UNROLL
        for (int k = 0; k < num_bins; ++k) sums_.at(p, k) += bins.units(p, k);
      }
      ++run_;
    }
    if constexpr (bin_plan::copies_ahead) wait_for_copies();
    return taken + run_;
  }

  /// Whether the bins leave too much of a tile to add that to the digits. `is_left`: this lane's bins leave something,
  /// besides `deep` units of one bin more.
  MONOFOLD_GPU bool leaves_much(bool is_left, std::int64_t deep, const range_type& range, int tile,
                                const typename tile_bins<Term>::beginning& beginning) {
    if constexpr (may_have_rests) {
      const std::uint32_t lanes = lanes_with(is_left | (deep != 0));
      if (lanes == 0) return false;
      if constexpr (bin_plan::has_deep_bin) {
        if (!any_lane(is_left)) {
          digits_.reserve(1);
          rest::add_deep(deep, max_exponent_, digits_);
          if (in_digits_ == nothing) in_digits_ = rests;
          return false;
        }
      }
      return count_bits(lanes) > most_rest_lanes || !add_rests(range, tile, beginning);
    } else {
      return any_lane(is_left);
    }
  }

  /// Adds what bins leave of a tile to the digits, if each lane has at most one number of each part. False where there
  /// are more, or special items: then nothing is added.
  ///
  /// source     of 16 MiB of uniform float32 one item in millions is so small that bins do not hold its square. Its
  ///            warp took 20 000 cycles for that tile by the wide way, alone, where others take 8 000 for all of theirs
  MONOFOLD_GPU bool add_rests(const range_type& range, int tile,
                              const typename tile_bins<Term>::beginning& beginning) {
    digits_.reserve(parts * warp_lanes);
    if (!rest::deposit(range, tile, beginning, digits_)) return false;
    if (in_digits_ == nothing) in_digits_ = rests;
    return true;
  }

  /// Loads any tile for the companion. In place of items beyond the range it gets the first item of the range once
  /// more, which changes no extremum and no index of one.
  template <class Companion>
  MONOFOLD_GPU static void show(const range_type& range, int tile, Companion& companion) {
    const std::int64_t at = std::int64_t{tile} * tile_items;
    chunk raw[rows];
    load_ragged_rows(raw, range, at, lane_rank(), repeated(range.base[range.first]));
    companion.add(raw, tile);
  }

  /// Whether bins for items below 2^max_exponent are finite numbers.
  MONOFOLD_GPU static bool is_low(int max_exponent) {
    bool low = true;
    MONOFOLD_UNROLL
    for (int p = 0; p < parts; ++p)
      low &= format::part_max_exponent(max_exponent, p) <= highest_exponent;
    return low;
  }

  /// Adds the units in bins to the digits, and sets them to 0.
  MONOFOLD_GPU void flush() {
    if (run_ == 0) return;
    in_digits_ = everything;
    digits_.reserve(parts * num_bins);
    MONOFOLD_UNROLL
    for (int p = 0; p < parts; ++p) {
      MONOFOLD_UNROLL
      for (int k = 0; k < num_bins; ++k) {
        const int unit = tile_bins<Term>::unit(max_exponent_, p, k);
        digits_.add_units(sum_of_lanes(units(p, k)), unit + format::part_scale(p),
                          format::part_sum(p));
        sums_.at(p, k) = 0;
      }
    }
    run_ = 0;
  }

  /// The sum of the deposits to a bin since the last flush, in units of the bin.
  MONOFOLD_GPU std::int64_t units(int p, int k) const {
    const auto zeros =
        static_cast<std::uint64_t>(run_) * tile_bins<Term>::zero(max_exponent_, p, k);
    return static_cast<std::int64_t>(sums_.at(p, k) - zeros);
  }

  digits digits_;
  bytes16* ahead_;
  bin_sums sums_;  // of so many tiles by bins of this largest exponent
  int run_ = 0;
  int max_exponent_ = 0;
  int in_digits_ = nothing;
  wide wide_;
};

}  // namespace monofold::detail
