#pragma once
/// python/src/exact_double: a float as a double, whatever this thread's arithmetic does with subnormal numbers.

#include <cmath>

#include "monofold/fold/norm.hpp"

namespace monofold::python {

inline double exact_double(float x) {
  // A conversion that makes 0 of x keeps the sign.
  return std::copysign(detail::magnitude_of(x), static_cast<double>(x));
}

}  // namespace monofold::python
