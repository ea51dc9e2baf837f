#pragma once
/// runtime/compensated_pairs: inner products of rows of float32 and float64, many rows at once.

#include "runtime/answer_sink.hpp"
#include "runtime/pair_groups.hpp"
#include "runtime/row_reducer.hpp"

namespace monofold::runtime {

/// Hands on the exact inner products of rows that are not long, as `reduce_rows_of_pairs`; false: of others, which are
/// still to be folded.
///
/// order      exact: any. Where a bound of the error does not tell how a sum is rounded, its products go to integers
/// cost       one pass. Columns of two arrays in C order are read where they lie, and so are rows of 32 items and more;
///            else a thread copies what fits a part of the second-level cache
/// tested by  tests/runtime/pair_axes_test.cpp
bool fold_compensated(const row_reducer& reducer, const pair_groups& pairs, answer_sink& out);

}  // namespace monofold::runtime
