#pragma once
/// engine/gpu/exact/thread_bins: a thread adds doubles without error in a few floating-point bins.

#include <cstdint>

#include "monofold/engine/gpu/exact/thread_items.cuh"
#include "monofold/fold/exact/anchors.hpp"
#include "monofold/platform/bits.hpp"
#include "monofold/platform/host_device.hpp"
#include "monofold/platform/rounded.hpp"

namespace monofold::detail {

/// The bins of a thread, as fold/exact/anchors has them, for some deposits of at most 2^max_exponent.
///
/// cost       three additions a deposit and bin
template <int bins, int headroom>
class thread_bins {
 public:
  MONOFOLD_GPU void start(int max_exponent) { start_from(first_anchor(max_exponent)); }

  /// The high word of bin 0 before any deposit, from which one instruction makes each of the others; low
  /// words are 0.
  MONOFOLD_GPU static std::int32_t first_anchor(int max_exponent) {
    return static_cast<std::int32_t>(anchor(max_exponent, 0) >> 32);
  }
  MONOFOLD_GPU void start_from(std::int32_t first_anchor) {
    constexpr auto lowest = static_cast<std::int32_t>(anchor_bits(-1022) >> 32);
    MONOFOLD_UNROLL
    for (int k = 0; k < bins; ++k) {
      const std::int32_t down = first_anchor - ((k * (53 - headroom)) << 20);
      bins_[k] =
          double_of_words(static_cast<std::uint32_t>(k == 0 || down > lowest ? down : lowest), 0);
    }
  }

  /// What the bins do not hold of x: 0 where they hold all.
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

  /// The same where so many bins are known to hold x.
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

  /// Whether the first bin is no finite number: then nothing in the bins counts.
  MONOFOLD_GPU bool is_infinite() const {
    return (bits_as<std::uint64_t>(bins_[0]) >> 52 & 0x7ff) == 0x7ff;
  }

  /// Level k as bits: `anchor` and the sum of its deposits in its units, which is below 2^51.
  MONOFOLD_GPU std::uint64_t bits(int k) const { return bits_as<std::uint64_t>(bins_[k]); }

  /// The bits of bin k before any deposit.
  MONOFOLD_GPU static std::uint64_t anchor(int max_exponent, int k) {
    return anchor_bits(bin_exponent(max_exponent, headroom, k));
  }

  /// The same of bin 0, and the others move down: a loop over them keeps the bins in registers.
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

}  // namespace monofold::detail
