/// compile_fail/sum_of_strings: the sum is defined for numbers.
// EXPECT: fold_or_family_for.*sum_family.*string

#include <string>
#include <vector>

#include "monofold/monofold.hpp"

auto sum_of(const std::vector<std::string>& items) {
  return monofold::reduce(items, monofold::sum);
}
