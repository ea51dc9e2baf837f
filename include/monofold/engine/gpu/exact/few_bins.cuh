#pragma once
/// engine/gpu/exact/few_bins: exact sums of few items in bins that have room for the items of all threads.

#include <cstdint>

#include "monofold/engine/gpu/exact/term_format.cuh"
#include "monofold/engine/gpu/exact/thread_bins.cuh"
#include "monofold/plan/few_launch.hpp"
#include "monofold/platform/bits.hpp"
#include "monofold/platform/host_device.hpp"
#include "monofold/platform/rounded.hpp"

namespace monofold::detail {

/// By how many binades largest exponents of bins may differ that are added up as they are; that happens twice, in a
/// block and among blocks.
inline constexpr int few_spread = 3;

/// Of 2^n items below 2^t a bin sums up to 2^(t + n), and in units of bins that begin 2 few_spread binades lower
/// 2^(n + 2 few_spread) times as many as one item: below 2^53 units with so many bits of headroom.
template <class Item>
inline constexpr int few_headroom = [] {
  int n = 0;
  while (static_cast<std::int64_t>(sizeof(Item)) << n < most_few_bytes(sizeof(Item))) ++n;
  return n + 2 * few_spread - 1;
}();

/// Not 0 where a number is not.
MONOFOLD_GPU std::uint32_t bits_but_sign(double x) { return (high_word(x) << 1) | low_word(x); }

/// The bins of a thread that adds few items: two hold 60 or 62 binades, three 99; items have 8 to 53 bits.
template <class Item>
using few_bins = thread_bins<sizeof(Item) == 8 ? 3 : 2, few_headroom<Item>>;

/// Exact sums of few items, a double a bin. Each is a whole number of the units of bins that begin at `max_exponent`, or
/// at most 2 few_spread binades lower.
template <class Item>
struct bin_sums {
  static constexpr int count = sizeof(Item) == 8 ? 3 : 2;
  static constexpr int no_exponent = -(1 << 12);  // of no sums: below all others

  double value[count];
  std::int32_t max_exponent;

  /// What was deposited in bins that began at an exponent.
  MONOFOLD_GPU static bin_sums of(const few_bins<Item>& bins, int max_exponent) {
    few_bins<Item> empty;
    empty.start(max_exponent);
    bin_sums out;
    MONOFOLD_UNROLL
    for (int k = 0; k < count; ++k) {
      out.value[k] = rounded_sum(bits_as<double>(bins.bits(k)), -bits_as<double>(empty.bits(k)));
    }
    out.max_exponent = max_exponent;
    return out;
  }

  /// In bins that begin higher; false where these do not hold all.
  MONOFOLD_GPU bool move_to(int largest) {
    few_bins<Item> to;
    to.start(largest);
    std::uint32_t left = 0;
    MONOFOLD_UNROLL
    for (int k = 0; k < count; ++k) left |= bits_but_sign(to.deposit(value[k]));
    *this = of(to, largest);
    return left == 0;
  }
};

}  // namespace monofold::detail
