/// compile_fail/where_without_predicate: what chooses items answers yes or no.
// EXPECT: fold_or_family_for.*where_family.*double

#include <string>
#include <vector>

#include "monofold/monofold.hpp"

auto some_of(const std::vector<double>& items) {
  const auto answer = [](double item) { return std::to_string(item); };
  return monofold::reduce(items, monofold::sum | monofold::where(answer));
}
