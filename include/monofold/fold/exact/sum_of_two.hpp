#pragma once
/// fold/exact/sum_of_two: an exact sum that two doubles hold.

#include "monofold/fold/exact/leading.hpp"
#include "monofold/platform/float_format.hpp"
#include "monofold/platform/host_device.hpp"
#include "monofold/platform/wide_int.hpp"

namespace monofold::detail {

/// The sum is high + low, where nothing was lost.
struct sum_of_two {
  double high;
  double low;
  double lost;
};

/// The leading bits of a sum of two whose low part is at most half a unit of the high one, where 128 bits hold it.
MONOFOLD_HD bool leading_of(const sum_of_two& sum, leading_number& out) {
  const float_parts high = parts_of(sum.high);
  const float_parts low = parts_of(sum.low);
  const int apart = high.exponent - low.exponent;
  if (low.significand == 0) {
    out = {leading_of(uint128{high.significand}, high.exponent), high.negative};
    return true;
  }
  // The low part is below the high one.
  if (apart < 0 || apart > 72) return false;
  const uint128 upper = uint128{high.significand} << apart;
  out = {
      leading_of(high.negative == low.negative ? upper + low.significand : upper - low.significand,
                 low.exponent),
      high.negative};
  return true;
}

}  // namespace monofold::detail
