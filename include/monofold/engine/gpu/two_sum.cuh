#pragma once
/// engine/gpu/two_sum: the sum of two doubles and its rounding error.

#include "monofold/fold/exact/sum_of_two.hpp"
#include "monofold/platform/host_device.hpp"
#include "monofold/platform/rounded.hpp"

namespace monofold::detail {

/// a + b, rounded, and its rounding error.
MONOFOLD_GPU sum_of_two two_sum(double a, double b) {
  const double sum = rounded_sum(a, b);
  const double of_b = rounded_sum(sum, -a);
  const double rest = rounded_sum(rounded_sum(a, -rounded_sum(sum, -of_b)), rounded_sum(b, -of_b));
  return {sum, rest, 0};
}

}  // namespace monofold::detail
