/// compile_fail/dot_of_single_items: dot takes pairs, as `zip` makes them.
// EXPECT: fold_or_family_for.*dot_family.*double

#include <vector>

#include "monofold/monofold.hpp"

auto dot_of(const std::vector<double>& items) { return monofold::reduce(items, monofold::dot); }
