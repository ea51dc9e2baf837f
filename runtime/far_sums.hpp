#pragma once
/// runtime/far_sums: exact sums and means of rows of float64 whose exponents lie too far apart for lanes.

#include <cstdint>
#include <functional>

#include "monofold/shape/axes.hpp"
#include "runtime/answer_sink.hpp"
#include "runtime/row_reducer.hpp"

namespace monofold::runtime {

/// Rows side by side, of an array.
struct neighbour_rows {
  const void* first;
  std::int64_t row;
  int width;
};

/// Hands on the sums or means of some rows of `all`, or of columns in C order; false: they are others, or the request is.
///
/// order      exact: any. Sums are added as in twice the precision, and a bound of the error tells how each is rounded;
///            `slowly` gets the rows of which it does not
/// sync       on this thread
/// tested by  tests/runtime/far_sums_test.cpp
bool answer_far_doubles(const row_reducer& reducer, const neighbour_rows& some,
                        const array_rows& all, answer_sink& out,
                        const std::function<void(const neighbour_rows&)>& slowly);

}  // namespace monofold::runtime
