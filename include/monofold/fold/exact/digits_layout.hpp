#pragma once
/// fold/exact/digits_layout: where the digits of one sum or of two lie that are added up together.

#include "monofold/fold/exact/number.hpp"
#include "monofold/platform/host_device.hpp"

namespace monofold::detail {

struct no_number {
  static constexpr int low_exponent = 0;
  static constexpr int num_limbs = 0;
};

/// The digits of 16 bits of one sum or of two, one behind the other.
template <class First, class Second = no_number>
struct digits_layout {
  static constexpr int num_sums = Second::num_limbs == 0 ? 1 : 2;
  static constexpr int num_digits = 4 * (First::num_limbs + Second::num_limbs);
  static constexpr int most_limbs =
      First::num_limbs > Second::num_limbs ? First::num_limbs : Second::num_limbs;

  MONOFOLD_HD static constexpr int first_digit(int sum) {
    return sum == 0 ? 0 : 4 * First::num_limbs;
  }
  MONOFOLD_HD static constexpr int end_digit(int sum) {
    return sum == 0 ? 4 * First::num_limbs : num_digits;
  }
  MONOFOLD_HD static constexpr int low_exponent(int sum) {
    return sum == 0 ? First::low_exponent : Second::low_exponent;
  }
};

}  // namespace monofold::detail
