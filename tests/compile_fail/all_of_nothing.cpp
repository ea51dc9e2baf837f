/// compile_fail/all_of_nothing: an `all` has at least one member.
// EXPECT: sizeof *\.\.\. *\(Folds *(\.\.\.)?\) > 0

#include <vector>

#include "monofold/monofold.hpp"

auto nothing_of(const std::vector<double>& items) {
  return monofold::reduce(items, monofold::all());
}
