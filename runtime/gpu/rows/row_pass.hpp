#pragma once
/// runtime/gpu/rows/row_pass: a fold of rows behind a virtual function, and what it is told.

#include <cstdint>
#include <memory>

#include "monofold/platform/dtype.hpp"
#include "runtime/gpu/rows/row_library.hpp"
#include "runtime/operation.hpp"

namespace monofold::runtime {

class row_room;

/// What is the same for all rows of a call.
struct row_rules {
  operation op;
  dtype to;
  std::int64_t ddof;
  bool omit_nan;
  bool raise_nan;
};

/// Where the answers of all rows go.
struct row_store {
  void* values;
  void* seconds;  // of answers that are pairs, where one pass gives both
  std::int64_t* indices;
  // ~ the lowest row without an answer, 4 bits of its status behind it; null: each row has one.
  unsigned long long* failed;
  // The length of rows that all have one, or else where they begin and end.
  std::int64_t length;
  const std::int64_t* starts;
  const std::int64_t* stops;
  std::int32_t value_bytes;
};

/// Starts the kernels.
class row_pass {
 public:
  virtual ~row_pass() = default;
  /// Whether rows of several axes that memory does not walk as one are read where they lie.
  virtual bool reads_apart(const device_row_items& items) const = 0;
  /// errors     throws `error`
  virtual void start(const device_row_items& items, const row_store& store,
                     row_room& room) const = 0;
};

// One source of kernels each: the pass for a question, whose rules these are; null where it has none.
std::unique_ptr<row_pass> make_float_row_pass(const row_question& what, const row_rules& rules);
std::unique_ptr<row_pass> make_moment_row_pass(const row_question& what, const row_rules& rules);
std::unique_ptr<row_pass> make_count_row_pass(const row_question& what, const row_rules& rules);
std::unique_ptr<row_pass> make_integer_row_pass(const row_question& what, const row_rules& rules);
std::unique_ptr<row_pass> make_norm_row_pass(const row_question& what, const row_rules& rules);
std::unique_ptr<row_pass> make_product_row_pass(const row_question& what, const row_rules& rules);
std::unique_ptr<row_pass> make_logsumexp_row_pass(const row_question& what, const row_rules& rules);
std::unique_ptr<row_pass> make_extremum_row_pass(const row_question& what, const row_rules& rules);
std::unique_ptr<row_pass> make_best_row_pass(const row_question& what, const row_rules& rules);
std::unique_ptr<row_pass> make_top_row_pass(const row_question& what, const row_rules& rules);

}  // namespace monofold::runtime
