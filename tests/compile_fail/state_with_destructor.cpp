/// compile_fail/state_with_destructor: a tile keeps its accumulators in an array that nobody destroys.
// EXPECT: static.assert.*failed.*an accumulator must be trivially destructible

#include <cstdint>
#include <string>

#include "monofold/monofold.hpp"

struct text {
  using state = std::string;
  state lift(char item, std::int64_t) const { return std::string(1, item); }
  state combine(const state& left, const state& right) const { return left + right; }
};

auto text_of(const std::string& items) { return monofold::reduce(items, text{}); }
