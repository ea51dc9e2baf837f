/// compile_fail/min_of_long_double: the order of `long double` is not known to the library.
// EXPECT: fold_or_family_for.*extremum_family.*long double

#include <vector>

#include "monofold/monofold.hpp"

auto min_of(const std::vector<long double>& items) {
  return monofold::reduce(items, monofold::min);
}
