#pragma once
/// engine/gpu/exact/warp_wide: how a warp adds a tile of any items to an exact sum.

#include <cstdint>
#include <type_traits>

#include "monofold/engine/gpu/exact/lane_words.cuh"
#include "monofold/engine/gpu/exact/term_bins.cuh"
#include "monofold/engine/gpu/exact/term_check.cuh"
#include "monofold/engine/gpu/exact/term_format.cuh"
#include "monofold/engine/gpu/exact/thread_bins.cuh"
#include "monofold/engine/gpu/exact/warp_digits.cuh"
#include "monofold/engine/gpu/load.cuh"
#include "monofold/fold/exact/anchors.hpp"
#include "monofold/fold/exact/term.hpp"
#include "monofold/level/block_shared.cuh"
#include "monofold/level/shuffle.cuh"
#include "monofold/level/thread.cuh"
#include "monofold/platform/host_device.hpp"
#include "monofold/platform/numbers.hpp"

namespace monofold::detail {

/// No words: bins hold every float16, and words for float64 would take 17 KiB a warp.
template <class Term>
struct no_wide_words {
  static constexpr int warp_bytes = 0;
};

template <class Term, class Item = typename lane_terms<Term>::item>
using wide_words_t =
    std::conditional_t<std::is_same_v<Item, float> || std::is_same_v<Item, bfloat16>,
                       lane_words<Term>, no_wide_words<Term>>;

/// The shared memory of a block, see exact/add_exactly_kernel.
template <class Term>
struct exact_shared;

/// The `lane_words` of a warp, where a launch has shared memory for them. What is known of them is in shared memory,
/// too, since the narrow way needs every register.
///
/// sync       all lanes of the warp
template <class Term>
class wide_room {
 public:
  using words = wide_words_t<Term>;
  static constexpr bool is_possible = words::warp_bytes > 0;
  static constexpr int warp_bytes = words::warp_bytes;

  /// To be called first. `is_there`: the block has exact_shared<Term>::bytes_with_words of shared memory.
  MONOFOLD_GPU static void start(bool is_there) {
    if (lane_rank() == 0) *terms_added() = is_there ? not_open : no_room;
    sync_warp();  // written above, read by other lanes below
  }

  MONOFOLD_GPU static bool is_there() { return *terms_added() != no_room; }

  /// Adds the terms of some rows, which must be finite.
  template <class Digits, class Chunk, int rows>
  MONOFOLD_GPU static void add(Digits& to, const Chunk (&raw)[rows]) {
    constexpr int terms = rows * term_format<Term>::chunk_items;
    static_assert(terms <= words::most_terms);
    const std::int32_t before = *terms_added();
    sync_warp();  // read above, written below
    const words own = own_words();
    if (before == not_open) own.clear();
    const bool is_full = before + terms > words::most_terms;
    if (is_full) own.make_room(to);
    if (lane_rank() == 0) *terms_added() = before == not_open || is_full ? terms : before + terms;
    sync_warp();  // written above, read by other lanes later
    own.add(raw);
  }

  /// Adds all words to the digits of the warp, at the end.
  template <class Digits>
  MONOFOLD_GPU static void flush(Digits& to) {
    if (*terms_added() > 0) own_words().flush(to);
  }

 private:
  static constexpr int no_room = -2;
  static constexpr int not_open = -1;  // not cleared yet

  MONOFOLD_GPU static char* shared() { return reinterpret_cast<char*>(dynamic_shared()); }
  MONOFOLD_GPU static int warp() { return static_cast<int>(threadIdx.x) / warp_lanes; }

  /// How many terms each lane has added since there was room for all; or one of the constants above.
  MONOFOLD_GPU static std::int32_t* terms_added() {
    return reinterpret_cast<std::int32_t*>(shared() + exact_shared<Term>::terms_added_at) + warp();
  }
  MONOFOLD_GPU static words own_words() {
    return words(shared() + exact_shared<Term>::wide_words_at + warp() * warp_bytes);
  }
};

/// The wide way adds tiles of any items. Where the warp has words (`wide_room`), it adds to these. If not, it takes a
/// few rows at a time, and adds them to bins that begin at their largest magnitude; what these leave goes to bins that
/// begin at its largest magnitude, and so on; what is left in the end goes to digits one by one.
///
/// shape      may_have_room: the block has the shared memory of `exact_shared`, see `wide_room`; `Range`: what items are
///            loaded from
/// order      exact: any
/// sync       all lanes of the warp
template <class Term, bool may_have_room, class Range = typename term_format<Term>::range>
class warp_wide {
 public:
  using format = term_format<Term>;
  using bin_plan = term_bins<Term>;
  using check = term_check<Term>;
  using chunk = typename format::chunk;
  using range_type = Range;
  using digits = warp_digits<typename format::layout>;
  static constexpr int rows = bin_plan::rows;
  static constexpr int chunk_items = format::chunk_items;
  static constexpr int row_items = warp_lanes * chunk_items;
  static constexpr int tile_items = rows * row_items;
  /// How many additions to a digit a tile makes at most: those of special items, of single digits, and to a count.
  static constexpr int most_additions_a_tile =
      rows * chunk_items * warp_lanes * (2 + format::parts) + 320;

  /// Loads rows of a tile, from `row` on.
  template <int num_rows>
  MONOFOLD_GPU static void load(chunk (&raw)[num_rows], const range_type& range, int tile,
                                int row) {
    const std::int64_t at = std::int64_t{tile} * tile_items + row * row_items;
    if (at - range.margin() >= range.first &&
        at + num_rows * row_items + range.margin() <= range.end) {
      load_rows(raw, range, at, lane_rank());
    } else {
      load_ragged_rows(raw, range, at, lane_rank(), format::outside());
    }
  }

  /// Whether this lane has special items, whose terms doubles do not hold.
  template <int num_rows>
  MONOFOLD_GPU static bool has_special(const chunk (&raw)[num_rows]) {
    bool any = false;
    if constexpr (check::keys_show_special) {
      seen_items seen = check::nothing_seen();
      MONOFOLD_UNROLL
      for (int r = 0; r < num_rows; ++r) check::look(seen, raw[r]);
      any = check::key(seen) >= check::infinite;
    } else {
      MONOFOLD_UNROLL
      for (int r = 0; r < num_rows; ++r) {
        MONOFOLD_UNROLL
        for (int v = 0; v < chunk_items; ++v) any |= check::is_special(raw[r], v);
      }
    }
    return any;
  }

  /// Counts the terms that are -0.
  template <int num_rows>
  MONOFOLD_GPU static void count_minus_zeros(digits& to, const chunk (&raw)[num_rows]) {
    int count = 0;
    MONOFOLD_UNROLL
    for (int r = 0; r < num_rows; ++r) count += format::minus_zeros_in(raw[r]);
    count = sum_of_lanes(count);
    if (count == 0) return;
    to.reserve(1);
    if (lane_rank() == 0) to.count(digit_count::minus_zero, count);
  }

  /// Adds a tile of the range. `again`: the tile before it came here, too, so that words pay: to begin with them takes
  /// long. `is_counted`: the terms of this tile that are -0 have been counted.
  MONOFOLD_GPU void add(digits& to, const range_type& range, int tile, bool again,
                        bool is_counted) {
    if constexpr (has_room) {
      if (again && wide_room<Term>::is_there()) {
        chunk raw[rows];
        load(raw, range, tile, 0);
        take_apart(to, raw, is_counted);
        return wide_room<Term>::add(to, raw);
      }
    }
    MONOFOLD_ROLL
    for (int row = 0; row < rows; row += batch_rows) {
      chunk raw[batch_rows];
      load(raw, range, tile, row);
      add_batch(to, raw, is_counted);
    }
  }

  /// Adds a few rows.
  template <int num_rows>
  MONOFOLD_GPU void add_batch(digits& to, chunk (&raw)[num_rows], bool is_counted) {
    take_apart(to, raw, is_counted);
    MONOFOLD_ROLL
    for (int p = 0; p < parts; ++p) {
      double x[num_rows * chunk_items];
      MONOFOLD_UNROLL
      for (int r = 0; r < num_rows; ++r) {
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

  /// Adds all that is in words to the digits.
  MONOFOLD_GPU void finish(digits& to) {
    if constexpr (has_room) wide_room<Term>::flush(to);
  }

 private:
  static constexpr bool has_room = may_have_room && wide_room<Term>::is_possible;
  static constexpr int parts = format::parts;
  static constexpr int batch_rows = 16 / chunk_items < rows ? 16 / chunk_items : rows;
  static constexpr int batch = batch_rows * chunk_items;  // items a lane
  static constexpr int wide_bins = bin_plan::wide_bins;
  static constexpr int max_passes = 3;
  static constexpr int batches_to_skip = 15;
  /// Whether something may be left after three passes: they hold every number of the narrower formats.
  static constexpr bool may_stay_wide = format::layout::most_limbs > 6;
  using batch_bins = thread_bins<wide_bins, 6>;
  static_assert(batch < 32, "deposits for six bits of headroom");

  /// Counts terms that are -0, and adds special items to digits, in whose places there are 0 then.
  template <int num_rows>
  MONOFOLD_GPU static void take_apart(digits& to, chunk (&raw)[num_rows], bool is_counted) {
    if (format::counts_zeros && !is_counted) count_minus_zeros(to, raw);
    if (any_lane(has_special(raw))) {
      to.reserve(2 * num_rows * chunk_items * warp_lanes);
      sync_warp();  // additions by `add_units` above, atomic ones below
      take_special(to, raw);
      sync_warp();  // and the other way round
    }
  }

  /// Adds special items to the digits by integers, and puts 0 in their places.
  template <int num_rows>
  MONOFOLD_GPU static void take_special(digits& to, chunk (&raw)[num_rows]) {
    MONOFOLD_UNROLL
    for (int r = 0; r < num_rows; ++r) {
      MONOFOLD_UNROLL
      for (int v = 0; v < chunk_items; ++v) {
        if (!check::is_special(raw[r], v)) continue;
        check::take(to, format::item_of(raw[r], v));
        format::clear_item(raw[r], v);
      }
    }
  }

  /// Adds doubles times 2^scale to a sum of the digits.
  template <int count>
  MONOFOLD_GPU void add_doubles(digits& to, double (&x)[count], int scale, int sum) {
    MONOFOLD_ROLL
    for (int pass = 0; skip_bins_ == 0; ++pass) {
      std::uint32_t most = 0;
      MONOFOLD_UNROLL
      for (int i = 0; i < count; ++i) most = larger(most, high_word(x[i]) & 0x7fffffff);
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
      for (int i = 0; i < count; ++i) {
        x[i] = bins.deposit(x[i]);
        left |= bits_but_sign(x[i]);
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
      to.reserve(count * warp_lanes);
      sync_warp();  // additions by `add_units` above, atomic ones below
      MONOFOLD_UNROLL
      for (int i = 0; i < count; ++i) to.deposit(x[i], scale, sum);
      sync_warp();  // and the other way round
    }
  }

  int skip_bins_ = 0;  // batches for which bins are not even tried
};

}  // namespace monofold::detail
