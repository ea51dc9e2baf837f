#pragma once
/// engine/gpu/exact/thread_levels: a thread adds doubles without error in a few floating-point levels.

#include <cstdint>

#include "monofold/engine/gpu/exact/thread_items.cuh"
#include "monofold/fold/exact/anchors.hpp"
#include "monofold/platform/bits.hpp"
#include "monofold/platform/host_device.hpp"
#include "monofold/platform/rounded.hpp"

namespace monofold::detail {

/// The levels of a thread, as fold/exact/anchors has them, for some deposits of at most 2^top.
///
/// cost       three additions a deposit and level
template <int levels, int headroom>
class thread_levels {
 public:
  MONOFOLD_GPU void start(int top) { start_from(first_anchor(top)); }

  /// The high word of level 0 before any deposit, from which one instruction makes each of the others; low
  /// words are 0.
  MONOFOLD_GPU static std::int32_t first_anchor(int top) {
    return static_cast<std::int32_t>(anchor(top, 0) >> 32);
  }
  MONOFOLD_GPU void start_from(std::int32_t first_anchor) {
    constexpr auto lowest = static_cast<std::int32_t>(anchor_bits(-1022) >> 32);
    MONOFOLD_UNROLL
    for (int k = 0; k < levels; ++k) {
      const std::int32_t down = first_anchor - ((k * (53 - headroom)) << 20);
      level_[k] =
          double_of_words(static_cast<std::uint32_t>(k == 0 || down > lowest ? down : lowest), 0);
    }
  }

  /// What the levels do not hold of x: 0 where they hold all.
  MONOFOLD_GPU double deposit(double x) {
    MONOFOLD_UNROLL
    for (int k = 0; k < levels; ++k) {
      const double sum = rounded_sum(level_[k], x);
      const double deposited = rounded_sum(sum, -level_[k]);
      level_[k] = sum;
      x = rounded_sum(x, -deposited);
    }
    return x;
  }

  /// The same where so many levels are known to hold x.
  template <int sure_levels = 1>
  MONOFOLD_GPU void deposit_whole(double x) {
    MONOFOLD_UNROLL
    for (int k = 0; k + 1 < sure_levels; ++k) {
      const double sum = rounded_sum(level_[k], x);
      const double deposited = rounded_sum(sum, -level_[k]);
      level_[k] = sum;
      x = rounded_sum(x, -deposited);
    }
    level_[sure_levels - 1] = rounded_sum(level_[sure_levels - 1], x);
  }

  /// Whether the first level is no finite number: then nothing in the levels counts.
  MONOFOLD_GPU bool is_infinite() const {
    return (bits_as<std::uint64_t>(level_[0]) >> 52 & 0x7ff) == 0x7ff;
  }

  /// Level k as bits: `anchor` and the sum of its deposits in its units, which is below 2^51.
  MONOFOLD_GPU std::uint64_t bits(int k) const { return bits_as<std::uint64_t>(level_[k]); }

  /// The bits of level k before any deposit.
  MONOFOLD_GPU static std::uint64_t anchor(int top, int k) {
    return anchor_bits(level_exponent(top, headroom, k));
  }

  /// The same of level 0, and the others move down: a loop over them keeps the levels in registers.
  MONOFOLD_GPU std::int64_t shift_out(int top, int k) {
    const auto bits = bits_as<std::uint64_t>(level_[0]);
    MONOFOLD_UNROLL
    for (int i = 1; i < levels; ++i) level_[i - 1] = level_[i];
    return static_cast<std::int64_t>(bits - anchor(top, k));
  }

  MONOFOLD_GPU static int unit(int top, int k) {
    return unit_of_level(level_exponent(top, headroom, k));
  }

 private:
  double level_[levels];
};

}  // namespace monofold::detail
