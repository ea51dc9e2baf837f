#pragma once
/// runtime/answer_sink: who takes the answers of rows as they are found.

#include <cstdint>

#include "monofold/platform/dtype.hpp"
#include "runtime/reducer.hpp"

namespace monofold::runtime {

/// Answers of one number each, of two to minmax, to one operation, for rows `row`, `row + apart`, ...: as many as `count`.
struct number_run {
  operation op;
  std::int64_t row;
  std::int64_t apart;
  std::int64_t count;
  dtype type;
  const void* values;
  const std::int64_t* indices;    // null where the operation has none
  const void* seconds = nullptr;  // of pairs, such as the largest items of minmax
};

class answer_sink {
 public:
  virtual ~answer_sink() = default;

  /// The answers of a row, in the order of `request.ops`. They are the caller's, and change afterwards.
  ///
  /// sync       any number of threads at once, each with rows of its own
  virtual void keep(std::int64_t row, const answer* answers) = 0;
  /// The same for many rows and one operation; unless a sink knows better, row by row.
  virtual void keep_numbers(const number_run& run);
  /// Where answers of one number each, of this type, may be left instead: those of rows `row`, `row + 1`, ... side by
  /// side. Null: nowhere.
  virtual void* place_of(dtype, std::int64_t) { return nullptr; }
};

}  // namespace monofold::runtime
