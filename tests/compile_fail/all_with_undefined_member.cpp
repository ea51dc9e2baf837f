/// compile_fail/all_with_undefined_member: every member of an `all` is defined for the item.
// EXPECT: fold_or_family_for.*all_family.*double

#include <vector>

#include "monofold/monofold.hpp"

auto both_of(const std::vector<double>& items) {
  return monofold::reduce(items, monofold::all(monofold::sum, monofold::bit_or));
}
