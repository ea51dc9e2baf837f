/// compile_fail/map_of_another_item: a mapped fold needs a function of the item.
// EXPECT: fold_or_family_for.*map_family.*double

#include <string>
#include <vector>

#include "monofold/monofold.hpp"

auto lengths_of(const std::vector<double>& items) {
  const auto length = [](const std::string& text) { return text.size(); };
  return monofold::reduce(items, monofold::sum | monofold::map(length));
}
