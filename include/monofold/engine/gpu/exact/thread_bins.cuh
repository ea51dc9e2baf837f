#pragma once
/// engine/gpu/exact/thread_bins: how a thread adds doubles to a few bins without error.

#include <cstdint>

#include "monofold/engine/gpu/exact/term_bins.cuh"
#include "monofold/engine/gpu/exact/term_format.cuh"
#include "monofold/fold/exact/anchors.hpp"
#include "monofold/level/shuffle.cuh"
#include "monofold/level/thread.cuh"
#include "monofold/platform/bits.hpp"
#include "monofold/platform/host_device.hpp"
#include "monofold/platform/rounded.hpp"

namespace monofold::detail {

/// The bins of a thread, see fold/exact/anchors, for deposits of at most 2^max_exponent in magnitude.
///
/// cost       three additions a deposit and bin
template <int bins, int headroom>
class thread_bins {
 public:
  static constexpr int gap = 53 - headroom;  // binades from one bin to the next

  MONOFOLD_GPU void start(int max_exponent) { start_from(first_anchor(max_exponent)); }

  /// The high word of bin 0 before any deposit. One instruction makes that of each other bin of it; low words are 0.
  MONOFOLD_GPU static std::int32_t first_anchor(int max_exponent) {
    return static_cast<std::int32_t>(anchor(max_exponent, 0) >> 32);
  }
  MONOFOLD_GPU void start_from(std::int32_t first_anchor) {
    constexpr auto lowest = static_cast<std::int32_t>(anchor_bits(-1022) >> 32);
    MONOFOLD_UNROLL
    for (int k = 0; k < bins; ++k) {
      const std::int32_t down = first_anchor - ((k * gap) << 20);
      bins_[k] =
          double_of_words(static_cast<std::uint32_t>(k == 0 || down > lowest ? down : lowest), 0);
    }
  }

  /// Adds x to the bins and returns what they do not hold of it: 0 where they hold all.
  MONOFOLD_GPU double deposit(double x) {
    MONOFOLD_UNROLL
    for (int k = 0; k < bins; ++k) {
      const double sum = rounded_sum(bins_[k], x);
      const double deposited = rounded_sum(sum, -bins_[k]);
      bins_[k] = sum;
      x = rounded_sum(x, -deposited);
    }
    return x;
  }

  /// Adds x, which the first `sure_bins` bins are known to hold.
  template <int sure_bins = 1>
  MONOFOLD_GPU void deposit_whole(double x) {
    MONOFOLD_UNROLL
    for (int k = 0; k + 1 < sure_bins; ++k) {
      const double sum = rounded_sum(bins_[k], x);
      const double deposited = rounded_sum(sum, -bins_[k]);
      bins_[k] = sum;
      x = rounded_sum(x, -deposited);
    }
    bins_[sure_bins - 1] = rounded_sum(bins_[sure_bins - 1], x);
  }

  /// Whether the first bin is infinite or NaN: then what the bins hold is no sum.
  MONOFOLD_GPU bool is_infinite() const {
    return (bits_as<std::uint64_t>(bins_[0]) >> 52 & 0x7ff) == 0x7ff;
  }

  /// The bits of bin k: `anchor` plus the sum of its deposits in its units, which is below 2^51 in magnitude.
  MONOFOLD_GPU std::uint64_t bits(int k) const { return bits_as<std::uint64_t>(bins_[k]); }

  /// The bits of bin k before any deposit.
  MONOFOLD_GPU static std::uint64_t anchor(int max_exponent, int k) {
    return anchor_bits(bin_exponent(max_exponent, headroom, k));
  }

  /// The sum of the deposits to bin k, in its units. It is read from bin 0, then the other bins move down by one:
  /// called for k = 0, 1, .. this keeps bins in registers, in a loop too.
  MONOFOLD_GPU std::int64_t shift_out(int max_exponent, int k) {
    const auto bits = bits_as<std::uint64_t>(bins_[0]);
    MONOFOLD_UNROLL
    for (int i = 1; i < bins; ++i) bins_[i - 1] = bins_[i];
    return static_cast<std::int64_t>(bits - anchor(max_exponent, k));
  }

  MONOFOLD_GPU static int unit(int max_exponent, int k) {
    return unit_of_bin(bin_exponent(max_exponent, headroom, k));
  }

 private:
  double bins_[bins];
};

/// The bins of each part of terms, for one tile.
///
/// Items go to several chains of bins in turn, so that an addition need not wait for the one before it. All chains
/// together get no more deposits than one has room for, since they are added up.
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

  /// The first anchors of bins of one largest exponent, which are computed once and kept from tile to tile.
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

  /// Adds a tile, all of which the bins are known to hold.
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

  /// Adds a tile; true where the bins do not hold all of it.
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

  /// Adds a tile; true where the bins do not hold all of it. `deep` gets what those of the last part leave, in units of
  /// one bin more: below 2^51 in magnitude. This bin is read at once, so that it takes registers for this tile alone.
  MONOFOLD_GPU bool deposit_deeply(const chunk (&raw)[rows], const beginning& from,
                                   std::int64_t& deep) {
    static_assert(chains == 1);
    constexpr int down = num_bins * bins::gap;
    const std::int32_t anchor = from.first_anchor[parts - 1] - (down << 20);
    start(from);
    thread_bins<1, bin_plan::headroom> below;
    below.start_from(anchor);
    std::uint32_t left = 0;
    each_part(raw, [&](int p, bins& own, double x) {
      double rest = own.deposit(x);
      if (p == parts - 1) rest = below.deposit(rest);
      left |= high_word(rest);
    });
    deep = static_cast<std::int64_t>(below.bits(0) -
                                     (std::uint64_t{static_cast<std::uint32_t>(anchor)} << 32));
    return left << 1 != 0;  // a zero may have a sign
  }

  /// Adds a tile. `rest` gets what the bins do not hold, of each part at most one number; false where there are more.
  MONOFOLD_GPU bool deposit_apart(const chunk (&raw)[rows], const beginning& from,
                                  double (&rest)[parts]) {
    start(from);
    bool is_one = true;
    MONOFOLD_UNROLL
    for (int p = 0; p < parts; ++p) rest[p] = 0;
    each_part(raw, [&](int p, bins& own, double x) {
      const double left = own.deposit(x);
      const bool is_left = bits_but_sign(left) != 0;
      is_one &= !is_left | (rest[p] == 0);
      rest[p] = is_left ? left : rest[p];
    });
    return is_one;
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

  /// The sum of the deposits of part p to bin k, in units of the bin, plus `zero`; modulo 2^64.
  MONOFOLD_GPU std::uint64_t units(int p, int k) const {
    std::uint64_t sum = 0;
    MONOFOLD_UNROLL
    for (int c = 0; c < chains; ++c) sum += bins_[p][c].bits(k);
    return sum;
  }
  /// What `units` is of no deposits.
  MONOFOLD_GPU static std::uint64_t zero(int max_exponent, int p, int k) {
    return chains * bins::anchor(format::part_max_exponent(max_exponent, p), k);
  }
  /// The exponent of the unit of bin k of part p.
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

/// The sums of a lane's bins over several tiles, in units of the bins, modulo 2^64; in registers.
template <int parts, int bins>
class lane_units {
 public:
  MONOFOLD_GPU explicit lane_units(std::uint64_t*) {}
  MONOFOLD_GPU std::uint64_t& at(int p, int k) { return units_[p][k]; }
  MONOFOLD_GPU std::uint64_t at(int p, int k) const { return units_[p][k]; }

 private:
  std::uint64_t units_[parts][bins] = {};
};

/// The same in shared memory of the warp; the words of all lanes for one bin lie side by side.
template <int parts, int bins>
class shared_units {
 public:
  MONOFOLD_GPU explicit shared_units(std::uint64_t* units) : units_(units) {
    MONOFOLD_UNROLL
    for (int i = 0; i < parts * bins; ++i) units_[i * warp_lanes + lane_rank()] = 0;
  }
  MONOFOLD_GPU std::uint64_t& at(int p, int k) const {
    return units_[(p * bins + k) * warp_lanes + lane_rank()];
  }

 private:
  std::uint64_t* units_;
};

}  // namespace monofold::detail
