#pragma once
/// fold/exact/anchors: where the floating-point bins of an exact sum begin, and what they hold.

#include <cstdint>

#include "monofold/platform/host_device.hpp"

namespace monofold::detail {

// A bin is 1.5 * 2^e plus what was deposited: a multiple of its unit 2^(e - 52). With
// e = max_exponent + headroom for numbers of at most 2^max_exponent, and up to
// 2^(headroom - 1) deposits, these stay up to 2^(e - 1): the bin never leaves [2^e, 2^(e + 1)],
// where its unit is the same but at the upper end, which the last deposit alone can reach.
// So q = (M + x) - M is x rounded to a multiple of the unit, without error, and so is x - q, at
// most half a unit, 2^(e - 53): the numbers of the next bin. Inside a binade, and at its end, bit
// patterns count units: bits(M) - bits(anchor) is the sum of the deposits, at most 2^51.

/// The exponent e of bin k. From -1022 on the unit is the smallest subnormal number: nothing is
/// left for a further bin.
MONOFOLD_HD constexpr int bin_exponent(int max_exponent, int headroom, int k) {
  const int e = max_exponent + headroom - k * (53 - headroom);
  return e < -1022 ? -1022 : e;
}

/// The bits of 1.5 * 2^e.
MONOFOLD_HD constexpr std::uint64_t anchor_bits(int exponent) {
  return static_cast<std::uint64_t>(exponent + 1023) << 52 | std::uint64_t{1} << 51;
}

MONOFOLD_HD constexpr int unit_of_bin(int exponent) { return exponent - 52; }

/// The largest |x| < 2^max_exponent for which the first bin is finite, with headroom to spare.
inline constexpr int highest_exponent = 1000;

}  // namespace monofold::detail
