/// compile_fail/fold_without_lift: a fold makes a state of an item of the type at hand.
// EXPECT: has_lift.*longest|longest.*has_lift
// EXPECT: f\.lift\(item,

#include <cstdint>
#include <string>
#include <vector>

#include "monofold/monofold.hpp"

struct longest {
  using state = std::size_t;
  state lift(const std::string& item, std::int64_t) const { return item.size(); }
  state combine(state left, state right) const { return left < right ? right : left; }
};

auto longest_of(const std::vector<int>& items) { return monofold::reduce(items, longest{}); }
