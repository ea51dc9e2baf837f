/// compile_fail/state_without_default: states are kept in arrays that are made before there is an item.
// EXPECT: has_state.*widest|widest.*has_state

#include <cstdint>
#include <vector>

#include "monofold/monofold.hpp"

struct range {
  range(int from, int to) : low(from), high(to) {}
  int low;
  int high;
};

struct widest {
  using state = range;
  state lift(int item, std::int64_t) const { return {item, item}; }
  state combine(state left, state right) const {
    return right.high - right.low > left.high - left.low ? right : left;
  }
};

auto widest_of(const std::vector<int>& items) { return monofold::reduce(items, widest{}); }
