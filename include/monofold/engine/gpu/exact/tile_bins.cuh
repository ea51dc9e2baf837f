#pragma once
/// engine/gpu/exact/tile_bins: a lane deposits its items of a tile in bins of the narrow way.

#include <cstdint>

#include "monofold/engine/gpu/exact/term_bins.cuh"
#include "monofold/engine/gpu/exact/term_format.cuh"
#include "monofold/engine/gpu/exact/thread_bins.cuh"
#include "monofold/engine/gpu/exact/thread_items.cuh"
#include "monofold/platform/host_device.hpp"

namespace monofold::detail {

/// The bins of each part for one tile; what they are left with belongs to the tile's largest exponent.
///
/// Several chains of bins take turns, so that additions need not wait for each other; all together have
/// the deposits for which one has room.
template <class Term>
class tile_bins {
 public:
  using format = term_format<Term>;
  using bin_plan = term_bins<Term>;
  using chunk = typename format::chunk;
  static constexpr int rows = bin_plan::rows;
  static constexpr int parts = format::parts;
  static constexpr int num_bins = bin_plan::bins;
  using bins = thread_bins<num_bins, bin_plan::headroom>;

  /// What bins of a largest exponent begin with: found once, kept from tile to tile.
  struct beginning {
    std::int32_t first_anchor[parts];
  };
  MONOFOLD_GPU static beginning beginning_of(int max_exponent) {
    beginning out;
    MONOFOLD_UNROLL
    for (int p = 0; p < parts; ++p) {
      out.first_anchor[p] = bins::first_anchor(format::part_max_exponent(max_exponent, p));
    }
    return out;
  }

  /// A tile of which the bins are known to hold everything.
  MONOFOLD_GPU void deposit_surely(const chunk (&raw)[rows], const beginning& from) {
    start(from);
    each_part(raw, [](int p, bins& own, double x) {
      if (bin_plan::is_always_held || bin_plan::sure_bins(p) == 1) {
        own.template deposit_whole<1>(x);
      } else {
        own.template deposit_whole<2>(x);
      }
    });
  }

  /// A tile; whether something is left.
  MONOFOLD_GPU bool deposit(const chunk (&raw)[rows], const beginning& from) {
    start(from);
    std::uint32_t left = 0;
    std::uint32_t left_low = 0;
    each_part(raw, [&](int, bins& own, double x) {
      const double rest = own.deposit(x);
      left |= high_word(rest);
      if (bin_plan::has_low_words) left_low |= low_word(rest);
    });
    return ((left << 1) | left_low) != 0;  // a zero may have a sign
  }

  /// Whether an infinity or NaN was deposited.
  MONOFOLD_GPU bool is_infinite() const {
    bool any = false;
    MONOFOLD_UNROLL
    for (int p = 0; p < parts; ++p) {
      MONOFOLD_UNROLL
      for (int c = 0; c < chains; ++c) any |= bins_[p][c].is_infinite();
    }
    return any;
  }

  /// What bin k has of part p, in its units, above `zero`; modulo 2^64.
  MONOFOLD_GPU std::uint64_t units(int p, int k) const {
    std::uint64_t sum = 0;
    MONOFOLD_UNROLL
    for (int c = 0; c < chains; ++c) sum += bins_[p][c].bits(k);
    return sum;
  }
  /// The same of no deposits.
  MONOFOLD_GPU static std::uint64_t zero(int max_exponent, int p, int k) {
    return chains * bins::anchor(format::part_max_exponent(max_exponent, p), k);
  }
  /// The exponent of that unit.
  MONOFOLD_GPU static int unit(int max_exponent, int p, int k) {
    return bins::unit(format::part_max_exponent(max_exponent, p), k);
  }

 private:
  static constexpr int chains = bin_plan::chains;

  MONOFOLD_GPU void start(const beginning& from) {
    MONOFOLD_UNROLL
    for (int p = 0; p < parts; ++p) {
      MONOFOLD_UNROLL
      for (int c = 0; c < chains; ++c) bins_[p][c].start_from(from.first_anchor[p]);
    }
  }

  /// Calls use(p, bins, x) for each part x of each item.
  template <class Use>
  MONOFOLD_GPU void each_part(const chunk (&raw)[rows], const Use& use) {
    MONOFOLD_UNROLL
    for (int r = 0; r < rows; ++r) {
      MONOFOLD_UNROLL
      for (int v = 0; v < format::chunk_items; ++v) {
        double x[parts];
        format::split(raw[r], v, x);
        MONOFOLD_UNROLL
        for (int p = 0; p < parts; ++p) use(p, bins_[p][v % chains], x[p]);
      }
    }
  }

  bins bins_[parts][chains];
};

}  // namespace monofold::detail
