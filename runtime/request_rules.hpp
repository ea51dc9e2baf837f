#pragma once
/// runtime/request_rules: which requests can be answered, and which are the same.

#include "runtime/reducer.hpp"

namespace monofold::runtime {

/// errors     throws `error`: unsupported, invalid_argument, as the constructor of a reducer says
void check_request(const request& what);

/// Sums of integers are exact, plain or not.
request exact_where_integer(request what);

/// Whether two requests have the same states and answers: threads change neither.
bool is_same_reduction(const request& left, const request& right);

}  // namespace monofold::runtime
