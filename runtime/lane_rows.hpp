#pragma once
/// runtime/lane_rows: answers of many rows and columns by the loops of runtime/lanes.

#include <cstdint>
#include <functional>

#include "monofold/shape/axes.hpp"
#include "runtime/answer_sink.hpp"
#include "runtime/row_reducer.hpp"

namespace monofold::runtime {

/// The same rows, with strides in bytes, and an axis of one item where none is reduced.
array_rows in_bytes(array_rows rows, std::int64_t item_bytes);

/// Answers a request for the rows of an array, each of at least one item, if there are loops for it: for one sum,
/// mean, variance or extremum (`as_lane_request`), NaN propagated, rows or columns that lie side by side, rows not too
/// long for that, and so many that threads share them. False: nothing was done.
///
/// order      the bits of an answer are those of a `reducer` that gets the row's items
/// errors     answer_slowly(first, row, width) is called for neighbours whose answers the loops do not find
/// tested by  tests/runtime/axis_reducer_test.cpp
bool answer_by_lanes(
    const row_reducer& reducer, const void* first, const array_rows& rows, answer_sink& out,
    const std::function<void(const void* first, std::int64_t row, int width)>& answer_slowly);

}  // namespace monofold::runtime
