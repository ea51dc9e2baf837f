/// compile_fail/bit_and_of_double: bits are combined of integers and bool.
// EXPECT: fold_or_family_for.*bitwise_family.*double

#include <vector>

#include "monofold/monofold.hpp"

auto bits_of(const std::vector<double>& items) {
  return monofold::reduce(items, monofold::bit_and);
}
