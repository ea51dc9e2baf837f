#pragma once
/// python/src/quick_call: operations on a packed array, without a detour through Python.

#include <nanobind/nanobind.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "monofold/monofold.h"
#include "python/src/exchange.hpp"
#include "python/src/short_arrays.hpp"
#include "runtime/operation.hpp"

namespace monofold::python {

/// What `mf.sum(x)` and `mf.stats(x)` need: made once, read by every call.
///
/// sync       any number of threads
class quick_call {
 public:
  /// errors     throws std::invalid_argument where there are more than most_ops operations, or none
  quick_call(std::vector<monofold_operation> codes, const monofold_options& options);

  static constexpr std::size_t most_ops = 16;

  /// One result for each operation; false: not a case for this class, some operation has no answer, or an exception
  /// is set.
  ///
  /// shape      results: num_ops()
  bool answer(PyObject* array, monofold_result* results);

  /// The same of the only operation and those items of an array of NumPy's that a mask marks.
  bool answer_marked(PyObject* array, PyObject* mask, monofold_result& result);

  /// The inner product of two arrays of NumPy's of one shape; false as above.
  bool dot(PyObject* left, PyObject* right, monofold_result& result);

  /// The k best of an array of NumPy's, by the only operation, as a monofold.TopK; null: as false above.
  PyObject* best(PyObject* array);

  /// For calls that fill arrays.
  short_arrays& shorts() { return short_; }
  std::size_t num_ops() const { return short_.operations().size(); }
  monofold_operation code(std::size_t i) const { return short_.operations()[i]; }
  /// With as many threads as calls have now.
  monofold_options options_now() const;

 private:
  bool answer_packed(const packed_items& items, monofold_result* results);
  PyObject* best_of_few(const packed_items& items);
  bool answer_without_lock(const packed_items& items, monofold_result* results);

  short_arrays short_;
};

constexpr bool is_pair(monofold_operation code) {
  return runtime::is_pair(static_cast<runtime::operation>(code));
}

/// What a caller sees of a result: a number, an index or a pair.
PyObject* value_of(monofold_operation code, const monofold_result& result);

void bind_quick_call(nanobind::module_& core);

}  // namespace monofold::python
