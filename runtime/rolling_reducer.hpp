#pragma once
/// runtime/rolling_reducer: reduces each window of neighbouring items, by type and operation chosen at run time.

#include <cstdint>

#include "monofold/platform/dtype.hpp"
#include "runtime/answer_sink.hpp"
#include "runtime/row_reducer.hpp"

namespace monofold::runtime {

/// Windows of `length` items, one for each of the first `count` items.
struct rolling_request {
  const void* items;
  std::int64_t count;
  std::int64_t length;
  dtype value_type;  // that `out` stores answers in
};

/// Reduces each window, by the one operation of `rows`, as an array of its own.
///
/// order      the bits of an answer are those of a `reducer` that gets the window's items; indices count from its
///            first one
/// sync       `request.num_threads` threads
/// cost       exact sums and means; norm1 of floats; norm2 and mean_square of floats and of integers of up to 32
///            bits; extrema: the same for any window. Others: each window on its own
/// tested by  tests/runtime/rolling_reducer_test.cpp
void reduce_windows(const row_reducer& rows, const rolling_request& windows, answer_sink& out);

}  // namespace monofold::runtime
