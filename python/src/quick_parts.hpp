#pragma once
/// python/src/quick_parts: answers of segments and windows by few steps.

#include <nanobind/nanobind.h>

#include "python/src/quick_call.hpp"
#include "python/src/quick_rows.hpp"

namespace monofold::python {

/// What a call says of its segments: offsets, or starts and stops. None: not said.
struct asked_segments {
  PyObject* offsets;
  PyObject* starts;
  PyObject* stops;
};

// Answers for an array of NumPy in a new array; null without an exception: not a case for these functions, which are
// for packed arrays of at most 256 MiB, bounds that are such arrays of int64, types that were told (`named`: see
// row_types), and segments and windows of which all have an answer.
PyObject* reduce_segments_quickly(quick_call& call, const row_types& types, const char* named,
                                  PyObject* array, const asked_segments& asked);
/// shape      an array of one axis
PyObject* reduce_windows_quickly(quick_call& call, const row_types& types, const char* named,
                                 PyObject* array, PyObject* window);
PyObject* scan_quickly(quick_call& call, const row_types& types, const char* named,
                       PyObject* array);

}  // namespace monofold::python
