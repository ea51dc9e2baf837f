#pragma once
/// runtime/answer_arrays: answers of many rows as arrays of numbers.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "runtime/axis_reducer.hpp"

namespace monofold::runtime {

/// Stores the answer of a row, which has one, in the arrays of its operation, of which `next` is the first; then
/// it is the one behind them.
///
/// sync       any number of threads, each with rows of its own
void store_answer(std::vector<answer_array>& arrays, std::size_t& next, std::int64_t row,
                  const answer& from);

/// Stores the values of a run, or its indices, in an array of their type with one element a row.
void store_numbers(const number_run& run, void* to);
void store_indices(const number_run& run, std::int64_t* to);

}  // namespace monofold::runtime
