#pragma once
/// python/src/quick_state: calls on monofold.State that are short, without a line of Python's.

#include <nanobind/nanobind.h>

namespace monofold::python {

/// Adds `running`, which State is derived from, and `quicken`, which puts a method of this file in the place of one of
/// State's: it does what it can without the other, and calls that for the rest.
void bind_quick_state(nanobind::module_& core);

}  // namespace monofold::python
