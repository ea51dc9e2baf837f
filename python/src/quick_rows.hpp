#pragma once
/// python/src/quick_rows: answers along axes by few steps.

#include <nanobind/nanobind.h>

#include <array>
#include <atomic>
#include <cstddef>

#include "monofold/monofold.h"
#include "python/src/quick_call.hpp"

namespace monofold::python {

/// An operation's types of answers along axes, by those of items, as Python's rules have told them; any thread's.
class row_types {
 public:
  void tell(monofold_dtype items, monofold_dtype answers) {
    known_[static_cast<std::size_t>(items)].store(static_cast<signed char>(answers + 1));
  }
  /// -1: not told. `named`: of a type that a call names, one more than the code of answers by the code of items.
  monofold_dtype of(monofold_dtype items, const char* named = nullptr) const {
    const auto at = static_cast<std::size_t>(items);
    return (named != nullptr ? named[at] : known_[at].load()) - 1;
  }

 private:
  std::array<std::atomic<signed char>, MONOFOLD_FLOAT64 + 1> known_{};
};

/// What a call says beside its array. Null: nothing.
struct asked_rows {
  PyObject* axis = nullptr;  // an integer, or a tuple of them; null or None: all axes
  bool keepdims = false;
  PyObject* out = nullptr;     // an array of NumPy
  PyObject* where = nullptr;   // likewise
  const char* told = nullptr;  // of a type that is named, see row_types
};

/// Answers for an array of NumPy: a new array, `out`, or a number; null without an exception: not a case for this
/// function, which is one for arrays of at most 256 MiB that can be read where they lie, of types that were told, and
/// whose rows all have an answer. `out` takes up to 4 KiB, at once; `where` goes with rows side by side, of few items.
PyObject* reduce_rows_quickly(quick_call& call, const row_types& types, PyObject* array,
                              const asked_rows& asked);

/// The same of an array on the current GPU, in its library's stream, into a new array there.
PyObject* reduce_rows_there(quick_call& call, const row_types& types, PyObject* array,
                            PyObject* axis);

}  // namespace monofold::python
