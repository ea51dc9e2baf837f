#pragma once
/// engine/gpu/exact/few_tile: the sum of a tile of few items, by a warp.

#include <climits>
#include <cstdint>

#include "monofold/engine/gpu/exact/few_bins.cuh"
#include "monofold/engine/gpu/exact/lane_values.cuh"
#include "monofold/engine/gpu/exact/term_check.cuh"
#include "monofold/engine/gpu/exact/term_format.cuh"
#include "monofold/engine/gpu/exact/warp_digits.cuh"
#include "monofold/engine/gpu/exact/warp_wide.cuh"
#include "monofold/engine/gpu/load.cuh"
#include "monofold/fold/exact/anchors.hpp"
#include "monofold/level/lanes.cuh"
#include "monofold/level/shuffle.cuh"
#include "monofold/level/thread.cuh"
#include "monofold/plan/few_launch.hpp"
#include "monofold/platform/host_device.hpp"

namespace monofold::detail {

/// Few items in memory. Positions count from the 16-byte boundary at or before the first item.
template <class Item>
struct few_range {
  const Item* base;
  std::int32_t first;
  std::int32_t end;
  std::int32_t tiles;
};

/// Whether the 16 bytes from a position on lie in the range.
template <class Item>
MONOFOLD_GPU bool holds_chunk(const few_range<Item>& range, int from) {
  constexpr int chunk_items = static_cast<int>(sizeof(bytes16) / sizeof(Item));
  return from >= range.first && from + chunk_items <= range.end;
}
/// Loads, of rows of 32 chunks from position `at` on, the chunks of which only a part lies in the range. The rest of
/// them gets the items of `outside`.
template <int rows, class Item>
MONOFOLD_GPU void load_parted_chunks(bytes16 (&raw)[rows], const few_range<Item>& range, int at,
                                     const bytes16& outside) {
  constexpr int chunk_items = static_cast<int>(sizeof(bytes16) / sizeof(Item));
  constexpr int row_items = warp_lanes * chunk_items;
  if (range.first == 0 && range.end % chunk_items == 0) return;
  const int own = at + lane_rank() * chunk_items;
  MONOFOLD_ROLL
  for (int side = 0; side < 2; ++side) {
    const int position = side == 0 ? range.first : range.end;
    const int from = position / chunk_items * chunk_items;
    const int row = (from - at) / row_items;
    const bool is_own = from >= own && (from - own) % row_items == 0 && row < rows;
    if (position == from || !is_own) continue;
    const aligned_range<Item> items{range.base, range.first, range.end};
    const bytes16 bytes = part_of_chunk(items, from, outside);
    MONOFOLD_UNROLL
    for (int r = 0; r < rows; ++r) {
      MONOFOLD_UNROLL
      for (int w = 0; w < 4; ++w) raw[r].word[w] = r == row ? bytes.word[w] : raw[r].word[w];
    }
  }
}
/// Loads rows of 32 chunks from position `at`, a boundary of 16 bytes; items outside the range are 0.
template <int rows, class Item>
MONOFOLD_GPU void load_few_rows(bytes16 (&raw)[rows], const few_range<Item>& range, int at) {
  constexpr int chunk_items = static_cast<int>(sizeof(bytes16) / sizeof(Item));
  const int own = at + lane_rank() * chunk_items;
  MONOFOLD_UNROLL
  for (int r = 0; r < rows; ++r) {
    const int from = own + r * warp_lanes * chunk_items;
    raw[r] = bytes16{};
    if (holds_chunk(range, from)) raw[r] = load_16(range.base + from);
  }
  load_parted_chunks(raw, range, at, bytes16{});
}
/// Replaces the zeros outside the range, in rows that `load_few_rows` has loaded, by the items of `outside`.
template <int rows, class Item>
MONOFOLD_GPU void fill_outside(bytes16 (&raw)[rows], const few_range<Item>& range, int at,
                               const bytes16& outside) {
  constexpr int chunk_items = static_cast<int>(sizeof(bytes16) / sizeof(Item));
  const int own = at + lane_rank() * chunk_items;
  MONOFOLD_UNROLL
  for (int r = 0; r < rows; ++r) {
    const bool is_there = holds_chunk(range, own + r * warp_lanes * chunk_items);
    MONOFOLD_UNROLL
    for (int w = 0; w < 4; ++w) raw[r].word[w] = is_there ? raw[r].word[w] : outside.word[w];
  }
  load_parted_chunks(raw, range, at, outside);
}

/// The sum of a warp, of a block or of all.
///
/// | member | meaning |
/// |---|---|
/// | `value` | the sum in one bin, another one in each group of lanes, see `lane_values` |
/// | `max_exponent` | see `bin_sums` |
/// | `elsewhere` | not 0: some items are among digits instead; of a block's sum, a bit for each warp that has some |
/// | `minus_zeros` | how many terms are -0 |
struct few_sum {
  double value;
  std::int32_t max_exponent;
  std::uint32_t elsewhere;
  std::uint32_t minus_zeros;
};

/// In place of `few_extrema` where only the sum is asked for.
struct no_extrema {
  static constexpr int count = 0;
  static constexpr int pairs = 0;
  struct slots {};

  template <int rows, class Item>
  MONOFOLD_GPU void look(const bytes16 (&)[rows], const few_range<Item>&, int) {}
  MONOFOLD_GPU void store_best(slots&, int) const {}
  MONOFOLD_GPU void join(const slots&) {}
  MONOFOLD_GPU void post(std::uint64_t*, int, std::uint32_t) const {}
  MONOFOLD_GPU void hear(const std::uint64_t*, int, int, std::uint32_t) {}
  MONOFOLD_GPU void store_found(slots&) const {}
  template <class Sink>
  MONOFOLD_GPU static const Sink& sink_for(const Sink& sink, const slots&) {
    return sink;
  }
};

/// How a warp adds a tile, and finds its extrema.
///
/// sync       all lanes of the warp
template <class Term>
class few_tile {
 public:
  using item = typename Term::item;
  using format = term_format<Term>;
  using check = term_check<Term>;
  using items = thread_items<item>;
  using range = few_range<item>;
  using plan = few_plan<Term>;
  using sums = bin_sums<Term>;
  using bins_type = typename sums::bins;
  using values = lane_values<sums::count>;
  using digits = warp_digits<typename format::layout>;
  static constexpr int rows = 4;
  static constexpr int row_items = warp_lanes * format::chunk_items;
  static constexpr int items_each = rows * row_items;
  static_assert(items_each * sizeof(item) == few_tile_bytes);

  MONOFOLD_GPU static few_sum nothing() { return {0.0, sums::no_exponent, 0, 0}; }

  /// The sum of tile `tile`, with what bins do not hold as digits in `words`. Its extrema go to `extrema`.
  ///
  /// shape      words: digits::num_words of shared memory of this warp
  template <class Extrema>
  MONOFOLD_GPU static few_sum add(const range& from, int tile, std::int32_t* words,
                                  Extrema& extrema) {
    few_sum out = nothing();
    const int at = tile * items_each;
    bytes16 raw[rows];
    load_few_rows(raw, from, at);
    extrema.look(raw, from, at);
    seen_items seen{0, items::no_low};
    MONOFOLD_UNROLL
    for (int r = 0; r < rows; ++r) look(seen, raw[r]);
    const std::uint32_t most = largest_of_lanes(check::key(seen));
    const int max_exponent = check::max_exponent_of(most);
    constexpr int largest_part = plan::first_product < format::parts ? plan::first_product : 0;
    const bool is_high =
        most >= check::infinite || format::part_max_exponent(max_exponent, largest_part) > highest;
    bool is_rare = is_high;
    if constexpr (is_sure) is_rare |= is_unsure(seen, max_exponent);
    if constexpr (format::counts_zeros) is_rare |= shows_minus_zero(seen);
    is_rare |= check::may_be_special(seen);
    bins_type bins;
    bins.start(is_high ? 0 : max_exponent);
    bool is_held = true;
    // One vote for all that is rare.
    if (any_lane(is_rare)) {
      if constexpr (format::counts_zeros) {
        int zeros = 0;
        MONOFOLD_UNROLL
        for (int r = 0; r < rows; ++r) zeros += format::minus_zeros_in(raw[r]);
        out.minus_zeros = static_cast<std::uint32_t>(sum_of_lanes(zeros));
      }
      is_held = !is_high && !has_special(raw, seen) && deposit_all<0, rows>(bins, raw);
    } else if constexpr (is_sure) {
      deposit_surely<0>(bins, raw);
      // Small arrays have hardly more than a row.
      if (at + rows / 2 * row_items < from.end) deposit_surely<rows / 2>(bins, raw);
    } else if (at + rows / 2 * row_items < from.end) {
      is_held = deposit_all<0, rows>(bins, raw);
    } else {
      is_held = deposit_all<0, rows / 2>(bins, raw);
    }
    if (is_held) {
      double value[sums::count];
      bins.store(max_exponent, value);
      out.value = values::sum(value);
      out.max_exponent = max_exponent;
      if (most == 0 && has_nothing(out.value)) out.max_exponent = sums::no_exponent;
    } else {
      store_digits(raw, words);
      out.elsewhere = 1;
    }
    return out;
  }

  /// The extrema of that tile alone.
  template <class Extrema>
  MONOFOLD_GPU static void find(const range& from, int tile, Extrema& extrema) {
    const int at = tile * items_each;
    bytes16 raw[rows];
    load_few_rows(raw, from, at);
    extrema.look(raw, from, at);
  }

  /// Adds doubles of bins, of all lanes, to the digits of this warp; rarely called.
  MONOFOLD_GPU static void add_values(const double (&value)[sums::count], std::int32_t* words) {
    sync_warp();  // additions of another kind above
    MONOFOLD_UNROLL
    for (int k = 0; k < sums::count; ++k) {
      const int p = bins_type::part_of(k);
      add_value(value[k], format::part_scale(p), format::part_sum(p), words);
    }
    sync_warp();
  }

 private:
  static constexpr bool is_double = sizeof(item) == 8;
  /// Whether the bits of the items tell that bins hold them. If not, it is seen by what the bins leave.
  static constexpr bool is_sure = !is_double;
  // Bins of larger items, or squares, may be infinite.
  static constexpr int highest = highest_exponent - 30;
  static_assert(highest + plan::headroom <= highest_exponent);

  MONOFOLD_GPU static void look(seen_items& seen, const bytes16& c) {
    if constexpr (is_double) {
      seen.most = items::look(seen.most, c);
      if constexpr (format::parts > 1) {
        // Less 1, so that zeros are passed over.
        const auto small_of = [](std::uint32_t high, std::uint32_t low) {
          return (high & ~items::signs) - 1 + (low != 0 ? 1 : 0);
        };
        seen.least = smaller(smaller(seen.least, small_of(c.word[1], c.word[0])),
                             small_of(c.word[3], c.word[2]));
      }
      if constexpr (format::counts_zeros) {
        const auto less = [](std::uint32_t a, std::uint32_t b) {
          return static_cast<std::int32_t>(a) < static_cast<std::int32_t>(b) ? a : b;
        };
        seen.lowest = less(less(seen.lowest, c.word[1]), c.word[3]);
      }
    } else {
      check::look(seen, c);
    }
  }
  /// Whether all sums are 0, where the largest key is that of 0. Keys of doubles have their high words alone, so a
  /// subnormal double may have that key too.
  MONOFOLD_GPU static bool has_nothing(double own) {
    return !is_double || !any_lane(bits_but_sign(own) != 0);
  }
  /// Whether some term may be -0.
  MONOFOLD_GPU static bool shows_minus_zero(const seen_items& seen) {
    if constexpr (is_double) {
      return static_cast<std::int32_t>(seen.lowest) == INT_MIN;
    } else {
      return check::may_be_minus_zero(seen);
    }
  }
  /// Whether the square of some item is no sum of two doubles. Items are looked at one by one where what was seen of a
  /// lane's items does not rule it out.
  MONOFOLD_GPU static bool has_special(const bytes16 (&raw)[rows], const seen_items& seen) {
    bool is_any = false;
    if (check::may_be_special(seen)) {
      MONOFOLD_UNROLL
      for (int r = 0; r < rows; ++r) {
        MONOFOLD_UNROLL
        for (int v = 0; v < format::chunk_items; ++v) is_any |= check::is_special(raw[r], v);
      }
    }
    return any_lane(is_any);
  }
  /// Whether some item may have bits below the last bin.
  MONOFOLD_GPU static bool is_unsure(const seen_items& seen, int max_exponent) {
    int field = 1;
    MONOFOLD_UNROLL
    for (int p = 0; p < format::parts; ++p) {
      const int unit = unit_of_last_bin(format::part_max_exponent(max_exponent, p), plan::headroom,
                                        plan::bins(p));
      // The last bit of an item, or of its square, which is worth twice as much.
      const int least = p < plan::first_product ? unit + items::last_bias
                                                : (unit + 1) / 2 + items::last_bias - items::scale;
      field = least > field ? least : field;
    }
    return items::is_below(seen.least, items::low_limit(field));
  }

  /// Adds half of the rows, whose terms the bins are known to hold.
  template <int first>
  MONOFOLD_GPU static void deposit_surely(bins_type& bins, const bytes16 (&raw)[rows]) {
    MONOFOLD_UNROLL
    for (int r = first; r < first + rows / 2; ++r) {
      MONOFOLD_UNROLL
      for (int v = 0; v < format::chunk_items; ++v) {
        double x[format::parts];
        format::split(raw[r], v, x);
        bins.deposit_surely(x);
      }
    }
  }
  /// Adds some rows; true where the bins of all lanes hold their terms.
  template <int first, int end>
  MONOFOLD_GPU static bool deposit_all(bins_type& bins, const bytes16 (&raw)[rows]) {
    std::uint32_t left = 0;
    MONOFOLD_UNROLL
    for (int r = first; r < end; ++r) {
      MONOFOLD_UNROLL
      for (int v = 0; v < format::chunk_items; ++v) {
        double x[format::parts];
        format::split(raw[r], v, x);
        left |= bins.deposit(x);
      }
    }
    return !any_lane(left != 0);
  }

  /// Adds a tile to the digits of this warp, but for its count of -0. Long, and rarely called.
  MONOFOLD_GPU static void store_digits(const bytes16 (&raw)[rows], std::int32_t* words) {
    tile_rows all;
    MONOFOLD_UNROLL
    for (int r = 0; r < rows; ++r) all.raw[r] = raw[r];
    make_digits(all, words);
  }
  struct tile_rows {
    bytes16 raw[rows];
  };
  MONOFOLD_GPU_CALL static void make_digits(const tile_rows all, std::int32_t* words) {
    constexpr int batch = 16 / format::chunk_items < rows ? 16 / format::chunk_items : rows;
    digits to(words, nullptr);
    to.clear();
    warp_wide<Term, false> wide;
    MONOFOLD_UNROLL
    for (int first = 0; first < rows; first += batch) {
      bytes16 raw[batch];
      MONOFOLD_UNROLL
      for (int r = 0; r < batch; ++r) raw[r] = all.raw[first + r];
      wide.add_batch(to, raw, true);
    }
  }
  MONOFOLD_GPU_CALL static void add_value(double value, int scale, int sum, std::int32_t* words) {
    digits(words, nullptr).deposit(value, scale, sum);
  }
};

}  // namespace monofold::detail
