/// compile_fail/push_of_other_items: a running state takes items of its own type.
// EXPECT: static.assert.*failed.*the range has items of another type than the state

#include <vector>

#include "monofold/monofold.hpp"

void push(monofold::running_state<double, decltype(monofold::sum)>& state,
          const std::vector<int>& items) {
  state.push(items);
}
