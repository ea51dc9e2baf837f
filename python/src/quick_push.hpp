#pragma once
/// python/src/quick_push: a number, a few of them or a short array of NumPy's into a state, without an array of ours.

#include <nanobind/nanobind.h>

#include "python/src/state.hpp"

namespace monofold::python {

/// Whether x was pushed to a state of items of a type; false: nothing has changed, and perhaps there is an exception.
bool push_few(state& own, monofold_dtype dtype, PyObject* x);

void bind_quick_push(nb::module_& core);

}  // namespace monofold::python
