#pragma once
/// runtime/typed_answers: answers of many rows as numbers of one type, in arrays of the caller.

#include <cstdint>
#include <mutex>

#include "monofold/platform/dtype.hpp"
#include "monofold/platform/status.hpp"
#include "runtime/answer_sink.hpp"
#include "runtime/reducer.hpp"

namespace monofold::runtime {

/// The type of the answers to an operation where none is asked for: items have their own.
///
/// errors     throws `error`, as `reducer`
dtype answer_type(operation op, const request& what);

/// Whether numbers of type `from` may be asked for as `to`: not floating ones as integers.
bool is_convertible(dtype from, dtype to);

/// What answers of which numbers of a type are made are rounded to.
rounding rounding_for(dtype type);

/// Arrays for the parts of an answer; null: nobody wants them. `width` numbers a row: k for top and bottom.
struct typed_arrays {
  dtype type;  // of values and seconds
  void* values;
  void* seconds;  // of pairs, such as the largest items of minmax
  std::int64_t* indices;
  std::int64_t width;
};

/// Stores the answer of a row.
///
/// errors     the answer's own status, or integer_overflow where the type has no such number: nothing of
///            the row is written then
/// accuracy   floating-point types: rounded to nearest, ties to even; once from the exact value where the answer is
///            exact and was found for `rounding_for(out.type)`
status store_typed(const typed_arrays& out, std::int64_t row, const answer& from);

/// Stores the answers of rows to one operation as they come.
///
/// tested by  tests/runtime/c_arrays_test.c, tests/runtime/typed_answers_test.cpp
class typed_keeper final : public answer_sink {
 public:
  explicit typed_keeper(const typed_arrays& out) : out_(out) {}

  void keep(std::int64_t row, const answer* answers) override;
  void keep_numbers(const number_run& run) override;
  void* place_of(dtype type, std::int64_t row) override;
  /// The first row without an answer, or -1, and its status.
  std::int64_t failed_row() const { return failed_row_; }
  status code() const { return code_; }

 private:
  typed_arrays out_;
  std::mutex mutex_;
  std::int64_t failed_row_ = -1;
  status code_ = status::ok;
};

}  // namespace monofold::runtime
