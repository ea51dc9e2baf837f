#pragma once
/// runtime/axis_reducer: reduces axes of an array whose type and operations are chosen at run time.

#include <cstdint>
#include <string_view>
#include <vector>

#include "monofold/platform/dtype.hpp"
#include "monofold/shape/array_view.hpp"
#include "monofold/shape/axes.hpp"
#include "runtime/answer_sink.hpp"
#include "runtime/reducer.hpp"
#include "runtime/row_reducer.hpp"

namespace monofold::runtime {

/// An array, and which of its axes are reduced. Strides are in items.
struct axis_request {
  const void* first;  // item (0, 0, ...)
  axis_numbers extents;
  axis_numbers strides;
  axis_numbers axes;
  keepdims keep = keepdims::no;
};

/// One part of the answers to an operation, for every row.
///
/// shape      `width` numbers a row: k for top and bottom, else 1; rows in row-major order. Items have their own
///            type, other answers that of the operation
struct answer_array {
  operation op;
  std::string_view name;  // as in a report: value, min, max, index, values, indices
  dtype type;
  std::int64_t width;
  std::vector<unsigned char> bytes;

  /// The number at this place, as `answer` has it.
  number at(std::int64_t i) const;
};

struct axis_answers {
  std::vector<std::int64_t> extents;  // of the result
  std::int64_t num_rows = 0;
  std::int64_t row_items = 0;
  std::vector<answer_array> arrays;  // in the order of the operations
  std::int64_t failed_row = -1;      // the first that has no answer to some operation; -1: all have
  std::vector<answer> failed{};      // its answers
};

/// The answers of a request for every row that reducing the axes makes.
///
/// order      those of a `reducer` that gets the items of the row, in row-major order; indices count along it
/// sync       `request.num_threads` threads, or a GPU, to which the items are brought
/// errors     throws `error`: as `reducer`; invalid_argument: as `rows_of`, null items; unsupported: dot, and on a
///            GPU what has no kernel; std::bad_alloc where the answers do not fit
/// cost       one pass over the items, and the memory of the answers
/// tested by  tests/runtime/axis_reducer_test.cpp
axis_answers reduce_axis(const request& what, const axis_request& array);

/// The inner product of each two rows of two arrays that have the same extents and axes; `what`: dot.
///
/// order      those of a `reducer` that gets the two rows
/// errors     as reduce_axis; unsupported: another operation, a GPU
/// tested by  tests/cli/tool_dot_axis_test.py
axis_answers dot_axis(const request& what, const axis_request& left, const void* right,
                      const axis_numbers& right_strides);

/// The same as of reduce_axis, handed on as they are found.
///
/// errors     invalid_argument: null items
void reduce_rows(const row_reducer& reducer, const void* first, const array_rows& rows,
                 answer_sink& out);

/// The parts of the answers to an operation, of no rows: their names and types.
std::vector<answer_array> answer_parts(operation op, const request& what);

}  // namespace monofold::runtime
