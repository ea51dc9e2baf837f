/// compile_fail/fold_without_combine: a fold joins two states.
// EXPECT: has_combine.*count_of_digits|count_of_digits.*has_combine
// EXPECT: f\.combine\(s, s\)

#include <cstdint>
#include <vector>

#include "monofold/monofold.hpp"

struct count_of_digits {
  using state = int;
  state lift(int item, std::int64_t) const { return item < 10 ? 1 : 2; }
};

int digits(const std::vector<int>& items) { return monofold::reduce(items, count_of_digits{}); }
