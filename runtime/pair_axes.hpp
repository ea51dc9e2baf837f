#pragma once
/// runtime/pair_axes: inner products of the rows of two arrays whose type is chosen at run time.

#include "monofold/shape/axes.hpp"
#include "runtime/answer_sink.hpp"
#include "runtime/row_reducer.hpp"

namespace monofold::runtime {

/// Hands on the answers to dot, for the pairs of items of two arrays, row by row.
///
/// shape      `reducer`: made for pairs; `left`, `right`: items (0, 0, ...)
/// order      a row's bits are those of a `reducer` that gets the two rows by `push_pairs`
/// sync       `request.num_threads` threads
/// errors     throws `error`, invalid_argument: null items
/// cost       one pass over both arrays. A thread copies the pairs of neighbouring rows side by side, up to some tiles
///            of them; long rows that lie side by side in memory it reads where they are
/// tested by  tests/runtime/pair_axes_test.cpp
void reduce_rows_of_pairs(const row_reducer& reducer, const void* left, const void* right,
                          const pair_rows& rows, answer_sink& out);

}  // namespace monofold::runtime
