/// compile_fail/reduce_a_list: a range is reduced by index, from several threads.
// EXPECT: reducible.*list|list.*reducible
// EXPECT: random_access_range

#include <list>

#include "monofold/monofold.hpp"

auto sum_of(const std::list<double>& items) { return monofold::reduce(items, monofold::sum); }
