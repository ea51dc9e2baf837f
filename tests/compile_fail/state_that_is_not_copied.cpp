/// compile_fail/state_that_is_not_copied: states are values.
// EXPECT: has_state.*list_of_items|list_of_items.*has_state

#include <cstdint>
#include <memory>
#include <vector>

#include "monofold/monofold.hpp"

struct list_of_items {
  using state = std::unique_ptr<std::vector<int>>;
  state lift(int item, std::int64_t) const { return std::make_unique<std::vector<int>>(1, item); }
  state combine(const state& left, const state& right) const {
    return left->size() < right->size() ? lift(0, 0) : lift(1, 1);
  }
};

auto list_of(const std::vector<int>& items) { return monofold::reduce(items, list_of_items{}); }
