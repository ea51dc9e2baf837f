#pragma once
/// runtime/rolling_reducer: reduces each window of neighbouring items, by type and operation chosen at run time.

#include <cstdint>

#include "monofold/platform/dtype.hpp"
#include "runtime/answer_sink.hpp"
#include "runtime/row_reducer.hpp"

namespace monofold::runtime {

/// Windows of `length` items, one for each of the first `count` items; or windows that grow, where `length` is 0: the
/// i-th has items 0 to i.
struct rolling_request {
  const void* items;
  std::int64_t count;
  std::int64_t length;
  dtype value_type;               // that `out` stores answers in
  std::int64_t first_answer = 0;  // the place of the first window's
};

/// The beginnings of each of `num_rows` rows of `count` items that lie side by side, the shortest one first: of one
/// item, or where `has_empty` of none.
struct beginnings_request {
  const void* items;
  std::int64_t num_rows;
  std::int64_t count;
  bool has_empty;
  dtype value_type;

  std::int64_t row_answers() const { return count + (has_empty ? 1 : 0); }
};

/// Reduces each window, by the one operation of `rows`, as an array of its own.
///
/// order      the bits of an answer are those of a `reducer` that gets the window's items; indices count from its
///            first one
/// sync       `request.num_threads` threads
/// cost       exact sums and means; norm1 of floats; norm2 and mean_square of floats and of integers of up to 32
///            bits; extrema; products and bits of integers: the same for any window. Others: each window on its own.
///            Windows that grow cost as little for sums and products that round on the way; for others each is finished
///            from what a `reducer` holds, and its last tile is folded again
/// tested by  tests/runtime/rolling_reducer_test.cpp
void reduce_windows(const row_reducer& rows, const rolling_request& windows, answer_sink& out);

/// Reduces each beginning of each row, by the one operation of `rows`, as an array of its own.
///
/// order      as above, of windows that grow
/// sync       as above: threads share the rows, or the items of one
/// tested by  tests/runtime/scan_reducer_test.cpp
void reduce_beginnings(const row_reducer& rows, const beginnings_request& all, answer_sink& out);

}  // namespace monofold::runtime
