/// compile_fail/operator_is_no_fold: an operator becomes a fold by `ordered` or `commutative`.
// EXPECT: fold_or_family_for.*plus

#include <functional>
#include <vector>

#include "monofold/monofold.hpp"

int sum_of(const std::vector<int>& items) { return monofold::reduce(items, std::plus<>{}); }
